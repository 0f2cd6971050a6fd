"""A place to run commands in, and a finished run to look at."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from tests.records.small_run import Files, small_run

Arena = Callable[..., Result]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder; nothing in the environment that colours, and English."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def arena(here: Path) -> Arena:
    """Run a command in this process; anything but an exit is a crash and fails the test."""

    def invoke(*arguments: object) -> Result:
        result = CliRunner().invoke(main, list(map(str, arguments)), prog_name="arena")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


def lay_out(folder: Path, files: Files) -> Path:
    (folder / "matches").mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def run_folder(here: Path) -> Path:
    return lay_out(here / "my-run", small_run())

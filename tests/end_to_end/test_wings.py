"""What an installation leaves out: a wing is deleted from a copy of the package, and all the rest works."""

from __future__ import annotations

import http.client
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from tests.fixtures import arena_runs as runs

pytestmark = pytest.mark.slow
PACKAGE = runs.REPOSITORY / "arena"
WINGS: Final = {
    "lab": ("arena/lab",),
    "person": ("arena/person", "arena/pages/by_hand"),
    "adapters": ("arena/adapters",),
    "conformance": ("arena/conformance",),
}
PERSONS: Final = (
    "run",
    "--person",
    "Anna",
    "--person",
    "Bo",
    "--set",
    "clock.bank_ms=900000",
    "--out",
    "persons",
)
NEEDED_BY: Final = {
    "lab": [("train", "vasa"), ("positions", "vasa")],
    "person": [("play", "random"), PERSONS, ("adapter", "mcp", "--against", "random")],
    "adapters": [
        ("adapter", "stdio", "--address", "unix:/x", "--name", "me", "--token", "x", "--", "cat")
    ],
    "conformance": [("check", "python bot.py"), ("exam", "python bot.py"), ("positions", "vasa")],
}
"""Commands that cannot do without a wing."""
IMPORT_ALL: Final = """
import pkgutil, sys
from importlib import import_module
import arena
for module in pkgutil.walk_packages(arena.__path__, "arena."):
    if module.name not in sys.argv and not module.name.startswith(("arena.sample_bots", "arena.docs")):
        import_module(module.name)
"""


def copy_without(wing: str, folder: Path) -> Path:
    """A copy of the package from which a wing is deleted."""
    shutil.copytree(PACKAGE, folder / "arena")
    for name in ("docs", "sample_bots"):
        (folder / name).symlink_to(runs.REPOSITORY / name)
    for part in WINGS[wing]:
        shutil.rmtree(folder / part)
    return folder


@pytest.mark.parametrize("wing", WINGS)
def test_without_a_wing_the_arena_plays_verifies_reports_and_is_watched(
    wing: str, tmp_path: Path
) -> None:
    copy = copy_without(wing, tmp_path)
    bots = {"anna": runs.honest(), "bo": runs.honest()}
    plan = runs.write_plan(
        tmp_path, bots, tournament={"ruleset": "brandubh-1"}, limits={"check_bots": "require"}
    )

    def arena(*words: object) -> subprocess.CompletedProcess[str]:
        return runs.arena_process(*words, cwd=copy, PYTHONPATH=str(copy))

    assert arena("--help").returncode == 0
    for words in (
        ("run", plan, "--out", "run"),
        ("verify", "run"),
        ("report", "run"),
        ("standings", "run"),
    ):
        done = arena(*words)
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert (copy / "run" / "report.html").is_file()
    assert watched(copy) == 200
    for needing in NEEDED_BY[wing]:
        refused = arena(*needing)
        [line] = refused.stderr.splitlines()
        packages = [part.replace("/", ".") for part in WINGS[wing]]
        command = " ".join(needing[: 2 if needing[0] == "adapter" else 1])
        assert refused.returncode == 1
        assert line in [
            f"Error: `arena {command}` needs the package {one}, which is not part of this installation; "
            "install the whole arena"
            for one in packages
        ]
    assert not (copy / "persons").exists()


@pytest.mark.parametrize("wing", WINGS)
def test_nothing_but_the_wings_imports_one(wing: str, tmp_path: Path) -> None:
    """Every other module is imported, also those of commands."""
    copy = copy_without(wing, tmp_path)
    words = [
        "arena.__main__",
        "arena.cli.play.terminal",
    ]  # a program, and what `arena play` imports when it is called
    command = [sys.executable, "-c", IMPORT_ALL, *words]
    done = subprocess.run(
        command,
        cwd=copy,
        env=runs.environment(PYTHONPATH=str(copy)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def watched(copy: Path) -> int:
    """The status of the first page of a run, as `arena watch` serves it; then that is ended."""
    words = ("watch", "run", "--listen", "127.0.0.1:0", "--no-open")
    with runs.start_arena(*words, cwd=copy, PYTHONPATH=str(copy)) as watch:
        assert watch.stdout is not None
        place = urlsplit(watch.stdout.readline().strip()).netloc
        with closing(http.client.HTTPConnection(place, timeout=runs.TIMEOUT_SECONDS)) as connection:
            connection.request("GET", "/")
            status = connection.getresponse().status
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=runs.TIMEOUT_SECONDS)
    return status

"""A finished run to look at."""

from pathlib import Path

import pytest

from tests.fixtures.asked_pages import write_run
from tests.fixtures.small_run import small_run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_run(tmp_path / "my-run", small_run())

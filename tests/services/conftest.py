"""A finished run to look at."""

from pathlib import Path

import pytest

from tests.cli.conftest import lay_out
from tests.records.small_run import small_run


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return lay_out(tmp_path / "my-run", small_run())

"""A place to run commands in, and a finished run to look at."""

from pathlib import Path

import pytest

from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import arena, here
from tests.fixtures.small_run import small_run

__all__ = ["arena", "here", "run_folder"]


@pytest.fixture
def run_folder(here: Path) -> Path:
    return write_run(here / "my-run", small_run())

"""Processes that share work."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.processes import await_true, ended


def stay(folder: Path) -> None:
    (folder / str(os.getpid())).touch()
    time.sleep(60)


STARTS = """
import sys
from pathlib import Path
from arena.analysis.processes import in_processes
from tests.analysis.test_processes import stay
[*in_processes(stay, [Path(sys.argv[1])] * 4, 2)]
"""


@pytest.mark.slow
def test_they_end_with_the_process_that_is_killed(tmp_path: Path) -> None:
    killed = subprocess.Popen([sys.executable, "-c", STARTS, str(tmp_path)])
    with ended(killed):
        await_true(lambda: len([*tmp_path.iterdir()]) == 2)
        killed.kill()
    await_true(
        lambda: not any(Path("/proc", worker.name).exists() for worker in tmp_path.iterdir())
    )

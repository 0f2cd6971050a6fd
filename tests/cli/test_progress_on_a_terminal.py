"""A run on a real terminal: the bar is drawn in place, and no control stands there as text."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from tests.end_to_end.runs import COLOURING, REPOSITORY, honest, write_plan

DRAWN_AGAIN = "\r\x1b[2K"
"""How rich takes back a bar of one line to draw it again."""


def shown_on_a_terminal(*arguments: object) -> str:
    """Everything that a command writes to a terminal of 80 columns, which is its standard output and error."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    bare = {name: value for name, value in os.environ.items() if name not in (*COLOURING, "COLUMNS", "LINES")}
    command = [sys.executable, "-m", "arena", *map(str, arguments)]
    env = bare | {"TERM": "xterm-256color", "PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, env=env, cwd=REPOSITORY)
    os.close(its)
    shown = b""
    try:
        while data := os.read(ours, 65536):
            shown += data
    except OSError:
        pass  # all have closed the other side
    finally:
        os.close(ours)
        process.wait(60)
    assert process.returncode == 0, shown.decode()
    return shown.decode()


@pytest.mark.parametrize("workers", [(), ("--workers", "2")], ids=["here", "workers"])
def test_the_bar_of_a_run_is_drawn_in_place_and_no_control_is_shown_as_text(
    tmp_path: Path, workers: tuple[str, ...]
) -> None:
    """A guard of the terminal was taken for the terminal itself as long as the bar was there."""
    plan = write_plan(tmp_path, {name: honest() for name in ("anna", "bo", "cia")})

    shown = shown_on_a_terminal("run", plan, "--out", tmp_path / "run", *workers)

    assert "\\u001b" not in shown
    assert DRAWN_AGAIN in shown
    assert len(re.findall(r"r\d-\w+-v-\w+  ", shown)) == 3, "every result has its line, once"


def test_the_bar_below_the_line_of_a_result_has_counted_it(tmp_path: Path) -> None:
    """It was redrawn as it had been, and some time later as it is."""
    plan = write_plan(tmp_path, {name: honest() for name in ("anna", "bo", "cia")})
    shown = shown_on_a_terminal("run", plan, "--out", tmp_path / "run")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    _, *after = re.split(r"r\d-\w+-v-\w+  ", plain)
    bars = [re.search(r"(\d)/3", part) for part in after]
    assert [bar and bar[1] for bar in bars] == ["1", "2", "3"]

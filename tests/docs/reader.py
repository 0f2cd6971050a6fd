"""Somebody who types every command of a page, one block after the other, in a folder made for it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Collection
from itertools import groupby
from pathlib import Path
from typing import Final

from tests.fixtures.doc_pages import ROOT, Block

PATIENCE_S: Final = 300
"""How long a block may take, on a machine that is busy with other tests as well."""

_PROGRAMS: Final = Path(sys.executable).parent
PATH: Final = f"{_PROGRAMS}:{os.environ['PATH']}:/usr/games"
"""Where the programs of a page are looked for: those of this Python first; Debian has GNU
Backgammon in /usr/games."""

_NOT_COPIED = shutil.ignore_patterns("node_modules", "build", "target", "__pycache__")


class Reader:
    """Reads one page.

    The folder looks to it like a checkout in which `make` has set up the environment.

    Where a page listens on port 4711 of every network, it does so on a free port of this machine
    alone.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._meanwhile: list[tuple[Block, subprocess.Popen[str]]] = []
        self._forfeits: set[str] = set()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = str(free.getsockname()[1])
        shutil.copytree(ROOT / "sample_bots", folder / "sample_bots", ignore=_NOT_COPIED)
        shutil.copytree(ROOT / "docs" / "tournaments", folder / "docs" / "tournaments")
        for name in ("Makefile", "pyproject.toml"):
            shutil.copy(ROOT / name, folder)
        environment = folder / ".venv"
        environment.mkdir()
        for part in Path(sys.prefix).iterdir():
            (environment / part.name).symlink_to(part)
        for name in ("created", "core", "dev"):  # what make looks at: nothing is to be installed
            (environment / name).unlink(missing_ok=True)
            (environment / name).touch()

    def follow(self, block: Block) -> None:
        """Do what a block says; anything but what it promises fails the test."""
        if block.saved_as is not None:
            (self._folder / block.saved_as).write_text(self._here(block.text), encoding="utf-8")
        if "before" in block.notes:
            self._run(block, block.notes["before"], status=0)
        if "forfeits" in block.notes:
            self._forfeits.add(block.notes["forfeits"])
        if "afterwards" in block.notes:
            self._wait()
        if not block.commands:
            return
        if "meanwhile" in block.notes:
            self._meanwhile.append((block, self._start(block.commands)))
            return
        printed = self._run(block, block.commands, status=int(block.notes.get("exit", 0)))
        missing = [
            line
            for line in block.shown
            if _words(line) and _words(line) not in map(_words, printed)
        ]
        assert not missing, (
            f"{block.place} shows lines that were not printed: {missing}\n" + "\n".join(printed)
        )
        if problem := problem_with_output(
            block.shown, printed, block.notes.get("by chance", "").split()
        ):
            raise AssertionError(f"{block.place} {problem}\n" + "\n".join(printed))

    def finish(self) -> None:
        """Wait for what was started meanwhile. No bot may have forfeited but where it should."""
        self._wait()
        evidence = [
            path.relative_to(self._folder) for path in self._folder.glob("**/evidence/*.json")
        ]
        assert {path.parts[0] for path in evidence} == self._forfeits, (
            f"forfeits or lost connections: {evidence}"
        )

    def _wait(self) -> None:
        while self._meanwhile:
            block, program = self._meanwhile.pop(0)
            self._end(block, program, status=int(block.notes.get("exit", 0)))

    def leave(self) -> None:
        for _, program in self._meanwhile:
            _kill(program)

    def _here(self, text: str) -> str:
        return text.replace("0.0.0.0", "127.0.0.1").replace("4711", self._port)

    def _run(self, block: Block, commands: str, *, status: int) -> list[str]:
        return self._end(block, self._start(commands), status=status)

    def _start(self, commands: str) -> subprocess.Popen[str]:
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        meanwhile = {"MEANWHILE": str(self._meanwhile[0][1].pid)} if self._meanwhile else {}
        return subprocess.Popen(
            ["sh", "-e", "-c", self._here(commands)],
            cwd=self._folder,
            env={**kept, **meanwhile, "PATH": PATH, "COLUMNS": "120", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _end(self, block: Block, program: subprocess.Popen[str], *, status: int) -> list[str]:
        try:
            printed, _ = program.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            _kill(program)
            printed, _ = program.communicate()
            printed += f"\n(ended after {PATIENCE_S} s)"
        code = (
            program.returncode if program.returncode >= 0 else 128 - program.returncode
        )  # as a shell gives signals
        assert code == status, f"{block.place} ended with {code}:\n{printed}"
        return printed.splitlines()


def problem_with_output(
    shown: list[str], printed: list[str], by_chance: Collection[str] = ()
) -> str | None:
    """What is wrong with an output as a page shows it, or None; `...` stands for lines left out.

    Dice, times and results are others every day. But a board has its frame and as many lines every
    day, one below the other, and every word of the output is printed somewhere, but for those that
    come by chance.
    """
    frames = [_frame(line) for line in printed]
    for board in _boards(shown):
        places = range(len(frames) - len(board) + 1)
        if board not in [frames[place : place + len(board)] for place in places]:
            return "shows a board that is drawn otherwise:\n" + "\n".join(board)
    known = {word for line in printed for word in _WORD.findall(line)}
    strange = {word for line in shown for word in _WORD.findall(line)} - known - set(by_chance)
    return f"shows words that were not printed: {sorted(strange)}" if strange else None


_WORD = re.compile(r"[^\W\d_]{2,}")
_BOARD = re.compile(r"^[ >]*[OX]( +\d+){12} *$|[│┌└]")


def _boards(shown: list[str]) -> list[list[str]]:
    """The frames of the boards in an output, each as the lines that stand together."""
    runs = groupby(shown, key=lambda line: bool(_BOARD.search(line)))
    return [[_frame(line) for line in lines] for is_board, lines in runs if is_board]


def _frame(line: str) -> str:
    """What of a line of a board is the same in every position: its edges, or that it has the numbers.

    Dice lie to the right of the board, beside one half or the other.
    """
    if not _BOARD.search(line):
        return line
    if "│" not in line and "┌" not in line and "└" not in line:
        return "numbers"
    return re.sub(r"[^│┌┬┐└┴┘─]", " ", line[:_EDGE]).rstrip()


_EDGE = 62
"""Where a board of `arena show` ends."""


def _words(line: str) -> list[str]:
    """What of a line is the same every day: nothing if it has a digit, else its words in any order, no letters."""
    return [] if re.search(r"\d", line) else sorted(re.findall(r"\w\w+", line))


def _kill(program: subprocess.Popen[str]) -> None:
    if program.poll() is None:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()

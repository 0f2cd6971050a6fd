"""Somebody who types every command of a page, one block after the other, in a folder made for it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.docs.pages import ROOT, Block

PATIENCE_S: Final = 300
"""How long a block may take, on a machine that is busy with other tests as well."""

_PROGRAMS: Final = Path(sys.executable).parent
PATH: Final = f"{_PROGRAMS}:{os.environ['PATH']}:/usr/games"
"""Where the programs of a page are looked for: those of this Python first; Debian has GNU Backgammon in /usr/games."""

_NOT_COPIED = shutil.ignore_patterns("node_modules", "build", "target", "__pycache__")


class Reader:
    """Reads one page. The folder looks to it like a checkout in which `make` has set up the environment.

    Where a page listens on port 4711 of every network, it does so on a free port of this machine alone.
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
        missing = [line for line in block.shown if _words(line) and _words(line) not in map(_words, printed)]
        assert not missing, f"{block.place} shows lines that were not printed: {missing}\n" + "\n".join(printed)

    def finish(self) -> None:
        """Wait for what was started meanwhile. No bot may have forfeited but where it should."""
        self._wait()
        evidence = [path.relative_to(self._folder) for path in self._folder.glob("**/evidence/*.json")]
        assert {path.parts[0] for path in evidence} == self._forfeits, f"forfeits or lost connections: {evidence}"

    def _wait(self) -> None:
        while self._meanwhile:
            block, program = self._meanwhile.pop(0)
            self._end(block, program, status=int(block.notes.get("exit", 0)))

    def leave(self) -> None:
        """End whatever is still running."""
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
        code = program.returncode if program.returncode >= 0 else 128 - program.returncode  # as a shell gives signals
        assert code == status, f"{block.place} ended with {code}:\n{printed}"
        return printed.splitlines()


def _words(line: str) -> list[str]:
    """What of a line is the same every day: nothing if it has a digit, else its words in any order, no letters."""
    return [] if re.search(r"\d", line) else sorted(re.findall(r"\w\w+", line))


def _kill(program: subprocess.Popen[str]) -> None:
    if program.poll() is None:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()

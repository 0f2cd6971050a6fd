"""An adapter as a process, with a program behind it and the arena before it played by the test."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.fixtures.arena_runs import environment
from tests.fixtures.fake_arena import FakeArena

PATIENCE_S = 30.0
"""Far more than anything here takes; what hangs fails its test."""
TOKEN = "open sesame"


class Behind:
    """An adapter that has connected and logged in."""

    def __init__(
        self, process: subprocess.Popen[str], arena: FakeArena, listener: socket.socket
    ) -> None:
        self.process = process
        self.arena = arena
        self._listener = listener

    def end(self) -> tuple[int, str]:
        """Hang up, wait until the adapter leaves: its exit status, and standard error."""
        self.arena.stream.shutdown(socket.SHUT_WR)
        return self.left()

    def left(self) -> tuple[int, str]:
        _, complaint = self.process.communicate(timeout=PATIENCE_S)
        assert TOKEN not in complaint
        return self.process.returncode, complaint

    def comes_back(self) -> FakeArena:
        self.arena.stream.close()
        self.arena = _accepted(self._listener)
        return self.arena


def _accepted(listener: socket.socket) -> FakeArena:
    stream, _ = listener.accept()
    arena = FakeArena(stream)
    stream.settimeout(PATIENCE_S)
    return arena


@contextmanager
def behind(
    folder: Path, *arguments: str, more: Mapping[str, str] | None = None
) -> Iterator[Behind]:
    """`arena adapter` with these arguments; it is ended whatever happens."""
    path = folder / "arena.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(PATIENCE_S)
        seat = {"ARENA_ADDRESS": f"unix:{path}", "ARENA_NAME": "anna", "ARENA_TOKEN": TOKEN}
        with subprocess.Popen(
            [sys.executable, "-m", "arena", "adapter", *arguments],
            env=environment(**seat, **(more or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            adapter = None
            try:
                adapter = Behind(process, _accepted(listener), listener)
                yield adapter
            finally:
                process.kill()
                if adapter is not None:
                    adapter.arena.stream.close()


@contextmanager
def playing(
    folder: Path, program: str, *options: str, games: tuple[int, ...] = (1,)
) -> Iterator[Behind]:
    """`arena adapter stdio` with a program in shell, logged in and at the beginning of a match with these games."""
    with behind(folder, "stdio", *options, "--", "sh", "-c", program) as adapter:
        adapter.arena.welcome()
        adapter.arena.start(*games)
        yield adapter


def assert_complains(*arguments: str, code: int, complaint: str) -> None:
    """`arena adapter` with nothing of an arena in its environment leaves with this exit status and message."""
    kept = {name: value for name, value in environment().items() if not name.startswith("ARENA_")}
    done = subprocess.run(
        [sys.executable, "-m", "arena", "adapter", *arguments],
        env=kept,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert complaint in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr

"""A sample bot as a process, and the arena it talks to, played by the test."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.protocol.fake_arena import FakeArena
from tests.sample_bots.workshop import ROOT, Sample, surroundings

NAME, TOKEN = "anna", "open sesame"
PATIENCE_S = 30.0
"""Far more than any bot takes on a busy machine; one that hangs fails its test."""


class Started:
    """A bot that has been started, with what it has written so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def end(self) -> tuple[int, str]:
        """Wait until it leaves: its exit status, and what it wrote to standard error."""
        said, complained = self._process.communicate(timeout=PATIENCE_S)
        assert TOKEN not in said + complained, "a bot never shows its token"
        return self._process.returncode, complained


@contextmanager
def started(sample: Sample, address: str, **more: str) -> Iterator[Started]:
    """The bot with this address in its environment, ended whatever happens."""
    given = {"ARENA_ADDRESS": address, "ARENA_NAME": NAME, "ARENA_TOKEN": TOKEN} | more
    with subprocess.Popen(
        sample.start_command(),
        cwd=ROOT,
        env=surroundings(**{name: value for name, value in given.items() if value}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Started(process)
        finally:
            process.kill()


class Door:
    """Where bots come in: a socket that listens, and an arena for every connection."""

    def __init__(self, listener: socket.socket, address: str) -> None:
        listener.settimeout(PATIENCE_S)
        self._listener = listener
        self.address = address

    @contextmanager
    def open(self) -> Iterator[FakeArena]:
        """Wait for a bot to connect; hang up at the end."""
        stream, _ = self._listener.accept()
        with stream:
            arena = FakeArena(stream)
            stream.settimeout(PATIENCE_S)
            yield arena


@contextmanager
def unix_door(folder: Path) -> Iterator[Door]:
    path = folder / "arena.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield Door(listener, f"unix:{path}")


@contextmanager
def tcp_door(host: str = "127.0.0.1") -> Iterator[Door]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        port = listener.getsockname()[1]
        yield Door(listener, f"tcp:[{host}]:{port}" if ":" in host else f"tcp:{host}:{port}")

"""GNU Backgammon as a bot, through the socket of its external player."""

import os
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from arena.adapters.backgammon import START_SECONDS, VERSION_CHARS, Engine
from arena.adapters.child import AdapterError, Child
from arena.own_programs import GAMES, find_program
from protocol.client import run

_LOOK_SECONDS: Final = 0.02
_ANSWER_BYTES: Final = 4096
_HOW_TO_INSTALL: Final = (
    "install it (Debian, Ubuntu: apt-get install gnubg), or say where it is with --gnubg PATH"
)
_COMMANDS: Final = """\
set threads 1
set evaluation chequerplay type evaluation
set evaluation chequerplay evaluation plies {plies}
set evaluation chequerplay evaluation cubeful off
set evaluation chequerplay evaluation noise 0
set jacoby off
external 127.0.0.1:{port}
"""
"""The commands before it waits for boards: one thread, a fixed depth, no noise, no cube.

Under the Jacoby rule gammons would only count after a double.
"""


class Gnubg(Engine):
    """GNU Backgammon, waiting for boards; `engine` creates it."""

    name = "gnubg"

    def __init__(self, stream: socket.socket, output: Path, plies: int) -> None:
        """Take the version that it has printed at its start, such as `1.07.001`."""
        self._stream = stream
        self._output = output
        self._unread = b""
        number = ""
        printed = re.search(r"GNU Backgammon (\S+)", output.read_text("utf-8", "replace"))
        if printed is not None:
            number = printed[1]
        self.version = f"GNU Backgammon {number}, {plies} plies"[:VERSION_CHARS]

    def ask(self, line: str, within_s: float) -> str:
        """Send a line and return its answer.

        Raises `AdapterError` if it is late, gone, or calls the line an error.
        """
        self._stream.settimeout(within_s)
        try:
            self._stream.sendall(f"{line}\n".encode())
            while b"\n" not in self._unread:
                received = self._stream.recv(_ANSWER_BYTES)
                if not received:
                    raise AdapterError(f"gnubg has ended; its last words: {self.last_words()}")
                self._unread += received
        except TimeoutError:
            raise AdapterError(
                f"gnubg has not answered within {within_s:.0f} s, when the time for the turn "
                "was up; use fewer --plies"
            ) from None
        except OSError as error:
            raise AdapterError(
                f"gnubg cannot be reached any more: {error}; its last words: {self.last_words()}"
            ) from error
        answer, _, self._unread = self._unread.partition(b"\n")
        text = answer.decode("ascii", "replace")
        if text.startswith("Error"):
            raise AdapterError(f"gnubg answered {text!r} to {line!r}")
        return text

    def last_words(self) -> str:
        """Return the last line it printed."""
        lines = self._output.read_text("utf-8", "replace").split("\n")
        for line in reversed(lines):
            if line.strip():
                return line.strip()
        return "none"


@contextmanager
def engine(path: str | None, plies: int) -> Iterator[Gnubg]:
    """Run GNU Backgammon with its own home folder; end and remove both afterwards.

    Raises `AdapterError`.
    """
    program = find_program(path or "gnubg")
    if program is None:
        where = f"in the folders of PATH or in {GAMES}"
        if path:
            where = f"at {path!r}"
        raise AdapterError(f"there is no program gnubg {where}; {_HOW_TO_INSTALL}")
    with tempfile.TemporaryDirectory(prefix="arena-gnubg-") as folder:
        home = Path(folder)
        with socket.socket() as trial:  # newer versions of gnubg refuse Unix sockets
            trial.bind(("127.0.0.1", 0))
            _, port = trial.getsockname()
        (home / "commands").write_text(_COMMANDS.format(plies=plies, port=port), encoding="ascii")
        output = home / "output"
        with (home / "commands").open("rb") as commands, output.open("wb") as printed:
            child = Child(
                [str(Path(program).absolute()), "--tty", "--quiet", "--no-rc"],
                stdin=commands.fileno(),
                stdout=printed,
                stderr=subprocess.STDOUT,
                environment={
                    "PATH": os.environ.get("PATH", os.defpath),
                    "HOME": folder,
                    "LC_ALL": "C",
                },
                directory=home,
            )
        try:
            with _connect(child, port, output) as stream:
                yield Gnubg(stream, output, plies)
        finally:
            child.end(0)  # it would wait for the next connection for ever


def play_gnubg(address: str, name: str, token: str, *, path: str | None = None, plies: int) -> int:
    """Play GNU Backgammon at an address until goodbye; returns the exit code.

    Raises `AdapterError`.
    """
    with engine(path, plies) as playing:
        return run(playing, address, name, token)


def _connect(child: Child, port: int, output: Path) -> socket.socket:
    """Wait until gnubg listens; first it loads its networks."""
    give_up = time.monotonic() + START_SECONDS
    while True:
        try:
            stream = socket.create_connection(("127.0.0.1", port), START_SECONDS)
        except ConnectionRefusedError:
            pass
        else:
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return stream
        if child.has_ended():
            printed = output.read_text("utf-8", "replace").strip()
            last = printed[-500:] or "nothing"
            raise AdapterError(
                f"gnubg {child.how_it_ended()} before it could be asked; it said: {last}"
            )
        if time.monotonic() > give_up:
            raise AdapterError(
                f"gnubg does not listen at port {port} of loopback after {START_SECONDS:.0f} s"
            )
        time.sleep(_LOOK_SECONDS)

"""A supervisor under a test's control."""

import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from arena.server.programs.cpu_share import AwaitedTime

SUPERVISOR = "import sys; from arena.server.programs.supervisor import Supervisor; Supervisor(sys.argv[1:]).run()"
"""Starts a supervisor in a process of its own; the arena has them forked."""


@dataclass(frozen=True)
class Supervised:
    """A supervisor under a test's control, and the word by which its processes are found."""

    process: subprocess.Popen[bytes]
    arena: socket.socket
    word: str

    def hear(self) -> str:
        """The next line."""
        line = b""
        while not line.endswith(b"\n"):
            data = self.arena.recv(1)
            assert data, "it has ended without a word"
            line += data
        return line.decode().rstrip("\n")


@contextmanager
def supervised(
    way: list[str],
    *limits: int,
    run: str,
    awaited: AwaitedTime | None = None,
    may_ponder: bool = False,
    groups: str = "",
    is_heard: bool = True,
) -> Iterator[Supervised]:
    """Supervise a shell script, and read the first word if it `is_heard`; `limits` are MEMORY_MIB CPU_MS PROCESSES OPEN_FILES FILE_MIB."""
    inherited = -1 if awaited is None else awaited.descriptor
    word = f"mark-{uuid.uuid4().hex}"
    kept = () if awaited is None else (inherited,)
    ours, theirs = socket.socketpair()
    numbers = [
        *map(str, limits or (256, 60_000, 32, 256, 8)),
        str(int(may_ponder)),
        str(inherited),
        groups,
        "0",
        "0",
    ]
    line = [sys.executable, *way, *numbers, "bash", "-c", run, word]
    with (
        ours,
        theirs,
        subprocess.Popen(line, stdin=theirs, stderr=subprocess.PIPE, pass_fds=kept) as process,
    ):
        theirs.close()
        ours.settimeout(30)
        try:
            one = Supervised(process, ours, word)
            if is_heard:
                assert one.hear() == f"started {process.pid}"
            yield one
        finally:
            ours.close()
            process.wait(timeout=120)

"""Programs that misbehave when the arena launches them: `python -m arena.torture.programs FAULT MARK`.

MARK is a word that stands on the command line of the program and of every child of it, so that whatever is left of them
can be found from outside. The fault comes at the third turn; when it comes is told on standard error. Two do what they
do before they log in: `crowd`, and `late`, which is the honest bot that comes when the crowd is there.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Callable

from protocol.client import Bot, Choice, TurnView, connect, play_over

AT_TURN = 3
CHILDREN = 200
MEMORY_BYTES = 2 * 1024**3
STEP_BYTES = 32 * 1024**2
FLOODERS = 10
CONNECTIONS = 34
"""For each of them: together more than the arena serves."""
LATE_SECONDS = 3
THINK_SECONDS = 10
"""Long enough to be looked at, even where the machine is busy: else the match may be over before."""
WANTED = (".jsonl", ".token", "secrets.json", "plan.toml")
"""The ends of the names of what a bot may not see: records, tokens, the key of the dice, the tournament file."""
NOT_LOOKED_AT = ("/dev", "/proc", "/sys", "/usr")
MARKS = sys.argv[2:3]
LINGER_SECONDS = 60
"""How long what is left behind would live if nobody ended it."""


def children() -> None:
    """Start 200 children that sleep, think for a while, and play on."""
    for _ in range(CHILDREN):
        if os.fork() == 0:
            time.sleep(LINGER_SECONDS)
            os._exit(0)
    time.sleep(THINK_SECONDS)


def memory() -> None:
    """Take 2 GiB, every page of it, think for a while, and play on."""
    taken = []
    for _ in range(MEMORY_BYTES // STEP_BYTES):
        taken.append(bytearray(os.urandom(1)) * STEP_BYTES)
        time.sleep(0.01)
    time.sleep(THINK_SECONDS)


def output() -> None:
    """Write to both streams without end."""
    while True:
        os.write(1, b"out" * 10_000)
        os.write(2, b"err" * 10_000)


def stays() -> None:
    """Ignore SIGTERM from now on, leave a child that does so too, and play on."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(LINGER_SECONDS)
        os._exit(0)


def looks() -> None:
    """Look for records, keys and tokens on the whole machine, leave if one can be read, and play on if not."""
    for start in ("/", MARKS[0]):
        for place, folders, files in os.walk(start):
            folders[:] = [name for name in folders if f"{place}{name}" not in NOT_LOOKED_AT]
            for name in files:
                if name.endswith(WANTED) and _can_read(f"{place}/{name}"):
                    sys.exit(f"{place}/{name} can be read")


def _can_read(path: str) -> bool:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - as the path was found
            return bool(file.read(1))
    except OSError:
        return False


FAULTS: dict[str, Callable[[], None]] = {
    "children": children,
    "memory": memory,
    "output": output,
    "stays": stays,
    "looks": looks,
}


class Faulty(Bot):
    """Plays the first legal turn, and has one fault."""

    version = "1"
    wants = ("legal",)

    def __init__(self, fault: Callable[[], None]) -> None:
        """Know what to do wrong."""
        self._fault = fault
        self._turns = 0

    def play(self, turn: TurnView) -> Choice:  # noqa: ARG002 - the first is always legal
        """Commit the fault at the third turn."""
        self._turns += 1
        if self._turns == AT_TURN:
            os.write(2, f"fault at {time.monotonic()}\n".encode())
            self._fault()
        return Choice(0)


def crowd() -> None:
    """Connect, have children in sessions of their own open hundreds of connections, and play."""
    mine = connect(os.environ["ARENA_ADDRESS"])
    for _ in range(FLOODERS):
        if os.fork() == 0:
            os.setsid()
            held = []
            for _ in range(CONNECTIONS):
                held.append(socket.socket(socket.AF_UNIX))
                held[-1].connect(os.environ["ARENA_ADDRESS"].removeprefix("unix:"))
            time.sleep(LINGER_SECONDS)
            os._exit(0)
    sys.exit(play_over(mine, Faulty(_nothing), os.environ["ARENA_NAME"], os.environ["ARENA_TOKEN"]))


def late() -> None:
    """Take long to start, and play without a fault."""
    time.sleep(LATE_SECONDS)
    Faulty(_nothing).main()


def _nothing() -> None:
    pass


WHOLE: dict[str, Callable[[], None]] = {"crowd": crowd, "late": late}
"""Programs that do something before they log in."""


if __name__ == "__main__":
    word = sys.argv[1]
    del sys.argv[1:]  # the kit reads what is left; the system keeps the command line as it was
    if word in WHOLE:
        WHOLE[word]()
    chosen = FAULTS[word]
    Faulty(chosen).main()
    time.sleep(LINGER_SECONDS if chosen is stays else 0)

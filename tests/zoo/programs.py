"""Programs that misbehave when the arena launches them: `python programs.py FAULT MARK [TURN]`.

MARK is a word on the command line of the program and of all its children, so that those left behind
can be found from outside. The fault comes at the third turn, or at the one given; the program says
so on standard error. The faults of `WHOLE` come before the login; `late` and `steady` are honest
bots, opponents of others.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable

from protocol.client import Bot, Choice, TurnView, connect, play_over
from protocol.client.dice import SeenMatch
from protocol.messages import MatchEntropy, MatchReveal

AT_TURN = 3
CRASHED, REFUSED = 7, 3
"""Exit statuses, so that each can be told from any other."""
CHILDREN = 200
MEMORY_BYTES = 2 * 1024**3
STEP_BYTES = 32 * 1024**2
CHATTER_BYTES = 10_000_000
BURNERS = 40
STEADY_SECONDS = 0.05
"""CPU time that `steady` takes for each turn."""
FLOODERS = 10
CONNECTIONS = 34
"""Connections of each child: together more than the arena serves."""
LATE_SECONDS = 3
THINK_SECONDS = 10
"""Long enough to be noticed, even if the machine is busy: else the match may be over before."""
WANTED = (".jsonl", ".token", "secrets.json", "plan.toml")
"""The endings of names that a bot may not see: records, tokens, the key of the dice, the tournament
file."""
NOT_LOOKED_AT = ("/dev", "/proc", "/sys", "/usr")
MARKS = sys.argv[2:3]
LINGER_SECONDS = 60
"""How long processes left behind would live if nobody ended them."""


def crash() -> None:
    """End at once."""
    os._exit(CRASHED)


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


def memfds() -> None:
    """Write 200 MiB into memory that is mapped nowhere, think for a while, and play on."""
    for _ in range(5):
        file = os.memfd_create("hoard")
        for _ in range(40):
            os.write(file, bytes(1 << 20))
    time.sleep(THINK_SECONDS)


def output() -> None:
    """Write to both streams without end."""
    while True:
        os.write(1, b"out" * 10_000)
        os.write(2, b"err" * 10_000)


def chatter() -> None:
    """Write 10 MB to both streams, and play on."""
    for stream in (1, 2):
        written = 0
        while written < CHATTER_BYTES:
            written += os.write(stream, b"chatter\n" * 1000)


def thinking() -> None:
    """Have a child use the processor without end, and wait for it."""
    if os.fork() == 0:
        while True:
            pass
    os.wait()


def burners() -> None:
    """Leave 40 children in sessions of their own that use the processor without end, and play on."""
    for _ in range(BURNERS):
        if os.fork() == 0:
            os.setsid()
            end = time.monotonic() + LINGER_SECONDS
            while time.monotonic() < end:
                pass
            os._exit(0)


def file() -> None:
    """Write a file without end; the error of the system ends the program."""
    with tempfile.TemporaryFile() as endless:
        while True:
            endless.write(bytes(STEP_BYTES))
            endless.flush()


def daemon() -> None:
    """Leave a daemon, outside the family, the group and the session, that ignores all signals it can, and play on."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    time.sleep(LINGER_SECONDS)
    os._exit(0)


def stays() -> None:
    """Ignore SIGTERM from now on, leave a child that does so too, and play on."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(LINGER_SECONDS)
        os._exit(0)


def looks() -> None:
    """Look for records, keys and tokens on the whole machine; leave if one can be read, else play on."""
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
    fault.__name__: fault
    for fault in (
        crash,
        children,
        memory,
        memfds,
        output,
        chatter,
        thinking,
        burners,
        file,
        daemon,
        stays,
        looks,
    )
}


class Faulty(Bot):
    """Plays the first legal turn, and has one fault at one turn."""

    version = "1"
    wants = ("legal",)
    receipts = None

    def __init__(self, fault: Callable[[], None], at_turn: int = AT_TURN) -> None:
        """Set the fault and its turn."""
        self._fault = fault
        self._at_turn = at_turn
        self._turns = 0

    def play(self, turn: TurnView) -> Choice:
        """Commit the fault when it is due."""
        self._turns += 1
        if self._turns == self._at_turn:
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


def exits() -> None:
    """End before connecting."""
    sys.exit(REFUSED)


def stranger() -> None:
    """Connect, and never log in."""
    connection = connect(os.environ["ARENA_ADDRESS"])
    while connection.recv(STEP_BYTES):
        pass


def late() -> None:
    """Take long to start, and play without a fault."""
    time.sleep(LATE_SECONDS)
    Faulty(_nothing).main()


class Steady(Faulty):
    """Takes so much CPU time for every turn."""

    def play(self, turn: TurnView) -> Choice:
        """Use it up, and play the first legal turn."""
        end = time.process_time() + STEADY_SECONDS
        while time.process_time() < end:
            pass
        return super().play(turn)


def steady() -> None:
    """Take 50 ms of CPU time for every turn, and play without a fault."""
    Steady(_nothing).main()


def _nothing() -> None:
    pass


def otherwise() -> None:
    """Reveal other entropy than it has committed to."""

    def reveal(_: SeenMatch, asked: MatchReveal) -> MatchEntropy:
        return MatchEntropy(match=asked.match, entropy=b"another")

    SeenMatch.reveal = reveal  # type: ignore[assignment, method-assign]
    Faulty(_nothing).main()


def secretive() -> None:
    """Commit to entropy, and reveal nothing for a long time."""

    def reveal(_: SeenMatch, asked: MatchReveal) -> MatchEntropy:
        time.sleep(LINGER_SECONDS)
        return MatchEntropy(match=asked.match, entropy=b"late")

    SeenMatch.reveal = reveal  # type: ignore[assignment, method-assign]
    Faulty(_nothing).main()


WHOLE: dict[str, Callable[[], None]] = {
    whole.__name__: whole for whole in (crowd, exits, stranger, late, steady, otherwise, secretive)
}
"""Programs that do something wrong before the first game, or before they log in."""


def main() -> None:
    """Run the program that the command line names."""
    _, word, _, *rest = sys.argv
    del sys.argv[1:]  # the kit reads the rest; the system keeps the whole command line
    if word in WHOLE:
        WHOLE[word]()
        return
    chosen = FAULTS[word]
    at_turn = int(rest[0]) if rest else AT_TURN
    try:
        Faulty(chosen, at_turn).main()
    finally:  # the kit exits
        time.sleep(LINGER_SECONDS if chosen is stays else 0)


if __name__ == "__main__":
    main()

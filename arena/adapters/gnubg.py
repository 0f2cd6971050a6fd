"""GNU Backgammon as a bot, through the socket of its external player.

It speaks the format of FIBS, http://www.fibs.com/fibs_interface.html#board_state, as far as GNU Backgammon reads it.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from arena.adapters.child import AdapterError, Child
from protocol.client import Bot, MatchStart, Moves, TurnView, run

RULESETS: Final = ("backgammon", "backgammon+gammons")
BAR: Final = 0
OFF: Final = 25
_ONE_POINT: Final = 1
_UNLIMITED: Final = 9999
"""The length of an unlimited match in FIBS; gammons count in it, while they do not in a match to one point."""
_MOVE: Final = re.compile(r"(\d{1,2})/(\d{1,2})\*?")
_DEBIAN_HOME: Final = "/usr/games"
"""Debian's folder of gnubg, which is often not in PATH."""
_START_SECONDS: Final = 30.0
_LOOK_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 10.0
"""How much longer than its clock allows a turn may take before the adapter gives up."""
_ANSWER_BYTES: Final = 4096
_HOW_TO_INSTALL: Final = "install it (Debian, Ubuntu: apt-get install gnubg), or say where it is with --gnubg PATH"
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


def format_board(position: Mapping[str, Any], dice: Sequence[int], *, gammons: bool) -> str:
    """The line that asks for the best turn.

    `position` is as on the wire, from the mover's view. The mover plays the positive colour upwards, from the bar at 0
    to 25, so that all numbers are those of its own path. The cube is in the middle at 1, and both may double, because
    "neither may" would mean that a double has just been offered; the evaluation ignores it.
    """
    my_bar, their_bar = position["bar"]
    my_off, their_off = position["off"]
    fields = [
        *(_UNLIMITED if gammons else _ONE_POINT, 0, 0),  # length of the match, my score, theirs
        *(my_bar, *position["points"], -their_bar),
        1,  # whose turn: the positive colour's
        *(*dice, 0, 0),  # my dice, theirs
        *(1, 1, 1, 0),  # cube, may I double, may they, was it doubled
        *(1, 1),  # my colour: positive; my direction: upwards
        *(OFF, BAR),
        *(my_off, their_off, my_bar, their_bar),
        *(0, 0, 0, 0),  # moves left, forced, Crawford, redoubles: ignored
    ]
    return f"board:me:other:{':'.join(map(str, fields))}"


def parse_turn(text: str) -> list[list[int]]:
    """The moves of an answer, such as `24/18 18/13*`, along the mover's own path; empty for a pass.

    GNU Backgammon counts down: 25 is the bar, 24 the point farthest from home, 0 is off. Raises `AdapterError`.
    """
    moves = []
    for word in text.split():
        found = _MOVE.fullmatch(word)
        if found is None or max(places := [OFF - int(number) for number in found.groups()]) > OFF or min(places) < BAR:
            raise AdapterError(f"gnubg answered {text!r}; expected moves such as 24/18 18/13*, 25 the bar and 0 off")
        moves.append(places)
    return moves


class Engine:
    """GNU Backgammon, waiting for boards; `engine` creates it."""

    def __init__(self, stream: socket.socket, output: Path) -> None:
        self._stream = stream
        self._output = output
        self._unread = b""

    @property
    def version(self) -> str:
        """The version that it prints at its start, such as `1.07.001`; empty if it prints none."""
        said = re.search(r"GNU Backgammon (\S+)", self._output.read_text("utf-8", "replace"))
        return said[1] if said else ""

    def ask(self, line: str, within_s: float) -> str:
        """Send a line and return its answer. Raises `AdapterError` if it is late, gone, or calls the line an error."""
        self._stream.settimeout(within_s)
        try:
            self._stream.sendall(f"{line}\n".encode())
            while b"\n" not in self._unread:
                data = self._stream.recv(_ANSWER_BYTES)
                if not data:
                    raise AdapterError(f"gnubg has ended; its last words: {self.last_words()}")
                self._unread += data
        except TimeoutError:
            raise AdapterError(
                f"gnubg has not answered within {within_s:.0f} s, when the time for the turn was up; use fewer --plies"
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
        """The last line it printed."""
        lines = self._output.read_text("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "none")


@contextmanager
def engine(path: str | None, plies: int) -> Iterator[Engine]:
    """GNU Backgammon in a process with a home folder of its own; both are removed at the end. Raises `AdapterError`."""
    program = shutil.which(path or "gnubg") or (None if path else shutil.which("gnubg", path=_DEBIAN_HOME))
    if program is None:
        where = f"at {path!r}" if path else f"in the folders of PATH or in {_DEBIAN_HOME}"
        raise AdapterError(f"there is no program gnubg {where}; {_HOW_TO_INSTALL}")
    with tempfile.TemporaryDirectory(prefix="arena-gnubg-") as folder:
        home = Path(folder)
        with socket.socket() as trial:  # newer versions of gnubg refuse Unix sockets
            trial.bind(("127.0.0.1", 0))
            port = trial.getsockname()[1]
        (home / "commands").write_text(_COMMANDS.format(plies=plies, port=port), encoding="ascii")
        output = home / "output"
        with (home / "commands").open("rb") as commands, output.open("wb") as printed:
            child = Child(
                [str(Path(program).absolute()), "--tty", "--quiet", "--no-rc"],
                stdin=commands.fileno(),
                stdout=printed,
                stderr=subprocess.STDOUT,
                environment={"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "LC_ALL": "C"},
                directory=home,
            )
        try:
            with _connect(child, port, output) as stream:
                yield Engine(stream, output)
        finally:
            child.end(0)  # it would wait for the next connection for ever


class GnubgBot(Bot):
    """Plays the best turns according to GNU Backgammon, without a cube."""

    name = "gnubg"
    receipts = None

    def __init__(self, playing: Engine, plies: int) -> None:
        self._engine = playing
        self.version = f"GNU Backgammon {playing.version}, {plies} plies"[:64]

    def match_start(self, match: MatchStart) -> None:
        """Refuse games that it does not play. Raises `AdapterError`: the match is not one of backgammon."""
        name = match.ruleset["name"]
        if name not in RULESETS:
            raise AdapterError(
                f"gnubg plays {' and '.join(RULESETS)} only, not {name}; sample_bots/random plays everything"
            )

    def play(self, turn: TurnView) -> Moves:
        """Ask for a turn, and wait as long as the clock allows."""
        gammons = bool(turn.ruleset["fields"]["gammons"])
        time_s = turn.limit_ms / 1000 + _PATIENCE_SECONDS
        answer = self._engine.ask(format_board(turn.position, turn.dice, gammons=gammons), time_s)
        return Moves(parse_turn(answer))


def play_gnubg(address: str, name: str, token: str, *, path: str | None = None, plies: int) -> int:
    """Play GNU Backgammon at an address until goodbye; returns the exit code. Raises `AdapterError`."""
    with engine(path, plies) as playing:
        return run(GnubgBot(playing, plies), address, name, token)


def _connect(child: Child, port: int, output: Path) -> socket.socket:
    """Wait until gnubg listens; first it loads its networks."""
    give_up = time.monotonic() + _START_SECONDS
    while True:
        try:
            stream = socket.create_connection(("127.0.0.1", port), _START_SECONDS)
        except ConnectionRefusedError:
            pass
        else:
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return stream
        if child.has_ended():
            said = output.read_text("utf-8", "replace").strip()
            raise AdapterError(
                f"gnubg {child.how_it_ended()} before it could be asked; it said: {said[-500:] or 'nothing'}"
            )
        if time.monotonic() > give_up:
            raise AdapterError(f"gnubg does not listen at port {port} of loopback after {_START_SECONDS:.0f} s")
        time.sleep(_LOOK_SECONDS)

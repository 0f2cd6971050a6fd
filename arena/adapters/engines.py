"""Engines of backgammon behind lines of text: those that speak UBGI, and those that answer a board of FIBS.

UBGI, the Universal Backgammon Interface, has three drafts. In the first, 0.01 by Øystein
Schønning-Johansen, an engine answers `ubgi` with `readyok`, and a board of FIBS with a move. In 0.1
and 0.2 of the runner bgci it answers with `ubgiok`, and is given a position ID and dice; 0.2 says
`proto 0.2`, and sets options in another way.
"""

import time
from collections.abc import Callable, Sequence
from typing import Final

from arena.adapters.backgammon import START_SECONDS, Engine, EngineBot, format_position_id
from arena.adapters.child import AdapterError
from arena.adapters.stdio import LineProgram, shown
from protocol import client
from protocol.client import TurnView

_GREETING_SECONDS: Final = 8.0
"""How long an answer to `ubgi` may take: less than the arena waits for a bot by default, so that it
hears why."""
_MOST_LINES: Final = 10_000
"""So many lines may come before the one that is waited for."""
_REFUSALS: Final = ("error", "sorry")


class LineEngine(Engine):
    """An engine that answers each board of FIBS with a line."""

    name = "the program"
    version = "boards of FIBS"

    def __init__(self, program: LineProgram, *, answer_word: str = "") -> None:
        """With an `answer_word` lines that do not begin with it are skipped, and it is no part of the answer."""
        self._program = program
        self._answer_word = answer_word
        self._lines: list[bytes] = []

    def ask(self, line: str, within_s: float) -> str:
        """Send a line and return the line that answers it."""
        self._say(line)
        return self._await((self._answer_word,), line, within_s)[-1].removeprefix(self._answer_word)

    def _say(self, line: str) -> None:
        self._program.say(f"{line}\n".encode())

    def _await(self, words: Sequence[str], asked: str, within_s: float) -> list[str]:
        """Return what comes up to a line that begins with one of these words; an empty one is that of any line."""
        give_up = time.monotonic() + within_s
        said: list[str] = []
        while True:
            while not self._lines:
                left_s = give_up - time.monotonic()
                if left_s <= 0:
                    last = f"its last line is {said[-1]!r}" if said else "it has written nothing"
                    wanted = " or ".join(map(repr, filter(None, words))) or "its moves"
                    raise AdapterError(
                        f"{self.name} has not answered {asked!r} within {within_s:.0f} s; expected a line that begins "
                        f"with {wanted}, and {last}. If it has answered, have it flush its output after every line"
                    )
                self._program.wait_with(None, left_s)
                self._lines += self._program.lines()
            line = self._lines.pop(0)
            if len(said) == _MOST_LINES:
                raise AdapterError(
                    f"{self.name} has written {_MOST_LINES} lines and no answer to {asked!r}"
                )
            said.append(line.decode("utf-8", "replace").strip())
            word = said[-1].partition(" ")[0]
            if word in _REFUSALS:
                raise AdapterError(f"{self.name} answered {shown(line)} to {asked!r}")
            if "" in words or word in words:
                return said


class UbgiEngine(LineEngine):
    """An engine that speaks UBGI, of any draft."""

    def __init__(self, program: LineProgram, *, settings: Sequence[tuple[str, str]] = ()) -> None:
        """Greet it, and set its options.

        Raises `AdapterError`: it does not greet back, or refuses one.
        """
        super().__init__(program)
        self._say("ubgi")
        said = self._await(("ubgiok", "readyok"), "ubgi", _GREETING_SECONDS)
        names = [line.removeprefix("id name ") for line in said if line.startswith("id name ")]
        self.version = f"{names[0] if names else 'nameless'}, UBGI"
        self._reads_boards = said[-1] == "readyok"
        self._is_second = "proto 0.2" in said
        self._knows_sessions = True
        if settings and self._reads_boards:
            raise AdapterError(
                f"{self.name} speaks the first draft of UBGI, which has no options; leave out --set"
            )
        for option, value in settings:
            self._settle(
                f"set {option} {value}"
                if self._is_second
                else f"setoption name {option} value {value}"
            )
        if not self._reads_boards:
            self._settle()

    def new_game(self) -> None:
        """Tell it of the game, and whether gammons count; an engine that cannot be told the latter is reported once."""
        if self._reads_boards:
            return
        self._settle("newgame")
        if not self._knows_sessions:
            return
        try:
            self._settle(
                "newsession type money jacoby off"
                if self.gammons
                else "newsession type match length 1"
            )
        except AdapterError as error:
            client.tell(f"{error}; it plays on, and does not know whether gammons count")
            self._knows_sessions = False
            self._await(("readyok",), "isready", START_SECONDS)

    def best_turn(self, turn: TurnView, within_s: float) -> str:
        """Give it the position and the dice, and return its best move."""
        if self._reads_boards:
            return super().best_turn(turn, within_s)
        go = "go chequer" if self._is_second else "go role chequer"
        for line in (
            f"position gnubgid {format_position_id(turn.position)}",
            f"dice {turn.dice[0]} {turn.dice[1]}",
            go,
        ):
            self._say(line)
        return self._await(("bestmove",), go, within_s)[-1].removeprefix("bestmove")

    def _settle(self, *lines: str) -> None:
        """Send lines that have no answer of their own, and wait until they are done."""
        for line in (*lines, "isready"):
            self._say(line)
        self._await(("readyok",), " ".join(lines) or "isready", START_SECONDS)


def play_engine(
    command: Sequence[str],
    greet: Callable[[LineProgram], Engine],
    address: str,
    name: str,
    token: str,
) -> int:
    """Play an engine at an address until goodbye; returns the exit code.

    Raises `AdapterError` if it fails.
    """
    program = LineProgram(command)
    try:
        return client.run(EngineBot(greet(program)), address, name, token)
    finally:
        program.end()

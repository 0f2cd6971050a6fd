"""Engines of backgammon behind lines of text: they speak UBGI, or answer a board of FIBS.

UBGI, the Universal Backgammon Interface, has three drafts. In the first, 0.01 by Øystein
Schønning-Johansen, an engine answers `ubgi` with `readyok`, and a board of FIBS with a move. In 0.1
and 0.2 of the runner bgci it answers with `ubgiok`, and gets a position ID and dice; 0.2 says
`proto 0.2`, and sets options in another way.
"""

import time
from collections.abc import Sequence
from typing import Final

from arena.adapters.backgammon import START_SECONDS, VERSION_CHARS, Engine
from arena.adapters.child import AdapterError
from arena.adapters.stdio import LineProgram, shown
from arena.games.position_ids.gnubg import format_position_id
from arena.games.position_ids.written import to_written
from protocol import client
from protocol.client import TurnView

_GREETING_SECONDS: Final = 8.0
"""Time for an answer to `ubgi`.

It is less than the arena waits for a bot by default, so that the arena is told the reason.
"""
_MOST_LINES: Final = 10_000
"""Lines that an engine may write before the answer."""
_REFUSALS: Final = ("error", "sorry")


class LineEngine(Engine):
    """An engine that answers each board of FIBS with a line."""

    name = "the program"
    version = "boards of FIBS"

    def __init__(self, program: LineProgram, *, answer_word: str = "") -> None:
        """Take a running program.

        With an `answer_word`, lines that do not begin with it are skipped. The word itself is no
        part of the answer.
        """
        self._program = program
        self._answer_word = answer_word
        self._lines: list[bytes] = []

    def ask(self, line: str, within_s: float) -> str:
        """Send a line and return the line that answers it."""
        self._say(line)
        answer = self._await((self._answer_word,), line, within_s)[-1]
        return answer.removeprefix(self._answer_word)

    def _say(self, line: str) -> None:
        self._program.say(f"{line}\n".encode())

    def _await(self, words: Sequence[str], question: str, within_s: float) -> list[str]:
        """Return the lines up to one that begins with one of these words; "" begins every line."""
        give_up = time.monotonic() + within_s
        answers: list[str] = []
        while True:
            line = self._next_line(give_up)
            if line is None:
                raise self._late(words, question, within_s, answers)
            if len(answers) == _MOST_LINES:
                raise AdapterError(
                    f"{self.name} has written {_MOST_LINES} lines and no answer to {question!r}"
                )
            answer = line.decode("utf-8", "replace").strip()
            answers.append(answer)
            word, _, _ = answer.partition(" ")
            if word in _REFUSALS:
                raise AdapterError(f"{self.name} answered {shown(line)} to {question!r}")
            if "" in words or word in words:
                return answers

    def _next_line(self, give_up: float) -> bytes | None:
        """Wait for the next line; None if there is none at this time of the monotonic clock."""
        while not self._lines:
            wait_s = give_up - time.monotonic()
            if wait_s <= 0:
                return None
            self._program.wait_with(None, wait_s)
            self._lines += self._program.lines()
        return self._lines.pop(0)

    def _late(
        self, words: Sequence[str], question: str, within_s: float, answers: Sequence[str]
    ) -> AdapterError:
        """Make the error for an answer that did not come in time."""
        expected = " or ".join(map(repr, filter(None, words))) or "its moves"
        last = "it has written nothing"
        if answers:
            last = f"its last line is {answers[-1]!r}"
        return AdapterError(
            f"{self.name} has not answered {question!r} within {within_s:.0f} s; "
            f"expected a line that begins with {expected}, and {last}. "
            "If it has answered, have it flush its output after every line"
        )


class UbgiEngine(LineEngine):
    """An engine that speaks UBGI, of any draft."""

    def __init__(self, program: LineProgram, *, settings: Sequence[tuple[str, str]] = ()) -> None:
        """Greet it, and set its options.

        Raises `AdapterError`: it does not greet back, or refuses one.
        """
        super().__init__(program)
        self._say("ubgi")
        greeting = self._await(("ubgiok", "readyok"), "ubgi", _GREETING_SECONDS)
        names = [line for line in greeting if line.startswith("id name ")]
        name = names[0].removeprefix("id name ") if names else "nameless"
        self.version = f"{name}, UBGI"[:VERSION_CHARS]
        self._reads_boards = greeting[-1] == "readyok"
        self._is_second = "proto 0.2" in greeting
        self._knows_sessions = True
        if settings and self._reads_boards:
            raise AdapterError(
                f"{self.name} speaks the first draft of UBGI, which has no options; leave out --set"
            )
        for option, choice in settings:
            if self._is_second:
                self._settle(f"set {option} {choice}")
            else:
                self._settle(f"setoption name {option} value {choice}")
        if not self._reads_boards:
            self._settle()

    def game_start(self, start: client.GameStart) -> None:  # noqa: ARG002 - the kit's signature
        """Tell it that a game begins, and whether gammons count.

        An engine that does not know sessions cannot be told the latter; that is reported once.
        """
        if self._reads_boards:
            return
        self._settle("newgame")
        if not self._knows_sessions:
            return
        session = "newsession type match length 1"
        if self.gammons:
            session = "newsession type money jacoby off"
        try:
            self._settle(session)
        except AdapterError as error:
            client.tell(f"{error}; it plays on, and does not know whether gammons count")
            self._knows_sessions = False
            self._await(("readyok",), "isready", START_SECONDS)

    def best_turn(self, turn: TurnView, within_s: float) -> str:
        """Give it the position and the dice, and return its best move."""
        if self._reads_boards:
            return super().best_turn(turn, within_s)
        go = "go chequer" if self._is_second else "go role chequer"
        first, second = turn.dice
        written = to_written(turn.position, tuple(turn.dice), gammons=self.gammons)
        self._say(f"position gnubgid {format_position_id(written)}")
        self._say(f"dice {first} {second}")
        self._say(go)
        answer = self._await(("bestmove",), go, within_s)[-1]
        return answer.removeprefix("bestmove")

    def _settle(self, *lines: str) -> None:
        """Send lines that have no answer of their own, and wait until they are done."""
        for line in lines:
            self._say(line)
        self._say("isready")
        question = " ".join(lines) or "isready"
        self._await(("readyok",), question, START_SECONDS)

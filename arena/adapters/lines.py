"""The messages of the protocol as JSON lines, and the answers of a program that reads them (docs/adapters.md).

Pure: bytes in, values out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

import msgspec

from arena.adapters.errors import AdapterError
from protocol.client import CallView, TurnView
from protocol.fields import Count, Handle, Move, TurnNumber
from protocol.messages import Called, FromArena, Play

LINE_BYTES: Final = 64 * 1024
"""The longest line of an answer, the same as the longest frame of a bot."""
_SHOWN_BYTES: Final = 200
_EXPECTED: Final = 'expected one answer a line, such as {"choice": 0} or {"moves": [[1, 7], [7, 9]]}'

View = TurnView | CallView


class Answer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer of a program: the fields of `play` and of `call`; `type`, `game` and `turn` may be left out."""

    type: Literal["play", "call"] | None = None
    game: Handle | None = None
    turn: TurnNumber | None = None
    choice: Count | None = None
    moves: Sequence[Move] | None = None
    dice: Count | None = None
    draw: Literal["offer", "accept"] | None = None
    info: Any = None


class Ask:
    """A turn or a call that was put to the program, and is not answered yet."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.is_open = True
        """Whether the arena still waits for the answer; a later one is dropped."""


class Asked:
    """The questions that the program has not answered, the oldest first.

    A question is kept until its answer comes even if the arena no longer waits: else the program's answer would be
    taken for the next question.
    """

    def __init__(self) -> None:
        self._asks: list[Ask] = []

    def put(self, view: View) -> None:
        """Add a question."""
        self._asks.append(Ask(view))

    def close_game(self, game: int) -> View | None:
        """The game is over; returns its unanswered question, if there is one."""
        open_asks = [ask for ask in self._asks if ask.is_open and ask.view.message.game == game]
        for ask in open_asks:
            ask.is_open = False
        return open_asks[0].view if open_asks else None

    def close_all(self) -> None:
        """The connection was lost: open questions will be asked again."""
        for ask in self._asks:
            ask.is_open = False

    def take(self, answer: Answer) -> Ask:
        """Remove and return the question that is answered.

        It is found by `game` and `turn` if the answer has them, else it is the oldest.

        Raises:
            AdapterError: nothing was asked, or nothing of that game and turn.
        """
        if (answer.game is None) != (answer.turn is None):
            raise AdapterError("it has one of `game` and `turn`; give both as in the turn that is answered, or neither")
        if not self._asks:
            raise AdapterError("nothing was asked that is not answered yet; write one line for each `turn`, no more")
        for at, ask in enumerate(self._asks):
            if answer.game is None or (answer.game, answer.turn) == (ask.view.message.game, ask.view.message.turn):
                return self._asks.pop(at)
        waiting = ", ".join(f"game {ask.view.message.game} turn {ask.view.message.turn}" for ask in self._asks)
        raise AdapterError(
            f"nothing is open in game {answer.game} turn {answer.turn}; what waits for an answer: {waiting}"
        )


def format_line(message: FromArena) -> bytes:
    """A message as one line of ASCII, `type` first, bytes as hexadecimal digits, with its line end."""
    plain = msgspec.to_builtins(message, builtin_types=(bytes,))
    return json.dumps(plain, separators=(",", ":"), default=bytes.hex).encode() + b"\n"


def read_answer(line: bytes) -> Answer:
    """Parse a line that a program has written.

    Raises:
        AdapterError: it is not an answer; says why, without the line itself.
    """
    try:
        return msgspec.json.decode(line, type=Answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        why = str(error)
        if "unknown field" in why:
            why += f"; an answer may have {', '.join(Answer.__struct_fields__)}"
        elif "malformed" in why:
            why += "; what is for people goes to standard error"
        raise AdapterError(f"{why}; {_EXPECTED}") from error


def to_message(answer: Answer, view: View) -> Play | Called:
    """The message for the arena with this answer.

    Raises:
        AdapterError: it does not answer this question.
    """
    game, turn = view.message.game, view.message.turn
    if isinstance(view, CallView):
        if answer.dice is None or answer.type == "play":
            choices = " or ".join(f'{{"dice": {dice}}}' for dice in view.choices)
            raise AdapterError(f"a `call` was asked; answer it with the number of dice, {choices}")
        return Called(game=game, turn=turn, dice=answer.dice)
    if answer.dice is not None or answer.type == "call":
        raise AdapterError(f"a `turn` was asked, and this answers a `call`; {_EXPECTED}")
    try:
        return Play(game=game, turn=turn, moves=answer.moves, choice=answer.choice, info=answer.info, draw=answer.draw)
    except ValueError as error:
        raise AdapterError(f"{error}; {_EXPECTED}") from error


def shown(line: bytes) -> str:
    """The beginning of a line for people, with special characters escaped."""
    text = ascii(line[:_SHOWN_BYTES].decode("utf-8", "replace"))
    return text if len(line) <= _SHOWN_BYTES else f"{text} and {len(line) - _SHOWN_BYTES} bytes more"

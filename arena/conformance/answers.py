"""Checks whether a bot's message is the one it owed, and explains it if not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from arena.games import Game, GameError
from arena.games.interface import Illegal
from protocol import messages as wire
from protocol.codec import HEADER_BYTES
from protocol.greetings import Hello, Login
from protocol.messages import FromArena, FromBot, Play, Turn

SHOWN_BYTES: Final = 256
"""How many bytes of a frame are shown in hexadecimal; of a decoded message, four times as many characters."""


class DeviationError(Exception):
    """A bot did not do what it should; says what it did, and what was expected."""

    def __init__(self, found: str, expected: str, frame: bytes = b"") -> None:
        super().__init__(found, expected)
        self.found = found
        """What it did, in words to put after "the bot"."""
        self.expected = expected
        self.frame = frame
        """The frame it sent, with stars for secrets; empty if there was none."""

    def __str__(self) -> str:
        return f"{self.found}; expected: {self.expected}"

    @property
    def hex(self) -> str:
        """The frame in hexadecimal, byte by byte; cut short if it is long."""
        more = f" ... ({len(self.frame)} bytes in all)" if len(self.frame) > SHOWN_BYTES else ""
        return self.frame[:SHOWN_BYTES].hex(" ") + more

    @property
    def decoded(self) -> str:
        """The frame's map as JSON, byte strings as `{"bin": "hex"}`; empty if it cannot be decoded."""
        try:
            value = msgspec.msgpack.decode(self.frame[HEADER_BYTES:], strict=False)
            text = json.dumps(as_json(value), ensure_ascii=False)
        except (msgspec.DecodeError, TypeError, ValueError, RecursionError):
            return ""
        return text if len(text) <= 4 * SHOWN_BYTES else f"{text[: 4 * SHOWN_BYTES]} ..."


def as_json(value: Any) -> Any:
    """A plain value of the wire in the form of JSON."""
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


def owed_for(message: FromArena) -> str:
    """The answer a message asks for, in words; empty if it asks for none."""
    match message:
        case Hello():
            return "login"
        case wire.MatchStart():
            return f"match_ready for match {message.match!r}"
        case wire.MatchReveal():
            return f"match_entropy for match {message.match!r}, with the entropy it has committed to"
        case Turn():
            return f"play for turn {message.turn} of game {message.game}"
        case wire.Call():
            return f"call for turn {message.turn} of game {message.game}"
        case wire.Ping():
            return f"pong with data {message.data}"
        case _:
            return ""


def in_words(owed: Iterable[FromArena]) -> str:
    """Everything that is owed, as a list in words."""
    return ", ".join(map(owed_for, owed)) or "nothing"


def answers(message: FromBot, asked: FromArena) -> bool:
    """Return whether a message is of the kind that was asked for, and names the same game or match."""
    match asked:
        case Hello():
            return isinstance(message, Login)
        case wire.MatchStart():
            return isinstance(message, wire.MatchReady) and message.match == asked.match
        case wire.MatchReveal():
            return isinstance(message, wire.MatchEntropy) and message.match == asked.match
        case Turn() | wire.Call():
            kind = Play if isinstance(asked, Turn) else wire.Called
            return isinstance(message, kind) and (message.game, message.turn) == (asked.game, asked.turn)
        case wire.Ping():
            return isinstance(message, wire.Pong) and message.data == asked.data
        case _:
            return False


def verdict(play: Play, asked: Turn, game: Game[Any]) -> str:
    """The mistake in an answer to a turn; empty if it is legal."""
    if play.draw is not None and game.agreement is None:
        return f"says draw {play.draw} in a game that knows no agreement"
    if play.draw == "accept":
        return "" if asked.draw_offered else "accepts a draw that nobody has offered"
    if play.choice is not None:
        if asked.legal is None:
            return 'gives a choice, but has not asked for the legal turns with wants ["legal"]'
        if play.choice >= len(asked.legal):
            return f"gives choice {play.choice}; there are {len(asked.legal)} legal turns, counted from 0"
        return ""
    assert play.moves is not None, "a play has moves or a choice"
    try:
        found = game.judge(game.from_plain(asked.position), tuple(asked.dice), play.moves)
    except GameError as error:
        return f"gives moves that are none: {error}"
    return (
        f"gives an illegal turn: {found.message} ({found.code}, {found.clause})" if isinstance(found, Illegal) else ""
    )

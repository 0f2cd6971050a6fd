"""Seats: a bot at the table of a match and at the boards of its games.

They are bound once, so that no turn looks up anything twice.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from arena.games.result import Seat
from arena.matches.events import BotLost
from arena.words import Said
from protocol.messages import Called, Confirm, GameReady, GameStart, MatchEntropy, MatchReady, Play
from protocol.window import Asked


class Connected(msgspec.Struct, frozen=True):
    """The bot is connected, for the first time or again: it is to be invited."""


class Lost(msgspec.Struct, frozen=True):
    """The bot has lost its connection, or will never have one."""

    reason: Said
    grace_ms: int = 0
    """Time that it may stay away."""
    gives_up: bool = False
    """True if it has left for good."""
    is_blameless: bool = False
    """True if the arena itself has lost it."""

    def event(self, seat: Seat, at_ms: int, lag_ms: int) -> BotLost:
        """Return the event of the match that follows from it."""
        return BotLost(
            at_ms=at_ms,
            seat=seat,
            reason=self.reason,
            grace_ms=self.grace_ms,
            is_blameless=self.is_blameless,
            lag_ms=lag_ms,
        )


class Unstarted(msgspec.Struct, frozen=True):
    """The arena could not start the bot's program: its match is void."""

    reason: Said


Heard: TypeAlias = MatchReady | MatchEntropy | GameReady | Confirm | Connected | Lost | Unstarted
"""All that a table hears of a bot, but for its turns."""


class MatchSeat:
    """A bot at the table of one match; the table is told through it."""

    __slots__ = (
        "answered",
        "ask",
        "give_up",
        "hear",
        "is_resting",
        "is_taken",
        "is_waited_for",
        "match",
        "number",
        "written",
    )

    def __init__(
        self,
        match: str,
        number: Seat,
        hear: Callable[[Seat, Heard, int], bool],
        answered: "Callable[[GameSeat, Asked, Play | Called, int, int], object]",
        ask: Callable[[int, int], object],
        written: Callable[[int, int], object],
        give_up: Callable[[], object],
    ) -> None:
        self.match: Final = match
        """The id of the match."""
        self.number: Final = number
        self.hear: Final = hear
        """Called with what was heard at this seat, and when (ms); returns whether the table waited
        for it."""
        self.answered: Final = answered
        """Called with the answer to a turn or call, when (ms), and for how long it may have lain
        unread (ms)."""
        self.ask: Final = ask
        """Called at the end of a batch with the number of a game whose question is to be put, and
        since when (ms)."""
        self.written: Final = written
        """Called with the number of a game whose question leaves, and when (ms)."""
        self.give_up: Final = give_up
        """Called when the arena itself has failed over the bot: no part of its match may still be
        in order."""
        self.is_taken = True
        """Until the match is over."""
        self.is_waited_for = True
        """True while its bot is not at the table, has yet to reveal its entropy, or rests."""
        self.is_resting = False
        """True while its bot was told of a break that is not over for it."""


class GameSeat:
    """A bot at the board of one game, from the beginning of the game to its end."""

    __slots__ = ("figures", "handle", "number", "seat", "start")

    def __init__(self, seat: MatchSeat, number: int, handle: int) -> None:
        self.seat: Final = seat
        self.number: Final = number
        """The number of the game in its match."""
        self.handle: Final = handle
        """The small number that stands for the game on the connection of the bot."""
        self.start: GameStart
        """The message to its bot when the game began."""
        self.figures: list[int] | None = None
        """The figures of a launched bot when the first turn of the game was put to it."""

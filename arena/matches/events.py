"""The events that can happen to a match, one frozen value each; `advance` in `match.py` takes them.

`at_ms` is when the arena heard of it, in whole milliseconds on its clock. `lag_ms` is how long it
may have lain unread before that because the arena was busy: that time counts for neither bot. These
are structs because several are made every turn.
"""

from typing import TypeAlias

import msgspec

from arena.games.interface import Turn
from arena.games.result import Seat
from arena.matches.facts import Entrant, Measured
from arena.words import Said


class AtSeat(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happens at a seat."""

    at_ms: int
    seat: Seat
    lag_ms: int = 0


class InGame(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something that happens in a game."""

    at_ms: int
    game: int
    lag_ms: int = 0


class BotArrived(AtSeat, frozen=True, kw_only=True):
    """A bot is at its seat, for the first time or again after it was gone."""

    entrant: Entrant
    commitment: str | None
    """SHA-256 of its entropy in hexadecimal; None if it has none. Of no interest once both bots
    have committed."""
    break_ms: int = 0
    """How long a break between two games may last that it asks for; 0 if it asks for none."""


class EntropyGiven(AtSeat, frozen=True, kw_only=True):
    """A bot has revealed its entropy. Nothing changes unless it is to reveal it (`to_reveal`)."""

    entropy: str
    """Hexadecimal, 0-32 bytes."""


class ReadyForGame(AtSeat, frozen=True, kw_only=True):
    """A bot that asked for a break is ready for the next game."""


class BotLost(AtSeat, frozen=True, kw_only=True):
    """A bot has lost its connection, or will never have one."""

    reason: Said
    grace_ms: int
    """The time that it may stay away in mid-game; 0 if it will not be back before the next game."""
    is_blameless: bool = False
    """True if the arena itself has lost it: this is no violation."""


class TurnAnswered(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The bot to move in a game has answered with moves, and may offer a draw with them (T9)."""

    at_ms: int
    game: int
    moves: Turn
    info: object = None
    """What the bot wants to have kept."""
    offers_draw: bool = False
    lag_ms: int = 0


class BadChoice(InGame, frozen=True, kw_only=True, gc=False):
    """The bot to move has answered with an index that is in no list of legal turns it was given."""

    choice: int
    offers_draw: bool = False


class DrawAccepted(InGame, frozen=True, kw_only=True, gc=False):
    """The bot to move accepts a draw in place of a turn (T9)."""

    info: object = None


class CallAnswered(InGame, frozen=True, kw_only=True, gc=False):
    """The bot to move has called for a number of dice before they are rolled (B11.3)."""

    dice: int


class CallWaived(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The bot to move does not want to be asked, and rolls the usual number of dice (B11.3)."""

    at_ms: int
    game: int


class ReceiptAnswered(msgspec.Struct, frozen=True, kw_only=True):
    """A bot has signed the receipt of a game, or says why it does not.

    Nothing follows from it but its fact.
    """

    at_ms: int
    seat: Seat
    lines: int
    signature: str | None
    """In hexadecimal; None if it objects."""
    objection: str = ""


class TimePassed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The arena looked at the clock. All input that came `lag_ms` ago or earlier has been read."""

    at_ms: int
    lag_ms: int = 0


class BotMeasured(msgspec.Struct, frozen=True, kw_only=True):
    """The clock of a turn has run out, and this was measured of the bot to move.

    It covers the time since the bot's first turn of the game.
    """

    at_ms: int
    game: int
    measured: Measured


class ArenaResumed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The arena was gone and goes on.

    Both bots have to come to the table again, until the start-up deadline.
    """

    at_ms: int
    last_ms: int
    """When the last fact before this was recorded: the time since then counts for neither bot."""


class MatchStopped(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The match is stopped for a reason that is no bot's fault; it is to be played again."""

    at_ms: int
    reason: Said


Answer: TypeAlias = TurnAnswered | BadChoice | DrawAccepted | CallAnswered
"""The answers of a bot to a question."""

Event: TypeAlias = (
    BotArrived
    | EntropyGiven
    | ReadyForGame
    | BotLost
    | Answer
    | CallWaived
    | ReceiptAnswered
    | TimePassed
    | BotMeasured
    | ArenaResumed
    | MatchStopped
)

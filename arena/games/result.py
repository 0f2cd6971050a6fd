"""Result of a game between two seats: declared once, nested wherever a game's end is kept."""

from dataclasses import dataclass
from typing import Literal

Seat = Literal[1, 2]
"""A side of the table."""

Cause = Literal["illegal_turns", "time", "disconnect", "no_show", "no_reveal"]
"""Why a game was forfeited: too many illegal turns, the flag, a lost connection, never there at
all, or entropy that was not revealed, or is not the one that was committed to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Result of a game: won or drawn over the board, by agreement or turn limit, or forfeited."""

    winner: Seat | None
    """The seat that won; None for a draw."""
    ending: str
    """A name of B10, T8 or T9, or `forfeit`, or `turn_limit`."""
    clause: str
    """The clause that ended it."""
    points: int
    """What the winner gets, the monk included."""
    monk: bool = False
    """B10.1: the loser had a checker on the bar."""
    rank: int | None = None
    """B10's rank for tie-breaks, 1 is best; None for draws, forfeits and games that B10 does not
    rank."""
    cause: Cause | None = None
    """Why it was forfeited; None if it was not."""

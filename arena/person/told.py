"""News for a person at a seat: turns, games that are over, moves that can follow, and refusals."""

from collections.abc import Sequence

import msgspec

from arena.words import Said, SaidError


class Refusal(SaidError):  # noqa: N818 - a person's act is refused; nothing has gone wrong
    """Raised for an act of a person that is not possible now."""

    def __init__(self, said: Said, clause: str = "") -> None:
        self.clause = clause
        super().__init__(said)


class PlayedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn of the game so far, for people."""

    is_mine: bool
    dice: Sequence[int]
    text: str
    """As `Game.format_turn` writes it: `1/7* bar/5**, forced jan`."""
    hits: int = 0
    strikes: int = 0


class GameOver(msgspec.Struct, frozen=True, kw_only=True):
    """A game that has ended, from the person's view."""

    number: int
    result: str
    ending: str
    clause: str
    monk: bool
    points: int
    score: Sequence[int]
    why: Said | None = None
    """None for an ending that is not known."""


class Turned(msgspec.Struct, frozen=True, kw_only=True):
    """One checker that may be moved: from where to where, and what stands there."""

    start: int | str
    target: int | str
    text: str

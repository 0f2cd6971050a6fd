"""Endings of a tables game and what they pay: bearing off, handsome games, jan (B7.7, B8-B10)."""

from functools import lru_cache
from typing import Final, Literal

from arena.games.interface import Ending
from arena.games.tables import board
from arena.games.tables.board import OFF, SIDE_BITS
from arena.games.tables.ruleset import Ruleset

EndingName = Literal[
    "single_crown", "double_crown", "staircase", "tower", "jan", "forced_jan", "bearing_off"
]
BorneOff = Literal["bearing_off", "gammon", "backgammon"]

TIMES: Final[dict[str, int]] = {"bearing_off": 1, "gammon": 2, "backgammon": 3}
"""G6: the factor of bearing off's points."""

PLACEMENT: Final = (1 << (OFF + 1) * board.SLOT_BITS) - 1  # a side without its flags

# B8.1: all 15 checkers in one of four patterns
HANDSOME: Final[dict[int, EndingName]] = {
    board.pack_side({20: 3, 21: 3, 22: 3, 23: 3, 24: 3}): "single_crown",
    board.pack_side({22: 5, 23: 5, 24: 5}): "double_crown",
    board.pack_side({22: 3, 23: 5, 24: 7}): "staircase",
    board.pack_side({24: 15}): "tower",
}


def handsome(state: int) -> EndingName | None:
    """Return the handsome game that the mover's checkers form, if any (B8.1)."""
    return HANDSOME.get(state & PLACEMENT)


def is_jan(state: int, theirs: int, their_q1: int) -> bool:
    """Return whether the opponent has more checkers on the bar than points to enter on (B9.1).

    These are the points of its Q1 without own checkers. `theirs` is the mask of points the opponent
    stands on, `their_q1` its first quarter, both in the mover's numbering.
    """
    return (state >> SIDE_BITS & 15) > 6 - (theirs & their_q1).bit_count()


def borne_off(ruleset: Ruleset, state: int) -> BorneOff:
    """Return which kind of win bearing off is, if the ruleset has gammons (G6)."""
    if not ruleset.gammons or board.their_count(state, OFF):
        return "bearing_off"
    if board.their_count(state, board.BAR):
        return "backgammon"
    numbers = board.opposite(ruleset.facing)
    if any(board.their_count(state, numbers[p]) for p in range(19, 25)):
        return "backgammon"
    return "gammon"


@lru_cache(maxsize=512)
def worth(ruleset: Ruleset, name: EndingName | BorneOff, *, monk: bool) -> Ending:
    """Return the ending with its points and its rank (B10, G6).

    `monk` says whether the loser is on the bar (B10.1).
    """
    if name == "forced_jan":
        return Ending(name=name, points=ruleset.points_forced_jan, clause="B9.2", rank=1)
    if name == "jan":
        return Ending(name=name, points=ruleset.points_jan, clause="B9.1", rank=2)
    monk = monk and ruleset.points_monk > 0
    rank: int | None
    if name in TIMES:
        points = ruleset.points_bearing_off * TIMES[name]
        clause = ruleset.cited("B7.7")
        rank = 5 if monk else 6
        if clause == "G6":
            rank = None
    else:
        points = ruleset.points_handsome
        clause = "B8.3" if ruleset.handsome == "at_once" else "B8.2"
        rank = 3 if monk else 4
    if monk:
        points += ruleset.points_monk
    return Ending(name=name, points=points, clause=clause, monk=monk, rank=rank)

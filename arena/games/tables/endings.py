"""Endings of a tables game and what they pay: bearing off, handsome games, jan (B7.7, B8, B9, B10)."""

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
    """B8.1: the handsome game that the mover's checkers form, if any."""
    return HANDSOME.get(state & PLACEMENT)


def is_jan(state: int, theirs: int, their_q1: int) -> bool:
    """B9.1: the opponent has more checkers on the bar than points of its Q1 without own checkers.

    `theirs` is the mask of points the opponent stands on, `their_q1` its first quarter, both in the
    mover's numbering.
    """
    return (state >> SIDE_BITS & 15) > 6 - (theirs & their_q1).bit_count()


def borne_off(ruleset: Ruleset, state: int) -> BorneOff:
    """G6: which kind of win bearing off is, if the ruleset has gammons."""
    if not ruleset.gammons or board.their_count(state, OFF):
        return "bearing_off"
    numbers = board.opposite(ruleset.facing)
    behind = (board.BAR, *(numbers[p] for p in range(19, 25)))
    return "backgammon" if any(board.their_count(state, slot) for slot in behind) else "gammon"


@lru_cache(maxsize=512)
def worth(ruleset: Ruleset, name: EndingName | BorneOff, *, monk: bool) -> Ending:
    """B10, G6: the ending with its points and its rank; `monk` says whether the loser is on the bar (B10.1)."""
    if name == "forced_jan":
        return Ending(name=name, points=ruleset.points_forced_jan, clause="B9.2", rank=1)
    if name == "jan":
        return Ending(name=name, points=ruleset.points_jan, clause="B9.1", rank=2)
    monk = monk and ruleset.points_monk > 0
    bonus = ruleset.points_monk if monk else 0
    if name in TIMES:
        points = ruleset.points_bearing_off * TIMES[name] + bonus
        clause = ruleset.cited("B7.7")
        rank = None if clause == "G6" else 5 if monk else 6
        return Ending(name=name, points=points, clause=clause, monk=monk, rank=rank)
    clause = "B8.3" if ruleset.handsome == "at_once" else "B8.2"
    return Ending(
        name=name,
        points=ruleset.points_handsome + bonus,
        clause=clause,
        monk=monk,
        rank=3 if monk else 4,
    )

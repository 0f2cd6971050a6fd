"""Endings of a game of Brandubh, and what they pay (T8-T10)."""

from __future__ import annotations

from arena.games.brandubh.board import CORNERS
from arena.games.brandubh.moves import can_move
from arena.games.brandubh.position import BrandubhPosition, occurrences
from arena.games.brandubh.ruleset import BrandubhRuleset
from arena.games.interface import Ending


def ending_of(rules: BrandubhRuleset, position: BrandubhPosition) -> Ending | None:
    """The ending of the game in this position, if it has ended, checked in the order of T10.

    The captures of the last move have been made. Unless the ending is a draw, the side that is not to move has won.
    """
    if not position.king:
        return Ending(name="king_captured", points=rules.points_win, clause="T8")
    if position.king & CORNERS:
        return Ending(name="king_escaped", points=rules.points_win, clause="T8")
    if rules.repetitions and occurrences(position) >= rules.repetitions:
        return Ending(name="repetition", points=0, clause="T9", is_drawn=True)
    if not can_move(position):
        return Ending(name="no_move", points=0, clause="T9", is_drawn=True)
    return None

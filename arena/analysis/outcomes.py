"""The ways a tables game can end: the columns of an evaluator's probabilities, and the points they bring (B10, G6)."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from arena.analysis.arrays import Floats
from arena.games.tables.endings import HANDSOME, TIMES, BorneOff, EndingName, worth
from arena.games.tables.ruleset import Ruleset

_BORNE_OFF: Final[tuple[BorneOff, ...]] = ("bearing_off", "gammon", "backgammon")


class Way(NamedTuple):
    """One way to win."""

    ending: EndingName | BorneOff
    monk: bool
    """B10.1: the loser has a checker on the bar."""


def ways_of(rules: Ruleset, *, contact: bool = True) -> tuple[Way, ...]:
    """The ways to win under a ruleset, in a fixed order; without contact nobody is on the bar, and nobody is hit."""
    kinds: list[EndingName | BorneOff] = list(_BORNE_OFF) if rules.gammons else ["bearing_off"]
    if rules.handsome != "never":
        kinds += HANDSOME.values()
    may_be_monk = (False, True) if contact and rules.points_monk else (False,)
    ways = [Way(kind, monk) for kind in kinds for monk in may_be_monk]
    if contact and rules.jan:
        ways.append(Way("jan", monk=False))
        if rules.entry_strikes != "never" or rules.strikeable_prime is not None:
            ways.append(Way("forced_jan", monk=False))
    return tuple(ways)


def is_left_in_a_race(way: Way) -> bool:
    """Return whether a game can still end this way without contact: `ways_of` lists these ways."""
    return not way.monk and way.ending not in ("jan", "forced_jan")


def points_of(ways: tuple[Way, ...], rules: Ruleset) -> Floats:
    """Return what each way pays, shape (2 * ways,): for the side that has just moved, then, negative, for the other.

    The ruleset may pay otherwise than the one for which the ways were listed (`gammons` off: one point for all three).
    """
    won = [_points(way, rules) for way in ways]
    return np.array([*won, *(-points for points in won)], dtype=np.float32)


def _points(way: Way, rules: Ruleset) -> int:
    ending = way.ending
    if ending in TIMES and not rules.gammons:
        ending = "bearing_off"
    return worth(rules, ending, monk=way.monk).points


SIDES: Final = 2
"""Probabilities are listed for the side that has just moved, then for the side about to roll."""


def other_side(probabilities: Floats) -> Floats:
    """The same outcomes seen from the other side, shape (..., 2 * ways)."""
    half = probabilities.shape[-1] // SIDES
    return np.concatenate((probabilities[..., half:], probabilities[..., :half]), axis=-1)

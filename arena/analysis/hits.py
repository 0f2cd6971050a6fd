"""Blots that dice hit, in many positions at once; what the rules allow, without regard to the rest of a turn."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from arena.analysis.arrays import DICE, POINTS, Q1, SINGLE_POINTS, Array, Flags, Masks, Sides
from arena.games.playing import rolls
from arena.games.tables.board import FLAGS
from arena.games.tables.ruleset import Ruleset

_ROLLS: Final = [*rolls(2)]
_SHARES: Final = np.array([*rolls(2).values()], np.float32)
_ON_THE_BAR: Final = np.uint32(1)


def hits_of_rolls(sides: Sides, rules: Ruleset) -> Masks:
    """Return the blots of a side that each roll of the other one hits, in the other's numbering: (21, 2, positions)."""
    others, blots = sides.others, sides.blots_for_them
    landing = POINTS & ~(sides.closed_for_them | _taken(others, rules))
    first = _first(others)
    entered: list[Masks] = [first << np.uint32(die) & landing for die in DICE]
    after = _sources_after(others, entered)
    entries = (
        [2, 2, 2] if rules.stacking == "from_head" else [2, 3, 4]
    )  # a second one cannot enter on the same point
    all_entered = [_where(others.bar < number) for number in entries]
    hits = np.empty((len(_ROLLS), *blots.shape), np.uint32)
    for place, (one, two) in enumerate(_ROLLS):
        hit = entered[one - 1] | entered[two - 1]
        if one == two:
            here = (others.held & _where((others.bar > 0) & (hit != 0))) | hit
            for all_in in all_entered:  # the second, third and fourth time
                here = (here << np.uint32(one) & landing & all_in) | (here & ~all_in)
                hit = hit | (here & all_in)
        else:
            hit = hit | after[one - 1] << np.uint32(two) | after[two - 1] << np.uint32(one)
        np.bitwise_and(hit, blots, out=hits[place])
    return hits


def mean_of_rolls(found: Array) -> Array:
    """Return the mean of something over all rolls, given for each of the 21."""
    return np.tensordot(_SHARES, found.astype(np.float32), axes=1)


def dice_that_hit(sides: Sides, blots: Masks) -> list[Flags]:
    """For each die whether it takes a checker of the side to a blot; with one on the bar only by entering (B5.1)."""
    first = _first(sides)
    return [first << np.uint32(die) & blots != 0 for die in DICE]


def _first(sides: Sides) -> Masks:
    """Return where the first die may start: on the bar while a checker is there."""
    return np.where(sides.bar > 0, _ON_THE_BAR, sides.held)


def _sources_after(sides: Sides, entered: Sequence[Masks]) -> list[Masks]:
    """Return where the second die starts after the first: on from there; with one on the bar from anywhere."""
    more, anywhere = _where(sides.bar > 1), sides.held & _where(sides.bar == 1)
    return [
        ((here & ~more) | (_ON_THE_BAR & more) | anywhere) & _where(here != 0) for here in entered
    ]


def _taken(sides: Sides, rules: Ruleset) -> Masks:
    """B4.3, B4.4, B5.2: the points on which a side's checker keeps its own others from landing."""
    if rules.stacking == "anywhere":
        return np.zeros_like(sides.held)
    taken = sides.held & (SINGLE_POINTS | (Q1 & _where(sides.bar > 0)))
    return (
        np.where(sides.counts[:, FLAGS] > 0, np.uint32(0), taken)
        if rules.stacking == "after_head"
        else taken
    )


def _where(flags: Flags) -> Masks:
    """Return masks of all bits where it is true."""
    return -flags.astype(np.uint32)

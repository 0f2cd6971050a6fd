"""Blots that dice hit, in many positions at once, by the rules of a single move."""

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
    """Return the blots of a side that each roll of the other side hits, shape (21, 2, positions).

    They are in the other side's numbering.
    """
    others = sides.others
    blots = sides.blots_for_them
    landing = POINTS & ~(sides.closed_for_them | _full(others, rules))
    first = _first(others)
    entered: list[Masks] = [first << np.uint32(die) & landing for die in DICE]
    after = _sources_after(others, entered)
    entries = [2, 3, 4]
    if rules.stacking == "from_head":  # a second checker cannot enter on the same point
        entries = [2, 2, 2]
    all_entered = [_where(others.bar < number) for number in entries]
    hits = np.empty((len(_ROLLS), *blots.shape), np.uint32)
    for place, (first_die, second_die) in enumerate(_ROLLS):
        hit = entered[first_die - 1] | entered[second_die - 1]
        if first_die == second_die:
            has_entered = (others.bar > 0) & (hit != 0)
            sources = (others.held & _where(has_entered)) | hit
            for all_in in all_entered:  # the second, third and fourth time
                moved = sources << np.uint32(first_die) & landing & all_in
                sources = moved | (sources & ~all_in)
                hit = hit | (sources & all_in)
        else:
            ends_with_second = after[first_die - 1] << np.uint32(second_die)
            ends_with_first = after[second_die - 1] << np.uint32(first_die)
            hit = hit | ends_with_second | ends_with_first
        np.bitwise_and(hit, blots, out=hits[place])
    return hits


def mean_of_rolls(figures: Array) -> Array:
    """Return the mean over all rolls of figures for each of the 21 rolls."""
    return np.tensordot(_SHARES, figures.astype(np.float32), axes=1)


def dice_that_hit(sides: Sides, blots: Masks) -> list[Flags]:
    """Return for each die whether it takes a checker of the side to a blot.

    With a checker on the bar, only entering does (B5.1).
    """
    first = _first(sides)
    return [first << np.uint32(die) & blots != 0 for die in DICE]


def _first(sides: Sides) -> Masks:
    """Return where the first die may start: on the bar while a checker is there."""
    return np.where(sides.bar > 0, _ON_THE_BAR, sides.held)


def _sources_after(sides: Sides, entered: Sequence[Masks]) -> list[Masks]:
    """Return where the second die starts after each first die.

    It goes on from where the first one ended, or enters; with one checker on the bar it may start
    anywhere.
    """
    more = _where(sides.bar > 1)
    anywhere = sides.held & _where(sides.bar == 1)
    sources = []
    for landed in entered:
        enters_another = _ON_THE_BAR & more
        starts = (landed & ~more) | enters_another | anywhere
        sources.append(starts & _where(landed != 0))
    return sources


def _full(sides: Sides, rules: Ruleset) -> Masks:
    """Return the points where a side's checker keeps its own others away (B4.3, B4.4, B5.2)."""
    if rules.stacking == "anywhere":
        return np.zeros_like(sides.held)
    while_entering = Q1 & _where(sides.bar > 0)
    full = sides.held & (SINGLE_POINTS | while_entering)
    if rules.stacking == "after_head":
        return np.where(sides.counts[:, FLAGS] > 0, np.uint32(0), full)
    return full


def _where(flags: Flags) -> Masks:
    """Return masks of all bits where it is true."""
    return -flags.astype(np.uint32)

"""Bearing off without contact (B7, G5): what each roll can do to the last checkers of a side, and the turns they take.

What a side can play depends on its own checkers and the roll alone. So its turns are put together
from single dice: after the last die stands what the rest of the race costs, before it the best of
what one die can reach, and so on.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Final, NamedTuple

import numpy as np

from arena.analysis.arrays import Array, Floats
from arena.games.tables.board import OFF
from arena.games.tables.ruleset import BearingOff

FIRST: Final = 19
"""The first point of Q4."""
Q4_POINTS: Final = OFF - FIRST
MOST: Final = 14
"""Checkers of a side, at most: with fifteen it may still win or lose a handsome game (B8.1) or a
gammon (G6)."""
TURNS: Final = 24
"""Turns that are told apart: to take as many has a chance of less than one in ten million."""
PREFERRED: Final = 64.0
"""What a wasted pip costs, where the least waste is an obligation (B7.6): more than all turns of a
race."""

NON_DOUBLES: Final = np.array([*combinations(range(6), 2)])
WAYS_TO_THROW: Final = np.array([1] * 6 + [2] * len(NON_DOUBLES))
"""Of 36 throws of two dice, how many show a roll: six doubles, then those of two different dice."""

_SMALLER: Final = np.array(
    [[comb(total + k - 1, k) for total in range(MOST + 1)] for k in range(1, Q4_POINTS + 1)]
)
"""Placements on the last k points with fewer checkers there than so many."""


class RaceRules(NamedTuple):
    """The fields of a ruleset that decide how a side bears off.

    The tests say why no other field does.
    """

    bearing_off: BearingOff
    least_waste: bool
    winning_turn_is_exempt: bool


@cache
def placements(checkers: int) -> Array:
    """Every placement of at most so many checkers on 19 to 24, the others off; shape (placements, 6).

    The first is all off. What fewer checkers can be comes before what only more can.
    """
    totals = np.array(
        [*combinations_with_replacement(range(checkers + 1), Q4_POINTS)]
    )  # on the last 1, 2, ... points
    totals = totals[np.lexsort(totals.T)]
    return np.diff(totals, prepend=0)[:, ::-1]


def numbers_of(placed: Array) -> Array:
    """The number of each placement, its place in `placements`; `placed` has shape (6, ...), point 19 first."""
    totals = placed[::-1].cumsum(axis=0, dtype=np.intp)
    return np.asarray(sum(smaller[total] for smaller, total in zip(_SMALLER, totals, strict=True)))


def pips_left(placed: Array) -> Array:
    """B7.2: the pips that are left in each placement of shape (placements, 6)."""
    return np.asarray(placed @ np.arange(Q4_POINTS, 0, -1))


class DieMoves(NamedTuple):
    """All that one die can do, for each die, each of the six points it can be played from, and each state."""

    after: Array
    """The state that is reached, shape (6, 6, states); 0 is the end."""
    waste: Array
    """Pips that are wasted and must not be (B7.6), times `PREFERRED`; infinite for what is not
    legal."""


def moves_of(rules: RaceRules, checkers: int) -> DieMoves:
    """The moves of every placement; a state is its number."""
    standing = placements(checkers).T
    held = standing > 0
    rearmost = np.where(held.any(axis=0), Q4_POINTS - held.argmax(axis=0), 0)
    after = np.zeros((6, Q4_POINTS, standing.shape[1]), dtype=np.int32)
    waste = np.full(after.shape, np.inf)
    for die in range(1, 7):
        for place in range(Q4_POINTS):
            needed, left = Q4_POINTS - place, standing.copy()
            left[place] -= 1
            legal = held[place]
            if needed > die:
                left[place + die] += 1
            elif rules.bearing_off == "rearmost" or (rules.bearing_off == "exact" and needed < die):
                legal = legal & (rearmost == needed)  # B7.4, G5
            after[die - 1, place, legal] = numbers_of(left[:, legal])
            waste[die - 1, place, legal] = PREFERRED * max(0, die - needed) * rules.least_waste
    return DieMoves(after, waste)


def best_turns_by_pips(moves: DieMoves, pips: Array, cost: Array) -> Iterator[tuple[Array, Array]]:
    """Yield states with equally many pips, fewest first, and what the best turn of each roll leads to.

    Results have shape (21, states), in the order of `WAYS_TO_THROW`. The best turn wins, or is the
    one of those with the least waste (B7.6) that leads to the least `cost`, shape (states,). The
    caller writes the cost of these states before it asks for the next.
    """
    order = np.argsort(pips, kind="stable")
    worth, leads = (
        np.zeros((4, 6, len(pips))),
        np.zeros((4, 6, len(pips)), dtype=np.int32),
    )  # by equal dice to play
    dice = np.arange(6)[:, np.newaxis, np.newaxis]
    one, other = (np.concatenate(both) for both in (NON_DOUBLES.T, NON_DOUBLES.T[::-1]))
    for states in np.split(order, np.flatnonzero(np.diff(pips[order])) + 1):
        if not pips[states[0]]:
            continue
        after, waste = moves.after[..., states], moves.waste[..., states]
        worth[0][:, states], leads[0][:, states] = _least(waste + cost[after], after)
        for more in range(1, 4):
            found = waste + worth[more - 1][dice, after], leads[more - 1][dice, after]
            worth[more][:, states], leads[more][:, states] = _least(*found)
        then, rest = after[one], other[:, np.newaxis, np.newaxis]
        orders = waste[one] + worth[0][rest, then], leads[0][rest, then]
        _, non_doubles = _least(*(np.concatenate(np.split(both, 2), axis=1) for both in orders))
        yield states, np.concatenate((leads[3][:, states], non_doubles))


def _least(worth: Array, leads: Array) -> tuple[Array, Array]:
    """The least of the second axis, and where it leads; to win costs nothing, whatever it wastes."""
    worth[(leads == 0) & np.isfinite(worth)] = 0
    best = worth.argmin(axis=1)[:, np.newaxis]
    return np.take_along_axis(worth, best, 1)[:, 0], np.take_along_axis(leads, best, 1)[:, 0]


@cache
def turns_to_bear_off(rules: RaceRules, checkers: int) -> Floats:
    """Return how likely each placement is borne off in so many turns; shape (placements, `TURNS`).

    Every turn is the one that leaves the fewest turns on average.
    """
    standing, shares = placements(checkers), (WAYS_TO_THROW / 36).astype(np.float32)
    mean = np.zeros(len(standing))
    chances = np.zeros((len(standing), TURNS), dtype=np.float32)
    chances[0, 0] = 1
    for states, results in best_turns_by_pips(moves_of(rules, checkers), pips_left(standing), mean):
        mean[states] = 1 + shares @ mean[results]
        chances[states, 1:] = np.tensordot(shares, chances[results, :-1], axes=1)
    return chances

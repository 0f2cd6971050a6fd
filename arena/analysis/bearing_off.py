"""Bearing off without contact (B7, G5): what each roll does to the last checkers, and their turns.

The legal turns of a side depend only on its own checkers and the roll. So turns are built from
single dice, the last die first. After it comes the cost of the remaining race; before it the least
cost that one die can reach, and so on.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Final, NamedTuple

import numpy as np

from arena.analysis.arrays import Array, Floats
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.ruleset import BearingOff

FIRST: Final = 19
"""The first point of Q4."""
Q4_POINTS: Final = OFF - FIRST
MOST: Final = 14
"""Checkers of a side, at most, where only the winner counts: with fifteen it may still win or lose
a handsome game (B8.1) or a gammon (G6)."""
TURNS: Final = 24
"""The longest race counted in turns: this many have a chance of less than one in ten million."""
PREFERRED: Final = 64.0
"""The cost of a wasted pip where the least waste is an obligation (B7.6): more than all turns of a
race."""

NON_DOUBLES: Final = np.array([*combinations(range(6), 2)])
WAYS_TO_THROW: Final = np.array([1] * 6 + [2] * len(NON_DOUBLES))
"""Of 36 throws of two dice, how many show a roll: six doubles, then those of two different dice."""


def _counts_of_smaller() -> Array:
    counts = np.zeros((Q4_POINTS, CHECKERS + 1), dtype=np.int64)
    for points in range(1, Q4_POINTS + 1):
        for total in range(CHECKERS + 1):
            counts[points - 1, total] = comb(total + points - 1, points)
    return counts


_SMALLER: Final = _counts_of_smaller()
"""The number of placements on the last k points with fewer than n checkers, at [k - 1, n]."""


class RaceRules(NamedTuple):
    """The fields of a ruleset that decide how a side bears off.

    The tests say why no other field does.
    """

    bearing_off: BearingOff
    least_waste: bool
    winning_turn_is_exempt: bool


@cache
def placements(checkers: int) -> Array:
    """Return every placement of up to `checkers` checkers on 19 to 24; shape (placements, 6).

    The others are off. The first placement has all off; placements of fewer checkers come before
    those of more.
    """
    # totals on the last 1, 2, ... points
    totals = np.array([*combinations_with_replacement(range(checkers + 1), Q4_POINTS)])
    totals = totals[np.lexsort(totals.T)]
    return np.diff(totals, prepend=0)[:, ::-1]


def numbers_of(placed: Array) -> Array:
    """Return the number of each placement, its place in `placements`.

    `placed` has shape (6, ...), point 19 first.
    """
    totals = placed[::-1].cumsum(axis=0, dtype=np.intp)
    numbers = np.zeros(totals.shape[1:], dtype=np.int64)
    for smaller, total in zip(_SMALLER, totals, strict=True):
        numbers += smaller[total]
    return numbers


def pips_left(placed: Array) -> Array:
    """Return the pips that remain in each placement (B7.2); `placed` has shape (placements, 6)."""
    return np.asarray(placed @ np.arange(Q4_POINTS, 0, -1))


class DieMoves(NamedTuple):
    """The moves of one die: for each die, each of the six points it starts from, and each state."""

    after: Array
    """The state after the move, shape (6, 6, states); 0 is the end."""
    waste: Array
    """Pips wasted against the rule (B7.6), times `PREFERRED`; infinite for a move that is not
    legal."""


def moves_of(rules: RaceRules, checkers: int) -> DieMoves:
    """Return the moves of every placement; a state is the number of a placement."""
    standing = placements(checkers).T
    occupied = standing > 0
    is_empty = ~occupied.any(axis=0)
    rearmost = np.where(is_empty, 0, Q4_POINTS - occupied.argmax(axis=0))
    after = np.zeros((6, Q4_POINTS, standing.shape[1]), dtype=np.int32)
    waste = np.full(after.shape, np.inf)
    for die in range(1, 7):
        for place in range(Q4_POINTS):
            needed = Q4_POINTS - place
            unused = max(0, die - needed)
            moved = standing.copy()
            moved[place] -= 1
            legal = occupied[place]
            if needed > die:
                moved[place + die] += 1
            elif rules.bearing_off == "rearmost" or (rules.bearing_off == "exact" and unused):
                legal = legal & (rearmost == needed)  # B7.4, G5
            after[die - 1, place, legal] = numbers_of(moved[:, legal])
            waste[die - 1, place, legal] = PREFERRED * unused * rules.least_waste
    return DieMoves(after, waste)


def best_turns_by_pips(moves: DieMoves, pips: Array, cost: Array) -> Iterator[tuple[Array, Array]]:
    """Yield states with equal pips, fewest first, and where the best turn of each roll leads.

    The states after it have shape (21, states), in the order of `WAYS_TO_THROW`. The best turn
    wins, or has the least waste (B7.6) and then the least `cost`, shape (states,). The caller
    writes the cost of these states before it asks for the next ones.
    """
    order = np.argsort(pips, kind="stable")
    # the first index is the number of equal dice still to play, less one
    costs = np.zeros((4, 6, len(pips)))
    leads = np.zeros((4, 6, len(pips)), dtype=np.int32)
    dice = np.arange(6)[:, np.newaxis, np.newaxis]
    small, large = NON_DOUBLES.T
    first_die = np.concatenate((small, large))
    second_die = np.concatenate((large, small))[:, np.newaxis, np.newaxis]
    more_pips = np.flatnonzero(np.diff(pips[order])) + 1
    for states in np.split(order, more_pips):
        if not pips[states[0]]:
            continue
        after = moves.after[..., states]
        waste = moves.waste[..., states]
        least_cost, best_lead = _least(waste + cost[after], after)
        costs[0][:, states] = least_cost
        leads[0][:, states] = best_lead
        for more in range(1, 4):
            costs_so_far = waste + costs[more - 1][dice, after]
            leads_so_far = leads[more - 1][dice, after]
            least_cost, best_lead = _least(costs_so_far, leads_so_far)
            costs[more][:, states] = least_cost
            leads[more][:, states] = best_lead
        doubles = leads[3][:, states]
        between = after[first_die]
        costs_of_orders = waste[first_die] + costs[0][second_die, between]
        leads_of_orders = leads[0][second_die, between]
        _, non_doubles = _least(_side_by_side(costs_of_orders), _side_by_side(leads_of_orders))
        yield states, np.concatenate((doubles, non_doubles))


def _side_by_side(orders: Array) -> Array:
    """Put both orders of two dice side by side, on the second axis."""
    return np.concatenate(np.split(orders, 2), axis=1)


def _least(costs: Array, leads: Array) -> tuple[Array, Array]:
    """Return the least cost on the second axis, and where it leads; a win costs nothing."""
    costs[(leads == 0) & np.isfinite(costs)] = 0
    best = costs.argmin(axis=1)[:, np.newaxis]
    least = np.take_along_axis(costs, best, 1)[:, 0]
    leads_of_least = np.take_along_axis(leads, best, 1)[:, 0]
    return least, leads_of_least


@cache
def turns_to_bear_off(
    rules: RaceRules,
    checkers: int,
    *,
    until_first: bool = False,
) -> Floats:
    """Return the chance that each placement is borne off in n turns; shape (placements, `TURNS`).

    Each side plays for the fewest turns on average. With `until_first` those with all the checkers
    need only bear off one; the others have no meaning.
    """
    standing = placements(checkers)
    shares = (WAYS_TO_THROW / 36).astype(np.float32)
    mean = np.zeros(len(standing))
    chances = np.zeros((len(standing), TURNS), dtype=np.float32)
    chances[0, 0] = 1
    moves = moves_of(rules, checkers)
    if until_first:
        moves.after[moves.after < len(placements(checkers - 1))] = 0
    for states, after in best_turns_by_pips(moves, pips_left(standing), mean):
        mean[states] = 1 + shares @ mean[after]
        chances[states, 1:] = np.tensordot(shares, chances[after, :-1], axes=1)
    return chances

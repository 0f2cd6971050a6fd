"""Inputs of a network for a position: groups of numbers from 0 to about 1, each with the clause it serves.

Every group is told of both sides, first of the side that has just moved, then of the one about to roll.
"""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from arena.analysis.arrays import (
    DICE,
    POINTS,
    Q1,
    Q3,
    SINGLE_POINTS,
    Array,
    Counts,
    Floats,
    Masks,
    Side,
    mask,
    sides_of,
)
from arena.games.tables.board import BOUND, CHECKERS, FLAGS, OFF
from arena.games.tables.endings import HANDSOME
from arena.games.tables.ruleset import Ruleset

Group = Callable[[Side, Side, Ruleset], Floats]
"""Numbers of one side, told of the other as well; shape (positions, some)."""


def checkers(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B1.2, B4: for each point whether there is at least one checker, two, three, four, and a quarter of the rest."""
    return _BY_COUNT[side.counts[:, 1:OFF]].reshape(len(side.bar), (OFF - 1) * _BY_COUNT.shape[1])


def bar(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B5: whether at least one checker is on the bar, two, three, and a quarter of the rest."""
    return _ON_BAR[side.bar]


def off(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B7, B5.6, B6.2, G6: the checkers borne off; whether there is one; whether 14 are off."""
    off = side.counts[:, OFF]
    return _columns(off / np.float32(CHECKERS), off > 0, off == CHECKERS - 1)


def pips(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B7: the way that is left, alone and against the other side's."""
    mine, theirs = pips_of(side), pips_of(other)
    return _columns(
        mine / 150, np.tanh((theirs - mine) / 25), np.tanh((theirs - mine) / 8 / np.sqrt(mine + theirs + 1))
    )


def state(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B4.3 [F]: whether the side has landed on its head. B11.3: for how many turns it rolls a single die."""
    return _columns(side.counts[:, FLAGS], side.counts[:, BOUND] / np.float32(6))


def room(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B9.1: how many more hits outside Q1 the side stands before it is jan: none, at least 1, 2, 3, 4, 5."""
    room = 6 - _size(side.held & Q1).astype(np.int16) - side.bar
    return _columns(*(room >= number for number in range(1, 6)), room < 0)


def shots(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B4.2: the dice that hit a blot of the side at once, and how likely one comes; blots in and outside Q1 (B9.1).

    A hit in Q1 makes room for its checker, one outside does not. Points 13 to 18 of the other side are this one's Q1
    where both travel the same way. Last the blots that two dice reach.
    """
    blots, q1 = side.blots_for_them, Q3 if rules.facing == "same_way" else mask(19, 24)
    hits, outside = _dice_that_hit(other, blots), _dice_that_hit(other, blots & ~q1)
    near = _reached(other, DICE) & blots
    far = np.where(other.bar > 0, np.uint32(0), _reached(other, range(7, 13))) & blots
    return _columns(
        *hits,
        _chance(hits),
        _chance(outside),
        _size(near & q1) / np.float32(4),
        _size(near & ~q1) / np.float32(4),
        _size(far) / np.float32(6),
    )


def rolls_that_hit(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B4.2, G4: how likely the other side's next roll hits a blot, by both dice; any, and one past half way.

    All that are on the bar enter before another one hits. That a roll must be used as far as possible is left out.
    """
    blots, shut = side.blots_for_them, side.closed_for_them
    first = np.where(other.bar > 0, _ON_THE_BAR, other.held)
    entered: list[Masks] = [first << np.uint32(die) & POINTS & ~shut for die in DICE]
    after = [_sources_after(other, here) for here in entered]
    any_hit, far_hit = np.zeros(len(side.bar), np.float32), np.zeros(len(side.bar), np.float32)
    for one in DICE:
        for two in range(one, 7):
            hit = entered[one - 1] | entered[two - 1]
            if one == two:
                hit = _reached_by_double(other, one, hit, shut)
            else:
                hit = hit | after[one - 1] << np.uint32(two) | after[two - 1] << np.uint32(one)
            hit = hit & blots
            weight = np.float32((1 if one == two else 2) / 36)
            any_hit += weight * (hit != 0)
            far_hit += weight * (hit & _NEAR_THEM != 0)
    return _columns(any_hit, far_hit)


def escapes(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B4.1: how likely a roll takes the rearmost checker all the way, and one from the bar and from points 1 to 11.

    The least of these, of all and of the bar and the other's home, tell how well the other side's points hold a
    checker. The squares make more of what is nearly shut; last the checkers in the rear half, each with its chance.
    """
    shut = other.closed_for_them
    held = side.held | (side.bar > 0)
    rear = np.bitwise_count((held & (~held + np.uint32(1))) - np.uint32(1))
    from_rear = _ESCAPES[shut >> (rear + np.uint32(1)) & 4095]
    ahead = [_ESCAPES[shut >> np.uint32(point + 1) & 4095] for point in range(12)]
    least = np.minimum.reduce(ahead)
    near = np.minimum.reduce(ahead[:7])
    mobility = np.sum([(side.counts[:, point] * ahead[point]) for point in range(12)], axis=0) / np.float32(4)
    return _columns(from_rear, least, near, np.square(1 - from_rear), np.square(1 - least), mobility)


def _sources_after(side: Side, entered: Masks) -> Masks:
    """Return where the second die starts once the first is played: on from there; with one on the bar from anywhere."""
    anywhere = np.where(side.bar == 1, side.held | entered, np.where(side.bar == 0, entered, _ON_THE_BAR))
    return np.where(entered != 0, anywhere, np.uint32(0))


def _reached_by_double(side: Side, die: int, entered: Masks, shut: Masks) -> Masks:
    """Return all points where a side can come by the same die up to four times, the first time to those given."""
    found = entered
    here = np.where((side.bar > 0) & (entered != 0), side.held | entered, entered)
    for step in range(2, 5):
        here = np.where(side.bar < step, here << np.uint32(die) & POINTS & ~shut, here)
        found = found | np.where(side.bar < step, here, np.uint32(0))
    return found


def primes(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B6: whether the longest prime, measured along the other side's path, has at least 3, 4, 5, 6, 7 points."""
    run: Array = side.closed_for_them
    found: list[Array] = []
    for length in range(2, 8):
        run = side.closed_for_them & run >> 1
        if length > 2:
            found.append(run != 0)
    return _columns(*found)


def ways_out(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B4.1: the six points before home and before the rearmost checker that are shut; the dice that move a checker."""
    shut = other.closed_for_them
    rear = side.held & (~side.held + np.uint32(1))
    ahead = ((rear << 7) - (rear << 1)) & POINTS
    further = (ahead << 6) & POINTS
    taken = side.held & SINGLE_POINTS if rules.stacking == "from_head" else np.uint32(0)
    moves = [(side.held << die & POINTS & ~shut & ~taken) != 0 for die in DICE]
    return _columns(
        _size(shut & mask(2, 7)) / np.float32(6),
        _size(shut & ahead) / np.float32(6),
        _size(shut & further) / np.float32(6),
        _size((side.held >> 1) & shut) / np.float32(6),
        *moves,
    )


def entry(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B5.2 to B5.5: free points of Q1, points where a checker on the bar can enter, and whether it may strike."""
    free = _size(Q1 & ~side.held & ~other.closed_for_them).astype(np.int16)
    closed = _size(Q1 & other.closed_for_them) / np.float32(6)
    on_bar = side.bar > 0
    outnumbered = on_bar & (side.bar > free)
    return _columns(free / np.float32(6), closed, on_bar & (free == 0), outnumbered, on_bar * free / np.float32(6))


def handsome(side: Side, other: Side, rules: Ruleset) -> Floats:
    """B8.1: for each of the four, whether it can still stand, how many pips are missing, and how many checkers."""
    placed = side.counts[:, OFF - 1 : OFF - 6 : -1].astype(np.int8)  # on 24, 23, 22, 21, 20, where they stand
    beyond, nobody_off, pips = placed.cumsum(axis=1, dtype=np.int8), side.counts[:, OFF] == 0, pips_of(side)
    columns: list[Array] = []
    for counts, way in _HANDSOME_COUNTS:
        can_stand = (beyond <= counts.cumsum()).all(axis=1) & nobody_off  # checkers only move forward
        missing = CHECKERS - np.minimum(counts, placed).sum(axis=1, dtype=np.int8)
        columns += [
            can_stand,
            can_stand * np.exp((way - pips) / 12),
            can_stand * np.exp(-missing / np.float32(3)),
            can_stand * (missing < 2),
        ]
    return _columns(*columns)


def pips_of(side: Side) -> Floats:
    """The way that is left until all checkers are off, in pips (B7.2)."""
    return side.counts[:, :OFF] @ _PIPS


_PIPS: Final = np.arange(OFF, 0, -1, dtype=np.float32)
_ON_THE_BAR: Final = np.uint32(1)
_NEAR_THEM: Final = mask(1, 12)


def _count_of_escapes() -> Floats:
    found = np.zeros(4096, dtype=np.float32)
    shut = np.arange(4096)
    for one in DICE:
        for two in DICE:
            blocked = (shut >> one - 1 & shut >> two - 1 & 1) | shut >> one + two - 1 & 1
            found += blocked == 0
    return found / np.float32(36)


_ESCAPES: Final = _count_of_escapes()
"""For every mask of shut points among the next twelve, the share of rolls that take a checker all the way."""
_BY_COUNT: Final = np.array(
    [[count > 0, count > 1, count > 2, count > 3, max(count - 4, 0) / 4] for count in range(16)], dtype=np.float32
)
_ON_BAR: Final = np.array(
    [[count > 0, count > 1, count > 2, max(count - 3, 0) / 4] for count in range(16)], dtype=np.float32
)
_HANDSOME_COUNTS: Final = [
    (
        np.array([pattern >> 4 * slot & 15 for slot in range(24, 19, -1)], dtype=np.int8),
        np.float32(sum((OFF - slot) * (pattern >> 4 * slot & 15) for slot in range(OFF))),
    )
    for pattern in HANDSOME
]
"""The checkers of each on 24, 23, 22, 21, 20, and the pips that are left from there."""


def inputs_of(counts: Counts, rules: Ruleset, *, contact: bool) -> Floats:
    """The inputs of the network of a phase for positions of that phase, shape (positions, features)."""
    me, them = sides_of(counts, rules.facing)
    groups = _groups_of(rules, contact=contact)
    parts = [group(*pair, rules) for pair in ((me, them), (them, me)) for group in groups]
    if rules.bearing_off == "any" and rules.jan:
        # B11: the options of `classic` that are played, so that one evaluator serves them all
        played = (rules.double_six, rules.entry_strikes == "outnumbered", rules.one_die)
        parts.append(np.tile(np.array(played, dtype=np.float32), (len(counts), 1)))
    return np.concatenate(parts, axis=1)


def _groups_of(rules: Ruleset, *, contact: bool) -> list[Group]:
    groups: list[Group] = [checkers, off, pips]
    if contact:
        groups += [bar, state]
        if rules.jan:
            groups.append(room)
        groups += [shots, primes, ways_out, entry]
        if rules.facing == "opposite_ways":
            groups += [rolls_that_hit, escapes]
    if rules.handsome != "never":
        groups.append(handsome)
    return groups


def _columns(*columns: Array) -> Floats:
    return np.stack([column.astype(np.float32) for column in columns], axis=1)


def _size(points: Array) -> Counts:
    return np.bitwise_count(points)


def _reached(side: Side, distances: range) -> Masks:
    reached = np.zeros_like(side.held)
    for distance in distances:
        reached |= side.held << distance
    return reached & POINTS


def _dice_that_hit(side: Side, blots: Masks) -> list[Array]:
    """For each die whether it takes a checker of the side to a blot; with one on the bar only by entering (B5.1)."""
    return [
        np.where(side.bar > 0, blots >> np.uint32(die) & np.uint32(1), (side.held << np.uint32(die) & blots) != 0)
        for die in DICE
    ]


def _chance(dice: Sequence[Array]) -> Array:
    """Return the chance that a roll shows one of the dice."""
    number = np.sum(dice, axis=0)
    return np.asarray(1 - ((6 - number) / 6) ** 2)

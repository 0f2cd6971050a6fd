"""Inputs of a network for a position: groups of numbers from 0 to about 1, each with the clause it serves.

Every group is told of both sides, first of the side that has just moved, then of the one about to
roll. A group gives rows: arrays of shape (2, positions), one row a side, or several at once with
shape (2, some, positions).
"""

from collections.abc import Callable, Iterator, Sequence
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
    Flags,
    Floats,
    Masks,
    Phase,
    Sides,
    mask,
    sides_of,
)
from arena.analysis.hits import dice_that_hit, hits_of_rolls, mean_of_rolls
from arena.games.tables.board import BOUND, CHECKERS, FLAGS, OFF
from arena.games.tables.endings import HANDSOME
from arena.games.tables.ruleset import Ruleset

Group = Callable[[Sides, Ruleset], Iterator[Array]]
"""Rows of numbers of both sides."""


def checkers(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B1.2, B4: for each point whether there is at least one checker, two, three, four, and a quarter of the rest."""
    yield _by_number(sides.counts[:, 1:OFF], 4)


def bar(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B5: whether at least one checker is on the bar, two, three, and a quarter of the rest."""
    yield _by_number(sides.counts[:, :1], 3)


def off(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B7, B5.6, B6.2, G6: the checkers borne off; whether there is one; whether 14 are off."""
    off = sides.counts[:, OFF]
    yield off / np.float32(CHECKERS)
    yield off > 0
    yield off == CHECKERS - 1


def pips(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B7: the way that is left, alone and against the other side's."""
    mine = pips_of(sides.counts)
    lead = mine[::-1] - mine
    yield mine / 150
    yield np.tanh(lead / 25)
    yield np.tanh(lead / 8 / np.sqrt(mine.sum(axis=0) + 1))


def state(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B4.3 [F]: whether the side has landed on its head.

    B11.3: for how many turns it rolls a single die.
    """
    yield sides.counts[:, FLAGS]
    yield sides.counts[:, BOUND] / np.float32(6)


def room(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B9.1: how many more hits outside Q1 the side stands before it is jan: none, at least 1, 2, 3, 4, 5."""
    room = 6 - _size(sides.held & Q1).astype(np.int16) - sides.bar
    for number in range(1, 6):
        yield room >= number
    yield room < 0


def shots(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B4.2: the dice that hit a blot of the side at once, and how likely one comes; blots in and outside Q1 (B9.1).

    A hit in Q1 makes room for its checker, one outside does not. Points 13 to 18 of the other side
    are this one's Q1 where both travel the same way. Last the blots that two dice reach.
    """
    others, blots = sides.others, sides.blots_for_them
    q1 = Q3 if rules.facing == "same_way" else mask(19, 24)
    hits, outside = dice_that_hit(others, blots), dice_that_hit(others, blots & ~q1)
    near = _reached(others, DICE) & blots
    far = np.where(others.bar > 0, np.uint32(0), _reached(others, range(7, 13))) & blots
    yield from hits
    yield _chance(hits)
    yield _chance(outside)
    yield _size(near & q1) / np.float32(4)
    yield _size(near & ~q1) / np.float32(4)
    yield _size(far) / np.float32(6)


def rolls_that_hit(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B4.2, B9.1, G4: how likely the other side's next roll hits a blot with its dice as they come, alone or together.

    Where both travel the same way also one outside Q1, and one of two there, for those lead to jan.
    Where they travel against each other one past half way, one of two, and the pips lost; of
    several blots the one that loses most. All that are on the bar enter before another one hits.
    Strikes, and that a roll must be used as far as possible, are left out.
    """
    hits = hits_of_rolls(sides, rules)
    yield mean_of_rolls(hits != 0)
    if rules.facing == "same_way":
        outside = hits & ~Q3
        yield mean_of_rolls(outside != 0)
        yield mean_of_rolls(_are_several(outside))
    else:
        yield mean_of_rolls(hits & _NEAR_THEM != 0)
        yield mean_of_rolls(_are_several(hits))
        lost = np.where(hits != 0, OFF - _lowest(hits).astype(np.float32), np.float32(0))
        yield mean_of_rolls(lost / np.float32(24))


def passing(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """G1: the pips until all are level with the other's rearmost checker, and those left to the ones beyond it."""
    beyond = OFF - np.where(sides.bar > 0, np.uint32(0), _lowest(sides.held))[::-1].astype(
        np.int16
    )  # own numbering
    behind, late, way = (np.zeros(beyond.shape, np.int16) for _ in range(3))
    for slot in range(OFF):
        inside = slot < beyond
        behind += sides.counts[:, slot]
        late += sides.counts[:, slot] * inside
        way += behind * inside
    yield way / np.float32(150)
    yield (pips_of(sides.counts) - way - (OFF - beyond) * late) / np.float32(100)


def anchors(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """G3, G4: where the side holds points in the other's home board, and how many checkers are there or behind.

    The rearmost and the foremost anchor, whether there are two and more, and the checkers back with
    one and with two.
    """
    occupied = sides.closed & Q1
    number = _size(occupied)
    back = sides.counts[:, :7].sum(axis=1, dtype=np.float32)
    yield np.where(number > 0, _lowest(occupied), np.uint32(0)) / np.float32(6)
    yield _highest_of_home(occupied) / np.float32(6)
    yield number > 1
    yield (number == 1) * back / np.float32(8)
    yield (number > 1) * np.maximum(back - 3, np.float32(0)) / np.float32(4)
    yield back / np.float32(8)


def timing(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """G3: the pips that can be played before points at home or the last anchor must be broken; how far all lie apart.

    Checkers that hold a point in the other's home board stay, two on each; the others go as far as
    the own home, and there spare ones as far as its last three points. The spread is the mean
    square of how far checkers lie behind the middle of all.
    """
    counts = sides.counts[:, :OFF].astype(np.float32)
    free = counts[:, :19].copy()
    free[:, 1:7] -= np.where(free[:, 1:7] >= 2, np.float32(2), np.float32(0))
    spare = np.maximum(counts[:, 19:22] - 2, np.float32(0))
    yield (_TO_HOME @ free + _TO_DEEP @ spare) / 100
    number = np.maximum(counts.sum(axis=1), 1)
    middle = _SLOTS @ counts / number
    behind = np.maximum(middle[:, np.newaxis] - _SLOTS[:, np.newaxis], np.float32(0))
    yield (counts * behind * behind).sum(axis=1) / number / 50


def escapes(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B4.1: how likely a roll takes the rearmost checker all the way, and one from the bar and from points 1 to 11.

    The least of these, of all and of the bar and the other's home, tell how well the other side's
    points hold a checker. The squares make more of what is nearly shut; last the checkers in the
    rear half, each with its chance.
    """
    shut = sides.others.closed_for_them
    occupied = sides.held | (sides.bar > 0)
    rear = _lowest(occupied)
    from_rear = _ESCAPES[shut >> (rear + np.uint32(1)) & 4095]
    ahead = [_ESCAPES[shut >> np.uint32(point + 1) & 4095] for point in range(12)]
    least = np.minimum.reduce(ahead)
    near = np.minimum.reduce(ahead[:7])
    mobility = np.sum(
        [(sides.counts[:, point] * ahead[point]) for point in range(12)], axis=0
    ) / np.float32(4)
    yield from (from_rear, least, near, np.square(1 - from_rear), np.square(1 - least), mobility)


def primes(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B6: whether the longest prime, measured along the other side's path, has at least 3, 4, 5, 6, 7 points."""
    run: Array = sides.closed_for_them
    for length in range(2, 8):
        run = sides.closed_for_them & run >> 1
        if length > 2:
            yield run != 0


def ways_out(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B4.1: the six points before home and before the rearmost checker that are shut; the dice that move a checker."""
    shut = sides.others.closed_for_them
    rear = sides.held & (~sides.held + np.uint32(1))
    ahead = ((rear << 7) - (rear << 1)) & POINTS
    further = (ahead << 6) & POINTS
    taken = sides.held & SINGLE_POINTS if rules.stacking == "from_head" else np.uint32(0)
    yield _size(shut & mask(2, 7)) / np.float32(6)
    yield _size(shut & ahead) / np.float32(6)
    yield _size(shut & further) / np.float32(6)
    yield _size((sides.held >> 1) & shut) / np.float32(6)
    for die in DICE:
        yield (sides.held << die & POINTS & ~shut & ~taken) != 0


def entry(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B5.2 to B5.5: free points of Q1, points where a checker on the bar can enter, and whether it may strike."""
    shut = sides.others.closed_for_them
    free = _size(Q1 & ~sides.held & ~shut)
    on_bar = sides.bar > 0
    yield free / np.float32(6)
    yield _size(Q1 & shut) / np.float32(6)
    yield on_bar & (free == 0)
    yield on_bar & (sides.bar > free)
    yield on_bar * free / np.float32(6)


def handsome(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """B8.1: for each of the four, whether it can still stand, how many pips are missing, and how many checkers."""
    can_stand = may_stand(sides.counts)
    missing = CHECKERS - np.minimum(_HANDSOME, _placed(sides.counts)).sum(axis=2, dtype=np.uint8)
    near = np.exp((_HANDSOME_WAYS - pips_of(sides.counts)[:, np.newaxis]) / 12)
    given = can_stand, can_stand * near, can_stand * _OF_MISSING[missing], can_stand & (missing < 2)
    for place in range(len(HANDSOME)):
        yield from (rows[:, place] for rows in given)


def may_stand(counts: Counts) -> Flags:
    """B8.1: return for each of the four whether it can still stand if nobody is hit, shape (2, 4, positions)."""
    beyond = _placed(counts).cumsum(axis=2, dtype=np.uint8)
    can_stand = (beyond <= _HANDSOME.cumsum(axis=1, dtype=np.uint8)).all(
        axis=2
    )  # checkers only move forward
    can_stand &= counts[:, np.newaxis, OFF] == 0
    return np.asarray(can_stand)


def _placed(counts: Counts) -> Counts:
    """The checkers on 24, 23, 22, 21 and 20, where handsome games stand, shape (2, 1, 5, positions)."""
    return counts[:, np.newaxis, OFF - 1 : OFF - 6 : -1]


def pips_of(counts: Counts) -> Floats:
    """The way that is left until all checkers are off, in pips (B7.2), shape (2, positions)."""
    return _PIPS @ counts[:, :OFF].astype(np.float32)


_PIPS: Final = np.arange(OFF, 0, -1, dtype=np.float32)
_SLOTS: Final = np.arange(OFF, dtype=np.float32)
_TO_HOME: Final = 19 - np.arange(19, dtype=np.float32)
_TO_DEEP: Final = 22 - np.arange(19, 22, dtype=np.float32)
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
"""For every mask of shut points among the next twelve, the share of rolls that take a checker all
the way."""
_HANDSOME: Final = np.array(
    [[[pattern >> 4 * slot & 15] for slot in range(24, 19, -1)] for pattern in HANDSOME],
    dtype=np.uint8,
)
"""The checkers of each on 24, 23, 22, 21, 20, shape (4, 5, 1)."""
_HANDSOME_WAYS: Final = _HANDSOME[:, :, 0] @ np.arange(1, 6, dtype=np.float32)[:, np.newaxis]
"""The pips that are left from there, shape (4, 1)."""
_OF_MISSING: Final = np.exp(-np.arange(CHECKERS + 1, dtype=np.float32) / 3)


def inputs_of(counts: Counts, rules: Ruleset, phase: Phase, *, for_sieve: bool = False) -> Floats:
    """The inputs of the network of a phase for positions of that phase, shape (positions, features).

    A network of a sieve is told only what costs little: where the checkers are, and how far they
    have to go.
    """
    sides, number = sides_of(counts, rules.facing), counts.shape[-1]
    given = [
        row
        for group in _groups_of(rules, phase, for_sieve=for_sieve)
        for row in group(sides, rules)
    ]
    rows = [row if row.ndim == 3 else row[:, np.newaxis] for row in given]
    width, played = sum(row.shape[1] for row in rows), _options(rules)
    found = np.empty((2 * width + len(played), number), dtype=np.float32)
    of_sides, begin = found[: 2 * width].reshape(2, width, number), 0
    for row in rows:
        end = begin + row.shape[1]
        of_sides[:, begin:end] = row
        begin = end
    found[2 * width :] = played
    return found.T


def _options(rules: Ruleset) -> Floats:
    """B11: the options of `classic` that are played, shape (some, 1), so that one evaluator serves them all."""
    if rules.bearing_off != "any" or not rules.jan:
        return np.empty((0, 1), dtype=np.float32)
    played = rules.double_six, rules.entry_strikes == "outnumbered", rules.one_die
    return np.array(played, dtype=np.float32)[:, np.newaxis]


def _groups_of(rules: Ruleset, phase: Phase, *, for_sieve: bool) -> list[Group]:
    groups: list[Group] = [checkers, off, pips]
    if phase != "race":
        groups += [bar, state]
        if rules.jan:
            groups.append(room)
        if not for_sieve:
            groups += [shots, primes, ways_out, entry, rolls_that_hit]
            if rules.facing == "opposite_ways":
                groups += [escapes, passing, anchors, timing]
    if rules.handsome != "never":
        groups.append(handsome)
    return groups


def _by_number(counts: Counts, least: int) -> Floats:
    """Return for every slot whether there is at least one checker, two, ... up to `least`, and a quarter of the rest.

    The shape is (2, slots * numbers, positions); the numbers of a slot stand together.
    """
    found = np.empty((2, counts.shape[1], least + 1, counts.shape[2]), dtype=np.float32)
    for number in range(least):
        np.greater(counts, number, out=found[:, :, number])
    np.multiply(
        np.maximum(counts, least) - np.uint8(least), np.float32(0.25), out=found[:, :, least]
    )
    return found.reshape(2, counts.shape[1] * (least + 1), counts.shape[2])


def _are_several(points: Masks) -> Array:
    return np.asarray(points & points - np.uint32(1) != 0)


def _size(points: Array) -> Array:
    return np.bitwise_count(points)


def _highest_of_home(points: Masks) -> Array:
    """Return the highest of the points 1 to 6 of each mask; 0 of an empty one."""
    found = [np.where(points >> np.uint32(point) & np.uint32(1), point, 0) for point in range(1, 7)]
    return np.asarray(np.max(found, axis=0))


def _lowest(points: Masks) -> Masks:
    """Return the lowest point of each mask; 32 of an empty one."""
    return _size((points & ~points + np.uint32(1)) - np.uint32(1)).astype(np.uint32)


def _reached(sides: Sides, distances: range) -> Masks:
    reached = np.zeros_like(sides.held)
    for distance in distances:
        reached |= sides.held << distance
    return reached & POINTS


def _chance(dice: Sequence[Array]) -> Array:
    """Return the chance that a roll shows one of the dice."""
    number = np.sum(dice, axis=0)
    return np.asarray(1 - ((6 - number) / 6) ** 2)

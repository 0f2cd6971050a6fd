"""Inputs of a network for a position: groups of numbers from 0 to about 1, with their clauses.

Every group describes both sides: first the side that has just moved, then the one about to roll. A
group gives rows: arrays of shape (2, positions), one row per side, or several at once with
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
    """Yield whether a point has one checker, two, three, four, and a quarter of more (B1.2, B4)."""
    yield _by_number(sides.counts[:, 1:OFF], 4)


def bar(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield whether the bar has one checker, two, three, and a quarter of more (B5)."""
    yield _by_number(sides.counts[:, :1], 3)


def off(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the checkers off, whether there is one, and whether 14 are (B7, B5.6, B6.2, G6)."""
    off = sides.counts[:, OFF]
    yield off / np.float32(CHECKERS)
    yield off > 0
    yield off == CHECKERS - 1


def pips(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the pips to bear off all checkers, alone and against the other side's (B7)."""
    mine = pips_of(sides.counts)
    lead = mine[::-1] - mine
    yield mine / 150
    yield np.tanh(lead / 25)
    yield np.tanh(lead / 8 / np.sqrt(mine.sum(axis=0) + 1))


def state(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield whether the side has landed on its head, and its turns with a single die.

    B4.3 [F], B11.3.
    """
    yield sides.counts[:, FLAGS]
    yield sides.counts[:, BOUND] / np.float32(6)


def room(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield whether the side can take 1, 2, 3, 4, 5 hits outside Q1 before jan, or none (B9.1)."""
    room = 6 - _size(sides.held & Q1).astype(np.int16) - sides.bar
    for number in range(1, 6):
        yield room >= number
    yield room < 0


def shots(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the dice that hit a blot of the side, their chance, and those blots (B4.2, B9.1).

    A hit in Q1 makes room for its checker, one outside does not. Points 13 to 18 of the other side
    are this one's Q1 where both travel the same way. Blots that only two dice reach come last.
    """
    others, blots = sides.others, sides.blots_for_them
    q1 = Q3 if rules.facing == "same_way" else mask(19, 24)
    hits = dice_that_hit(others, blots)
    hits_outside = dice_that_hit(others, blots & ~q1)
    near = _reach(others, DICE) & blots
    has_free_hand = others.bar == 0
    with_two_dice = np.where(has_free_hand, _reach(others, range(7, 13)), _NO_POINTS)
    far = with_two_dice & blots
    yield from hits
    yield _chance(hits)
    yield _chance(hits_outside)
    yield _scale(near & q1, 4)
    yield _scale(near & ~q1, 4)
    yield _scale(far, 6)


def rolls_that_hit(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the chances that the other side's next roll hits a blot (B4.2, B9.1, G4).

    A roll hits with one die or with both. Where both sides travel the same way, the next chances
    are of a hit outside Q1, and of a roll that hits several blots there: those lead to jan. Where
    they travel against each other, they are of a hit past half way, and of a roll that hits several
    blots; then come the pips lost, for the blot that loses most. All checkers on the bar enter
    before another one hits. Strikes are left out, and so is the duty to use as much of a roll as
    possible.
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
        pips_to_lose = OFF - _lowest(hits).astype(np.float32)
        lost = np.where(hits != 0, pips_to_lose, _NOTHING)
        yield mean_of_rolls(lost / np.float32(24))


def passing(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the pips until all are past the other's rearmost checker, and those after it (G1)."""
    rear = np.where(sides.bar > 0, _NO_POINTS, _lowest(sides.held))
    beyond = OFF - rear[::-1].astype(np.int16)  # the other's rearmost, in the side's own numbering
    behind = np.zeros(beyond.shape, np.int16)
    late = np.zeros(beyond.shape, np.int16)
    to_pass = np.zeros(beyond.shape, np.int16)
    for slot in range(OFF):
        inside = slot < beyond
        behind += sides.counts[:, slot]
        late += sides.counts[:, slot] * inside
        to_pass += behind * inside
    after_passing = pips_of(sides.counts) - to_pass - (OFF - beyond) * late
    yield to_pass / np.float32(150)
    yield after_passing / np.float32(100)


def anchors(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield where the side holds points in the other's home board, and its checkers back (G3, G4).

    These are the rearmost and the foremost anchor, whether there are several, and the checkers back
    with one anchor, with several, and in any case.
    """
    anchored = sides.closed & Q1
    number = _size(anchored)
    back = sides.counts[:, :7].sum(axis=1, dtype=np.float32)
    has_several = number > 1
    rearmost = np.where(number > 0, _lowest(anchored), _NO_POINTS)
    spare = np.maximum(back - 3, _NOTHING)
    yield rearmost / np.float32(6)
    yield _highest_of_home(anchored) / np.float32(6)
    yield has_several
    yield (number == 1) * back / np.float32(8)
    yield has_several * spare / np.float32(4)
    yield back / np.float32(8)


def timing(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the pips to play before home or the last anchor breaks, and the spread (G3).

    Two checkers stay on each point that the side holds in the other's home board. The others go as
    far as their own home, and the spare ones there to its last three points. The spread is the mean
    square of the distances of checkers behind the middle of all.
    """
    counts = sides.counts[:, :OFF].astype(np.float32)
    free = counts[:, :19].copy()
    home_of_other = free[:, 1:7]
    home_of_other -= np.where(home_of_other >= 2, np.float32(2), _NOTHING)
    spare = np.maximum(counts[:, 19:22] - 2, _NOTHING)
    pips_to_play = _TO_HOME @ free + _TO_DEEP @ spare
    yield pips_to_play / 100
    number = np.maximum(counts.sum(axis=1), 1)
    middle = _SLOTS @ counts / number
    distances = middle[:, np.newaxis] - _SLOTS[:, np.newaxis]
    behind = np.maximum(distances, _NOTHING)
    squares = counts * behind * behind
    yield squares.sum(axis=1) / number / 50


def escapes(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the chances that a roll takes a checker of the rear half all its pips (B4.1).

    They are the chance of the rearmost checker, the least chance from the bar and points 1 to 11,
    and the least from the bar and the other's home: how well the other side's points hold a
    checker. The squares weigh more what is nearly shut. The last row sums the chances of all
    checkers in the rear half.
    """
    shut = sides.others.closed_for_them
    occupied = sides.held | (sides.bar > 0)
    rear = _lowest(occupied)
    from_rear = _ESCAPES[shut >> (rear + np.uint32(1)) & 4095]
    ahead = [_ESCAPES[shut >> np.uint32(point + 1) & 4095] for point in range(12)]
    least = np.minimum.reduce(ahead)
    near = np.minimum.reduce(ahead[:7])
    chances = [sides.counts[:, point] * ahead[point] for point in range(12)]
    yield from_rear
    yield least
    yield near
    yield np.square(1 - from_rear)
    yield np.square(1 - least)
    yield np.sum(chances, axis=0) / np.float32(4)


def primes(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield whether the longest prime on the other side's path has 3, 4, 5, 6, 7 points (B6)."""
    run: Array = sides.closed_for_them
    for length in range(2, 8):
        run = sides.closed_for_them & run >> 1
        if length > 2:
            yield run != 0


def ways_out(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the shut points before home and the rearmost checker, and the dice that move (B4.1)."""
    shut = sides.others.closed_for_them
    rear = sides.held & (~sides.held + np.uint32(1))
    ahead = ((rear << 7) - (rear << 1)) & POINTS
    further = (ahead << 6) & POINTS
    full: Masks | np.uint32 = np.uint32(0)
    if rules.stacking == "from_head":
        full = sides.held & SINGLE_POINTS
    yield _scale(shut & mask(2, 7), 6)
    yield _scale(shut & ahead, 6)
    yield _scale(shut & further, 6)
    yield _scale(sides.held >> 1 & shut, 6)
    landing = POINTS & ~shut & ~full
    for die in DICE:
        yield (sides.held << die & landing) != 0


def entry(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield the free and the shut points of Q1, and whether the bar can empty (B5.2 to B5.5)."""
    shut = sides.others.closed_for_them
    free = _size(Q1 & ~sides.held & ~shut)
    on_bar = sides.bar > 0
    yield free / np.float32(6)
    yield _scale(Q1 & shut, 6)
    yield on_bar & (free == 0)
    yield on_bar & (sides.bar > free)
    yield on_bar * free / np.float32(6)


def handsome(sides: Sides, rules: Ruleset) -> Iterator[Array]:
    """Yield for each handsome game whether it can stand, and what it still needs (B8.1).

    The pips and the checkers that it needs come as figures that fall from 1.
    """
    can_stand = may_stand_handsome(sides.counts)
    in_place = np.minimum(_HANDSOME, _last_five_points(sides.counts))
    missing = CHECKERS - in_place.sum(axis=2, dtype=np.uint8)
    pips_to_go = pips_of(sides.counts)[:, np.newaxis] - _HANDSOME_WAYS
    soon = can_stand * np.exp(-pips_to_go / 12)
    few = can_stand * _OF_MISSING[missing]
    is_close = can_stand & (missing < 2)
    for place in range(len(HANDSOME)):
        yield can_stand[:, place]
        yield soon[:, place]
        yield few[:, place]
        yield is_close[:, place]


def may_stand_handsome(counts: Counts) -> Flags:
    """Return whether each handsome game can stand if no checker is hit, shape (2, 4, positions).

    Checkers only move forward, so no checker may be further than in the game (B8.1).
    """
    beyond = _last_five_points(counts).cumsum(axis=2, dtype=np.uint8)
    beyond_in_game = _HANDSOME.cumsum(axis=1, dtype=np.uint8)
    none_is_too_far = (beyond <= beyond_in_game).all(axis=2)
    none_is_off = counts[:, np.newaxis, OFF] == 0
    return np.asarray(none_is_too_far & none_is_off)


def _last_five_points(counts: Counts) -> Counts:
    """Return the checkers on 24 to 20, where handsome games stand, shape (2, 1, 5, positions)."""
    return counts[:, np.newaxis, OFF - 1 : OFF - 6 : -1]


def pips_of(counts: Counts) -> Floats:
    """Return the pips until all checkers are off (B7.2), shape (2, positions)."""
    return _PIPS @ counts[:, :OFF].astype(np.float32)


_NO_POINTS: Final = np.uint32(0)
_NOTHING: Final = np.float32(0)
_PIPS: Final = np.arange(OFF, 0, -1, dtype=np.float32)
_SLOTS: Final = np.arange(OFF, dtype=np.float32)
_TO_HOME: Final = 19 - np.arange(19, dtype=np.float32)
_TO_DEEP: Final = 22 - np.arange(19, 22, dtype=np.float32)
_NEAR_THEM: Final = mask(1, 12)


def _count_of_escapes() -> Floats:
    throws = np.zeros(4096, dtype=np.float32)
    shut = np.arange(4096)
    for first in DICE:
        for second in DICE:
            first_is_shut = shut >> first - 1
            second_is_shut = shut >> second - 1
            both_are_shut = first_is_shut & second_is_shut & 1
            sum_is_shut = shut >> first + second - 1 & 1
            throws += (both_are_shut | sum_is_shut) == 0
    return throws / np.float32(36)


_ESCAPES: Final = _count_of_escapes()
"""For every mask of shut points among the next twelve, the share of rolls that a checker can play
in full."""


def _checkers_of_handsome() -> Counts:
    numbers = np.empty((len(HANDSOME), 5, 1), dtype=np.uint8)
    for place, pattern in enumerate(HANDSOME):
        for column, slot in enumerate(range(24, 19, -1)):
            numbers[place, column] = pattern >> 4 * slot & 15
    return numbers


_HANDSOME: Final = _checkers_of_handsome()
"""The checkers of each on 24, 23, 22, 21, 20, shape (4, 5, 1)."""
_HANDSOME_WAYS: Final = _HANDSOME[:, :, 0] @ np.arange(1, 6, dtype=np.float32)[:, np.newaxis]
"""The pips from there until all checkers are off, shape (4, 1)."""
_OF_MISSING: Final = np.exp(-np.arange(CHECKERS + 1, dtype=np.float32) / 3)


def inputs_of(counts: Counts, rules: Ruleset, phase: Phase, *, for_sieve: bool = False) -> Floats:
    """Return the inputs of the network of a phase, shape (positions, features).

    All positions are of that phase. A network of a sieve has only the inputs that cost little:
    where the checkers are, and how far they have to go.
    """
    sides = sides_of(counts, rules.facing)
    number = counts.shape[-1]
    rows: list[Array] = []
    for group in _groups_of(rules, phase, for_sieve=for_sieve):
        for row in group(sides, rules):
            if row.ndim == 2:
                row = row[:, np.newaxis]
            rows.append(row)
    width = sum(row.shape[1] for row in rows)
    both_sides = 2 * width
    options = _options(rules)
    inputs = np.empty((both_sides + len(options), number), dtype=np.float32)
    of_sides = inputs[:both_sides].reshape(2, width, number)
    begin = 0
    for row in rows:
        end = begin + row.shape[1]
        of_sides[:, begin:end] = row
        begin = end
    inputs[both_sides:] = options
    return inputs.T


def _options(rules: Ruleset) -> Floats:
    """Return the options of `classic` that are played, shape (options, 1) (B11).

    One evaluator serves them all.
    """
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
    """Return whether each slot has one checker, two, ... up to `least`, and a quarter of more.

    The shape is (2, slots * numbers, positions); the numbers of a slot stand together.
    """
    _, slots, positions = counts.shape
    rows = np.empty((2, slots, least + 1, positions), dtype=np.float32)
    for number in range(least):
        np.greater(counts, number, out=rows[:, :, number])
    more = np.maximum(counts, least) - np.uint8(least)
    quarters = rows[:, :, least]
    np.multiply(more, np.float32(0.25), out=quarters)
    return rows.reshape(2, slots * (least + 1), positions)


def _are_several(points: Masks) -> Array:
    return np.asarray(points & points - np.uint32(1) != 0)


def _size(points: Array) -> Array:
    return np.bitwise_count(points)


def _scale(points: Array, most: int) -> Array:
    """Return the number of points of each mask as a share of `most`."""
    return _size(points) / np.float32(most)


def _highest_of_home(points: Masks) -> Array:
    """Return the highest of the points 1 to 6 of each mask; 0 of an empty one."""
    by_point = []
    for point in range(1, 7):
        is_set = points >> np.uint32(point) & np.uint32(1)
        by_point.append(np.where(is_set, point, 0))
    return np.asarray(np.max(by_point, axis=0))


def _lowest(points: Masks) -> Masks:
    """Return the lowest point of each mask; 32 of an empty one."""
    return _size((points & ~points + np.uint32(1)) - np.uint32(1)).astype(np.uint32)


def _reach(sides: Sides, distances: range) -> Masks:
    reached = np.zeros_like(sides.held)
    for distance in distances:
        reached |= sides.held << distance
    return reached & POINTS


def _chance(dice: Sequence[Array]) -> Array:
    """Return the chance that a roll shows one of the dice."""
    number = np.sum(dice, axis=0)
    one_misses = (6 - number) / 6
    return np.asarray(1 - one_misses**2)

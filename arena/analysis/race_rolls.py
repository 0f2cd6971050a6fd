"""Every way in which many sides of a race play a roll while checkers are outside Q4 (G4, G5)."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.analysis.arrays import Array
from arena.analysis.bearing_off import FIRST, NON_DOUBLES
from arena.games.tables.board import OFF

ORDER_COUNTS: Final = 2
"""Checkers outside Q4 with which the order of two dice may decide whether one is borne off."""
SLOTS: Final = np.arange(OFF)
KEYS: Final = np.random.default_rng(1).integers(2**63, size=OFF + 2, dtype=np.uint64)
"""Sums of counts times these tell sides apart."""

Rows = NDArray[np.intp]


def ways_of_rolls(sides: Array) -> Iterator[tuple[Rows, Array]]:
    """Yield the ways of each roll, in the order of `WAYS_TO_THROW`.

    `sides` has shape (sides, 28). Ways are the side that each comes from, and the sides afterwards.
    While a checker is outside Q4, only those outside move.
    """
    few = np.flatnonzero(sides[:, :FIRST].sum(axis=1) <= ORDER_COUNTS)
    for die in range(1, 7):
        yield _ways(sides, [die] * 4)
    for small, large in NON_DOUBLES + 1:
        rows, after = _ways(sides, (large, small))
        more_rows, more_after = _ways(sides[few], (small, large))
        yield np.concatenate((rows, few[more_rows])), np.concatenate((after, more_after))


def _ways(sides: Array, dice: Sequence[int]) -> tuple[Rows, Array]:
    rows = np.arange(len(sides))
    for die in dice:
        origins, sides = _after_die(sides, die)
        rows = rows[origins]
        told_apart = np.column_stack((sides[:, : OFF + 1], rows)).astype(np.uint64)
        _, kept = np.unique(told_apart @ KEYS, return_index=True)
        rows = rows[kept]
        sides = sides[kept]
    return rows, sides


def _after_die(sides: Array, die: int) -> tuple[Rows, Array]:
    """Return which side each move of a die comes from, and the side after it.

    A side with all its checkers off stays as it is.
    """
    legal = sides[:, :OFF] > 0
    rearmost = legal.argmax(axis=1)
    legal[rearmost < FIRST, FIRST:] = False
    legal &= (SLOTS + die <= OFF) | (rearmost[:, np.newaxis] == SLOTS)
    is_over = ~legal.any(axis=1)
    rows, points = np.nonzero(legal)
    after = sides[rows]
    moves = np.arange(len(rows))
    after[moves, points] -= 1
    after[moves, np.minimum(points + die, OFF)] += 1
    origins = np.concatenate((rows, np.flatnonzero(is_over)))
    return origins, np.concatenate((after, sides[is_over]))

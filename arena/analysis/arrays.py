"""Many packed positions at once as arrays: counts of checkers, and masks of points like those of the engine.

Masks let one instruction look at a whole side: `mask << d` is where its checkers come by the die d.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.tables.board import BAR, OFF, SIDE_BITS, Facing, flip_tables, span

Floats: TypeAlias = NDArray[np.float32]
Masks: TypeAlias = NDArray[np.uint32]
"""Bit p is set for point p, as in the engine; one mask a position."""
Counts: TypeAlias = NDArray[np.uint8]
"""Shape (positions, 56): checkers by slot, the mover's 28 slots first (arena/games/tables/board.py)."""
Flags: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[Any]

STATE_BYTES: Final = 2 * SIDE_BITS // 8
SLOTS: Final = 28
DICE: Final = range(1, 7)


def mask(first: int, last: int) -> np.uint32:
    """The points first..last."""
    return np.uint32(span(first, last))


POINTS: Final = mask(1, 24)
Q1: Final = mask(1, 6)
Q3: Final = mask(13, 18)
SINGLE_POINTS: Final = mask(2, 11)
"""B4.3: points that never hold two checkers of their side."""


def counts_of(states: Sequence[int]) -> Counts:
    """Packed states as counts by slot, shape (states, 56): the side that has just moved in the first 28 columns."""
    joined = b"".join([state.to_bytes(STATE_BYTES, "little") for state in states])
    packed = np.frombuffer(joined, dtype=np.uint8).reshape(-1, STATE_BYTES)
    counts = np.empty((len(packed), 2 * SLOTS), dtype=np.uint8)
    counts[:, 0::2] = packed & 15
    counts[:, 1::2] = packed >> 4
    return counts


@dataclass(frozen=True, slots=True)
class Side:
    """One side of many positions. Masks are in its own numbering unless they say otherwise."""

    counts: Counts
    """Shape (positions, 28)."""
    bar: Counts
    held: Masks
    """Points with a checker."""
    closed: Masks
    """Points with two or more."""
    blots_for_them: Masks
    """Points with exactly one, in the opponent's numbering."""
    closed_for_them: Masks
    """Closed points in the opponent's numbering."""


def sides_of(counts: Counts, facing: Facing) -> tuple[Side, Side]:
    """Both sides of positions given as `counts_of` gives them: the one that has just moved, the one about to roll."""
    return _side(counts[:, :SLOTS], facing), _side(counts[:, SLOTS:], facing)


def has_contact(counts: Counts, facing: Facing) -> Flags:
    """Return whether a checker of either side can still meet one of the other.

    B1.1: one that is past its own 12 never comes where the other side's second half is. G1: two sides that face each
    other have passed when neither has a checker behind the rearmost of the other.
    """
    held = counts > 0
    if facing == "same_way":
        return np.asarray(held[:, :13].any(axis=1) | held[:, SLOTS : SLOTS + 13].any(axis=1))
    mine = held[:, :OFF].argmax(axis=1)
    theirs = held[:, SLOTS : SLOTS + OFF].argmax(axis=1)
    somebody_is_off = ~(held[:, :OFF].any(axis=1) & held[:, SLOTS : SLOTS + OFF].any(axis=1))
    return np.asarray((mine < OFF - theirs) & ~somebody_is_off)


def _side(counts: Counts, facing: Facing) -> Side:
    held, closed = _mask(counts > 0), _mask(counts > 1)
    return Side(
        counts=counts,
        bar=counts[:, BAR],
        held=held,
        closed=closed,
        blots_for_them=_turned(held & ~closed, facing),
        closed_for_them=_turned(closed, facing),
    )


def _mask(occupied: Flags) -> Masks:
    """The points of each position for which the slot is true: bits 1 to 24."""
    packed = np.packbits(occupied, axis=1, bitorder="little")  # 28 slots are four bytes
    return np.ascontiguousarray(packed).view(np.uint32)[:, 0] & POINTS


_FLIP: Final = {facing: np.array(flip_tables(facing), dtype=np.uint32) for facing in ("same_way", "opposite_ways")}


def _turned(points: Masks, facing: Facing) -> Masks:
    """The same points in the other side's numbering."""
    low, high = _FLIP[facing]
    return np.asarray(low[points >> 1 & 4095] | high[points >> 13])

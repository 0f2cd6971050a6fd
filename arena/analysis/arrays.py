"""Many packed positions as arrays: counts of checkers, and masks of points as in the engine.

Masks let one instruction look at a whole side: `mask << d` has the points that its checkers reach
with the die d.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.games.tables.board import BAR, OFF, SIDE_BITS, Facing, flip_tables, span

Floats: TypeAlias = NDArray[np.float32]
Masks: TypeAlias = NDArray[np.uint32]
"""Bit p is set for point p, as in the engine; one mask per position."""
Counts: TypeAlias = NDArray[np.uint8]
"""Shape (2, 28, positions): checkers of both sides by slot (arena/games/tables/board.py), the
mover's first.

One slot of all positions lies together in memory, since each count is made for all positions.
"""
Flags: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[Any]

Phase = Literal["contact", "crashed", "race"]
"""While checkers of both sides can still meet, the same when a side is crashed, and afterwards."""
CRASHED: Final = 9
"""Checkers of a side that is crashed, on its last two points or off, while there is contact."""

STATE_BYTES: Final = 2 * SIDE_BITS // 8
SLOTS: Final = 28
DICE: Final = range(1, 7)


def mask(first: int, last: int) -> np.uint32:
    """Return the mask of the points first..last."""
    return np.uint32(span(first, last))


POINTS: Final = mask(1, 24)
Q1: Final = mask(1, 6)
Q3: Final = mask(13, 18)
SINGLE_POINTS: Final = mask(2, 11)
"""B4.3: points that never hold two checkers of their side."""


def counts_of(states: Sequence[int]) -> Counts:
    """Return packed states as counts by slot, shape (2, 28, states).

    The side that has just moved comes first.
    """
    joined = b"".join([state.to_bytes(STATE_BYTES, "little") for state in states])
    by_state = np.frombuffer(joined, dtype=np.uint8).reshape(-1, STATE_BYTES)
    # a byte has two slots, the lower one in its low half
    pairs = by_state.T.reshape(2, SLOTS // 2, -1)
    counts = np.empty((2, SLOTS // 2, 2, len(states)), dtype=np.uint8)
    counts[:, :, 0] = pairs & 15
    counts[:, :, 1] = pairs >> 4
    return counts.reshape(2, SLOTS, -1)


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides of many positions; every array has shape (2, positions), one row per side.

    Masks are in a side's own numbering unless they say otherwise.
    """

    counts: Counts
    """Shape (2, 28, positions)."""
    bar: Array
    held: Masks
    """Points with a checker."""
    closed: Masks
    """Points with two or more."""
    blots_for_them: Masks
    """Points with exactly one, in the opponent's numbering."""
    closed_for_them: Masks
    """Closed points in the opponent's numbering."""

    @property
    def others(self) -> "Sides":
        """The same positions with both sides exchanged."""
        return Sides(
            counts=self.counts[::-1],
            bar=self.bar[::-1],
            held=self.held[::-1],
            closed=self.closed[::-1],
            blots_for_them=self.blots_for_them[::-1],
            closed_for_them=self.closed_for_them[::-1],
        )


def sides_of(counts: Counts, facing: Facing) -> Sides:
    """Return both sides: first the one that has just moved, then the one about to roll."""
    occupied = _mask(counts > 0)
    closed = _mask(counts > 1)
    return Sides(
        counts=counts,
        bar=counts[:, BAR],
        held=occupied,
        closed=closed,
        blots_for_them=_turn_round(occupied & ~closed, facing),
        closed_for_them=_turn_round(closed, facing),
    )


def has_contact(counts: Counts, facing: Facing) -> Flags:
    """Return whether a checker of either side can still meet one of the other.

    B1.1: one that is past its own 12 never comes where the other side's second half is. G1: two
    sides that face each other have passed when neither has a checker behind the rearmost of the
    other.
    """
    if facing == "same_way":
        return np.asarray(counts[:, :13].any(axis=(0, 1)))
    occupied = counts[:, :OFF] > 0
    mine, theirs = occupied.argmax(axis=1)
    both_play_on = occupied.any(axis=1).all(axis=0)
    is_behind = mine < OFF - theirs
    return np.asarray(is_behind & both_play_on)


def is_crashed(counts: Counts) -> Flags:
    """Return whether a side can hardly do more than wait: most of its checkers are out of play."""
    deep = counts[:, OFF - 2 : OFF + 1].sum(axis=1, dtype=np.uint8)
    return np.asarray((deep >= CRASHED).any(axis=0))


def phases_of(facing: Facing) -> tuple[Phase, ...]:
    """Return the phases for which an evaluator has a network each.

    Crashed positions have their own network where the sides travel against each other: there they
    are back games and holding games that go wrong, and half of all large mistakes. In Bräde a side
    that is nearly home is no case of its own.
    """
    if facing == "opposite_ways":
        return ("contact", "crashed", "race")
    return ("contact", "race")


def rows_of(counts: Counts, facing: Facing) -> dict[Phase, Array]:
    """Return the places of the positions of each phase, in the order of `phases_of`."""
    meets = has_contact(counts, facing)
    is_in: dict[Phase, Flags] = {"contact": meets, "race": ~meets}
    if "crashed" in phases_of(facing):
        crashed = meets & is_crashed(counts)
        is_in["contact"] = meets & ~crashed
        is_in["crashed"] = crashed
    return {phase: np.flatnonzero(is_in[phase]) for phase in phases_of(facing)}


def _mask(occupied: Flags) -> Masks:
    """Return the points of each position whose slot is true: bits 1 to 24."""
    points = np.zeros(occupied[:, 0].shape, dtype=np.uint32)
    for point in range(1, 25):
        points |= occupied[:, point].astype(np.uint32) << np.uint32(point)
    return points


_FLIP: Final = {
    facing: np.array(flip_tables(facing), dtype=np.uint32)
    for facing in ("same_way", "opposite_ways")
}


def _turn_round(points: Masks, facing: Facing) -> Masks:
    """Return the same points in the other side's numbering."""
    low, high = _FLIP[facing]
    first_half = points >> 1 & 4095
    second_half = points >> 13
    return np.asarray(low[first_half] | high[second_half])

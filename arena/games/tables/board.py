"""The board of every tables game: 24 points, a bar and an off tray, packed into one integer (B1).

A *side* is 28 slots of four bits: slot 0 is the bar, slots 1-24 are the points along that side's
own path, slot 25 is off, slots 26 and 27 hold what else a ruleset remembers (see `Layout`). A
*state* is two sides in one integer: the mover's in the low half, the opponent's (in the opponent's
own numbering) in the high half. So moving a checker is one addition, and two placements are equal
exactly when their integers are.

A *mask* has bit p set for each point p of the mover's path that fits the mask's description.
"""

from functools import cache
from typing import Final, Literal, NamedTuple

Facing = Literal["same_way", "opposite_ways"]
"""How the two sides travel: both counter-clockwise (B1.1), or against each other (G1)."""

CHECKERS: Final = 15  # a side (B1.2)
BAR: Final = 0
OFF: Final = 25
FLAGS: Final = 26
BOUND: Final = 27

_NAMES: Final = {BAR: "bar", OFF: "off"}

SLOT_BITS: Final = 4  # a count is 0..15
SIDE_BITS: Final = 28 * SLOT_BITS
SIDE: Final = (1 << SIDE_BITS) - 1
OFF_SHIFT: Final = OFF * SLOT_BITS
THEIR_OFF_SHIFT: Final = SIDE_BITS + OFF_SHIFT
UNLOCKED: Final = 1 << (FLAGS * SLOT_BITS)  # the flag of B4.3 [F]
BOUND_SHIFT: Final = BOUND * SLOT_BITS

POINTS: Final = 0x1FFFFFE  # bits 1..24


def span(first: int, last: int) -> int:
    """Return the mask of points first..last."""
    return ((1 << (last + 1)) - 1) & ~((1 << first) - 1)


Q1: Final = span(1, 6)
Q4: Final = span(19, 24)
HOME: Final = 1
HEAD: Final = 12
STACK_POINT: Final = HOME + 6
"""B11.1: the point of the six checkers of the double-six turn."""


class Layout(NamedTuple):
    """Numbering of the positions of a ruleset, and what they hold besides checkers."""

    facing: Facing
    unlocked: bool = False
    """B4.3 [F]: whether a side has landed on its head; a flag in slot 26."""
    stack: bool = False
    """B11.1: two or more checkers on point 7 are the stack of the double-six turn, hit whole and
    never closed."""
    one_die: bool = False
    """B11.3: for how many turns more a side rolls a single die; the number in slot 27."""


@cache
def opposite(facing: Facing) -> tuple[int, ...]:
    """`opposite(facing)[p]` is the opponent's number of my point p; its own inverse (B1.1, G1)."""
    if facing == "same_way":
        numbers = [(p + 11) % 24 + 1 for p in range(1, 25)]  # B1.1
    else:
        numbers = [25 - p for p in range(1, 25)]  # G1
    return (BAR, *numbers, OFF)


def shown(slot: int, facing: Facing) -> str:
    """Return a slot's name for people: `bar`, `off` or the number of the point (B1.1, G1)."""
    if slot in _NAMES:
        return _NAMES[slot]
    if facing == "same_way":
        return str(slot)
    return str(OFF - slot)


@cache
def flip_tables(facing: Facing) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two tables that convert one side's mask to the other's numbering.

    Each has 4,096 masks: those of the points 1-12, and those of 13-24.
    """
    numbers = opposite(facing)

    def table(first: int) -> tuple[int, ...]:
        masks = [0] * 4096
        for half in range(1, 4096):
            low = half & -half
            masks[half] = masks[half ^ low] | 1 << numbers[first + low.bit_length() - 1]
        return tuple(masks)

    return table(1), table(13)


def count(state: int, slot: int) -> int:
    """Count the mover's checkers on a slot (0 = bar, 1..24 own points, 25 = off)."""
    return state >> (slot * SLOT_BITS) & 15


def their_count(state: int, slot: int) -> int:
    """Count the opponent's checkers on a slot of the opponent's own numbering."""
    return state >> (SIDE_BITS + slot * SLOT_BITS) & 15


_HELD: Final = bytes.maketrans(b"0123456789abcdef", b"0111111111111111")
_CLOSED: Final = bytes.maketrans(b"0123456789abcdef", b"0011111111111111")


def side_masks(side: int) -> tuple[int, int]:
    """Return the masks of one side in its own numbering.

    They are its points with a checker, and those with two or more.
    """
    slots = b"%028x" % side  # one hexadecimal digit a slot; read as binary digits they are a mask
    return int(slots.translate(_HELD), 2) & POINTS, int(slots.translate(_CLOSED), 2) & POINTS


def checkers(slots: int) -> int:
    """Count the checkers on some slots of one side, at most 15.

    A slot is worth a power of 16, which leaves 1 when divided by 15. So the remainder of the whole
    is the number of checkers; 15 of them leave none.
    """
    remainder = slots % CHECKERS
    if slots and not remainder:
        return CHECKERS
    return remainder


def pack_side(counts: dict[int, int]) -> int:
    """Return one side from a map of slot to count."""
    return sum(number << (slot * SLOT_BITS) for slot, number in counts.items())


def bits(mask: int) -> list[int]:
    """List the points of a mask, lowest first."""
    points = []
    while mask:
        low = mask & -mask
        points.append(low.bit_length() - 1)
        mask ^= low
    return points


def long_primes(closed: int, length: int) -> int:
    """Return the points that lie in a stretch of at least `length` (2..24) points of the mask.

    Neighbours are 1-2 .. 23-24 in the mask's numbering; point 24 does not touch point 1 (B6.1,
    B6.3).
    """
    if closed.bit_count() < length:
        return 0
    # in the end: the lowest point of every stretch of `length`
    run, span_of_each = closed, 1
    while span_of_each < length:
        step = min(span_of_each, length - span_of_each)
        run &= run >> step
        span_of_each += step
    # and back: every point of those stretches
    while run and span_of_each > 1:
        step = span_of_each // 2
        run |= run << step
        span_of_each -= step
    return run

"""The board of Brandubh: 7 by 7 squares, numbered 0 to 48 from a1 along the ranks (a1, b1, ... g1, a2, ... g7).

A *mask* is an integer with bit n set for each square n that fits the mask's description; bit boards
are masks.
"""

from typing import Final

FILES: Final = "abcdefg"
RANKS: Final = "1234567"
SQUARES: Final = tuple(file + rank for rank in RANKS for file in FILES)
"""The name of each square by its number."""
NUMBERS: Final = {name: number for number, name in enumerate(SQUARES)}
"""The number of each square by its name."""

_DIRECTIONS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))  # right, left, up, down


def mask_of(*names: str) -> int:
    """The mask of some squares by name."""
    return sum(1 << NUMBERS[name] for name in set(names))


THRONE: Final = mask_of("d4")
CORNERS: Final = mask_of("a1", "g1", "a7", "g7")
RESERVED: Final = THRONE | CORNERS
"""T2: the squares where only the king may stop."""


def _ray(square: int, direction: tuple[int, int]) -> tuple[int, ...]:
    """The squares from this one to the edge, the nearest first."""
    file, rank = square % 7 + direction[0], square // 7 + direction[1]
    ray = []
    while 0 <= file < 7 and 0 <= rank < 7:
        ray.append(rank * 7 + file)
        file, rank = file + direction[0], rank + direction[1]
    return tuple(ray)


RAYS: Final = tuple(
    tuple(_ray(square, direction) for direction in _DIRECTIONS) for square in range(49)
)
"""The four ways from each square to the edge: right, left, up, down; the nearest square first."""

BESIDE: Final = tuple(sum(1 << ray[0] for ray in rays if ray) for rays in RAYS)
"""The mask of the two to four squares next to each square."""

GRIPS: Final = tuple(
    tuple((1 << ray[0], 1 << ray[1]) for ray in rays if len(ray) > 1) for rays in RAYS
)
"""T3: for each square, the pairs of (square beside it, square opposite) as masks.

A piece on the first is held between the two outer ones. A square at the edge has no opposite.
"""

BESIDE_THRONE: Final = BESIDE[NUMBERS["d4"]]


def squares(mask: int) -> list[int]:
    """The numbers of a mask's squares, lowest first."""
    numbers = []
    while mask:
        low = mask & -mask
        numbers.append(low.bit_length() - 1)
        mask ^= low
    return numbers


def line_between(origin: int, target: int) -> tuple[int, ...] | None:
    """The squares strictly between two of one row or column, from the origin on; None if they share neither."""
    for ray in RAYS[origin]:
        if target in ray:
            return ray[: ray.index(target)]
    return None

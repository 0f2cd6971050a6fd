"""The board of Brandubh: 7 by 7 squares.

They are numbered 0 to 48 from a1 along the ranks (a1, b1, ... g1, a2, ... g7).
A *mask* is an integer with bit n set for each square n that fits the mask's description; bit boards
are masks.
"""

from itertools import product
from typing import Final

FILES: Final = "abcdefg"
RANKS: Final = "1234567"
SQUARES: Final = tuple(file + rank for rank, file in product(RANKS, FILES))
"""The name of each square by its number."""
NUMBERS: Final = {name: number for number, name in enumerate(SQUARES)}
"""The number of each square by its name."""

_DIRECTIONS: Final = ((1, 0), (-1, 0), (0, 1), (0, -1))  # right, left, up, down


def mask_of(*names: str) -> int:
    """Return the mask of some squares by name."""
    return sum(1 << NUMBERS[name] for name in set(names))


THRONE: Final = mask_of("d4")
CORNERS: Final = mask_of("a1", "g1", "a7", "g7")
RESERVED: Final = THRONE | CORNERS
"""T2: the squares where only the king may stop."""


def _ray(square: int, direction: tuple[int, int]) -> tuple[int, ...]:
    """Return the squares from this one to the edge, the nearest first."""
    files, ranks = direction
    file, rank = square % 7 + files, square // 7 + ranks
    ray = []
    while 0 <= file < 7 and 0 <= rank < 7:
        ray.append(rank * 7 + file)
        file, rank = file + files, rank + ranks
    return tuple(ray)


def _rays(square: int) -> tuple[tuple[int, ...], ...]:
    """Return the four rays of a square."""
    return tuple(_ray(square, direction) for direction in _DIRECTIONS)


RAYS: Final = tuple(_rays(square) for square in range(49))
"""The rays from each square to the edge: right, left, up, down; the nearest square first."""


def _beside(rays: tuple[tuple[int, ...], ...]) -> int:
    """Return the mask of the squares with which the rays begin."""
    return sum(1 << ray[0] for ray in rays if ray)


BESIDE: Final = tuple(_beside(rays) for rays in RAYS)
"""The mask of the two to four squares next to each square."""


def _grips(rays: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, int], ...]:
    """Return the first two squares of each ray that has two, as masks."""
    grips = []
    for ray in rays:
        if len(ray) > 1:
            beside, opposite, *_ = ray
            grips.append((1 << beside, 1 << opposite))
    return tuple(grips)


GRIPS: Final = tuple(_grips(rays) for rays in RAYS)
"""T3: for each square, the pairs of (square beside it, square opposite) as masks.

A piece on the first is held between the two outer ones. A square at the edge has no opposite.
"""

BESIDE_THRONE: Final = BESIDE[NUMBERS["d4"]]


def squares(mask: int) -> list[int]:
    """List the numbers of a mask's squares, lowest first."""
    numbers = []
    while mask:
        low = mask & -mask
        numbers.append(low.bit_length() - 1)
        mask ^= low
    return numbers


def line_between(origin: int, target: int) -> tuple[int, ...] | None:
    """Return the squares between two of one row or column, from the origin on.

    None if they share neither.
    """
    for ray in RAYS[origin]:
        if target in ray:
            return ray[: ray.index(target)]
    return None

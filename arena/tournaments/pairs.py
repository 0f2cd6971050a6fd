"""Duplicate pairs: what each brought either entrant, and the error of the difference between two bots."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from arena.tournaments.results import FixtureResult


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCount:
    """The pairs of one entrant: how many it won, left level and lost, and its points per pair.

    `differences` holds for each pair its points from both halves minus those of its opponent.
    """

    differences: tuple[int, ...]

    @property
    def won(self) -> int:
        """Pairs with more points than the opponent."""
        return sum(difference > 0 for difference in self.differences)

    @property
    def level(self) -> int:
        """Pairs with as many points as the opponent."""
        return sum(difference == 0 for difference in self.differences)

    @property
    def lost(self) -> int:
        """Pairs with fewer points than the opponent."""
        return sum(difference < 0 for difference in self.differences)

    @property
    def mean(self) -> Fraction:
        """Points per pair, more or less than the opponent's; 0 without pairs."""
        return Fraction(sum(self.differences), len(self.differences) or 1)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean from the spread of the pairs; None below two pairs."""
        count = len(self.differences)
        if count < 2:
            return None
        squares = sum((difference - self.mean) ** 2 for difference in self.differences)
        return sqrt(squares / (count - 1) / count)


def pair_differences(result: FixtureResult, entrant: str) -> tuple[int, ...]:
    """The result of each pair of a fixture for an entrant: its points from both halves minus the opponent's.

    `result` is of pairs: games 1 and 2 are the halves of the first. Raises ValueError for an odd number of games.
    """
    if len(result.games) % 2:
        raise ValueError(f"pairs have two games each, fixture {result.fixture} has {len(result.games)}")
    seat = result.seat_of(entrant)
    points = [game.points if game.winner == seat else -game.points for game in result.games]
    return tuple(first + second for first, second in zip(points[::2], points[1::2], strict=True))


def count_pairs(entrants: Sequence[str], results: Iterable[FixtureResult]) -> dict[str, PairCount]:
    """The pairs of every entrant over these fixtures, in the order given."""
    found: dict[str, list[int]] = {name: [] for name in entrants}
    for result in results:
        for name in (result.first, result.second):
            found[name] += pair_differences(result, name)
    return {name: PairCount(differences=tuple(differences)) for name, differences in found.items()}

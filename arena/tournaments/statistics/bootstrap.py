"""How sure the order of a field is: who is above whom and who has which rank when the units are drawn anew."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Final

from arena.tournaments.statistics.ratings import ELO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.tournaments.statistics.ratings import Cell, Ratings

DRAWS: Final = 1000
"""How often the units are drawn anew: a probability of 1/2 then has a standard error of 1.6 %."""

SWEEPS: Final = 100
"""Most sweeps over the field to rate it once more; a round robin needs five or so."""

NEAR: Final = 1e-3
"""A sweep that moves no rating by more than this (logistic scale; 0.2 Elo) is the last: only the order counts."""

LARGEST_STEP: Final = 2.0
"""A step moves no rating further than this, on the logistic scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderProbabilities:
    """Probabilities about the order of a field, in the order of its ratings.

    `ranks[i][k]` is the probability that entrant i has rank k + 1; rows and columns add up to 1. `superior[i][j]` is
    the likelihood of superiority, the probability that entrant i is stronger than entrant j; 1/2 on the diagonal.
    """

    ranks: tuple[tuple[float, ...], ...]
    superior: tuple[tuple[float, ...], ...]


def order_probabilities(ratings: Ratings, *, seed: int, draws: int = DRAWS) -> OrderProbabilities:
    """Draw the units anew and rate the field again, so many times; the same seed gives the same numbers.

    The Bayesian bootstrap (Rubin 1981): each unit, and each game of the prior in proportion, gets a weight drawn from
    the exponential distribution. For two entrants and units of one game it is exactly the posterior distribution
    under Jeffreys' prior. Weights of equal units are drawn together, so that it takes no longer for many units.
    """
    random = Random(seed)  # noqa: S311 - nothing has to be secret here
    size = len(ratings.entrants)
    start = [each / ELO for each in ratings.elo]
    rank_counts = [[0] * size for _ in range(size)]
    above_counts = [[0] * size for _ in range(size)]
    for _ in range(draws):
        strengths = _rated_again(start, _weighted(ratings.cells, random))
        order = sorted(range(size), key=lambda number: -strengths[number])
        for rank, number in enumerate(order):
            rank_counts[number][rank] += 1
        for above, below in combinations(order, 2):
            above_counts[above][below] += 1
    return OrderProbabilities(
        ranks=tuple(tuple(count / draws for count in row) for row in rank_counts),
        superior=tuple(
            tuple(0.5 if i == j else count / draws for j, count in enumerate(row)) for i, row in enumerate(above_counts)
        ),
    )


def _weighted(cells: Sequence[Cell], random: Random) -> dict[tuple[int, int], tuple[float, float]]:
    """Give each cell a weight; for each pairing the games played and those that `first` won, both weighted."""
    table: dict[tuple[int, int], tuple[float, float]] = {}
    for cell in cells:
        if cell.count:
            weight = random.gammavariate(cell.count, 1)
            played, won = table.get((cell.first, cell.second), (0.0, 0.0))
            table[cell.first, cell.second] = (played + weight * cell.games, won + weight * cell.score)
    return table


def _rated_again(start: Sequence[float], table: dict[tuple[int, int], tuple[float, float]]) -> list[float]:
    """Find the most likely strengths (logistic scale) from good first ones, one entrant's step after the other's."""
    strengths = list(start)
    meetings: dict[int, list[tuple[int, float]]] = defaultdict(list)
    won: dict[int, float] = defaultdict(float)
    for (first, second), (played, score) in table.items():
        meetings[first].append((second, played))
        meetings[second].append((first, played))
        won[first] += score
        won[second] += played - score
    for _ in range(SWEEPS):
        largest = 0.0
        for number, met in meetings.items():
            expected = information = 0.0
            for other, played in met:
                chance = 1 / (1 + math.exp(strengths[other] - strengths[number]))
                expected += played * chance
                information += played * chance * (1 - chance)
            step = (won[number] - expected) / max(information, 1e-12)
            step = max(-LARGEST_STEP, min(LARGEST_STEP, step))
            strengths[number] += step
            largest = max(largest, abs(step))
        if largest < NEAR:
            break
    return strengths

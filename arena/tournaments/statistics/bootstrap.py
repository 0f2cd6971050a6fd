"""How certain the order of a field is: superiority and rank probabilities, by drawing the units again."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, Final

from arena.tournaments.statistics.ratings import ELO

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.tournaments.statistics.ratings import Cell, Ratings

DRAWS: Final = 1000
"""How often the units are drawn again: a probability of 1/2 then has a standard error of 1.6 %."""

MOST_STEPS: Final = 100
"""The most steps for rating the field again; it takes about five, and more if one entrant lost nearly everything."""

NEAR: Final = 1e-3
"""The last step moves no rating by more than this (logistic scale; 0.2 Elo): only the order counts."""

LEAST_INFORMATION: Final = 1e-12
"""The information of a pairing whose difference is all but infinite."""

EXACT: Final = 1e-4
"""The share of the squared score that a step may leave to the next."""

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
    """Draw the units again and rate the field again, `draws` times; the same seed gives the same numbers.

    This is the Bayesian bootstrap (Rubin 1981): each unit, and each game of the prior in proportion, gets a weight
    drawn from the exponential distribution. For two entrants and units of one game it is exactly the posterior
    distribution under Jeffreys' prior. Weights of equal units are drawn together, so many units take no longer.
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
    scores: dict[tuple[int, int], tuple[float, float]] = {}
    for cell in cells:
        if cell.count:
            weight = random.gammavariate(cell.count, 1)
            played, won = scores.get((cell.first, cell.second), (0.0, 0.0))
            scores[cell.first, cell.second] = (played + weight * cell.games, won + weight * cell.score)
    return scores


def _rated_again(start: Sequence[float], scores: dict[tuple[int, int], tuple[float, float]]) -> list[float]:
    """Find the most likely strengths (logistic scale) from good first ones, by Newton's method."""
    strengths = list(start)
    for _ in range(MOST_STEPS):
        score = [0.0] * len(strengths)
        information: list[tuple[int, int, float]] = []
        for (first, second), (played, won) in scores.items():
            chance = 1 / (1 + math.exp(strengths[second] - strengths[first]))
            surplus = won - played * chance
            score[first] += surplus
            score[second] -= surplus
            information.append((first, second, max(played * chance * (1 - chance), LEAST_INFORMATION)))
        step = _solved(information, score)
        largest = max(map(abs, step))
        scale = min(1, LARGEST_STEP / largest) if largest else 1
        strengths = [each + scale * move for each, move in zip(strengths, step, strict=True)]
        if largest < NEAR:
            break
    return strengths


def _solved(information: Sequence[tuple[int, int, float]], score: Sequence[float]) -> list[float]:
    """Solve for the step: information times step = score, by conjugate gradients (Hestenes and Stiefel 1952).

    The information is given pairing by pairing. This takes few rounds if everybody has met everybody, and with few
    meetings each round is quick. Updating one entrant after the other would be too slow: results would reach distant
    bots too late.
    """
    size = range(len(score))
    diagonal = [LEAST_INFORMATION] * len(score)
    for first, second, weight in information:
        diagonal[first] += weight
        diagonal[second] += weight
    found = [0.0] * len(score)
    rest = list(score)
    direction = [rest[i] / diagonal[i] for i in size]
    before = wanted = sum(rest[i] * direction[i] for i in size)
    for _ in range(2 * len(score)):
        if before <= wanted * EXACT:
            break
        image = [0.0] * len(score)
        for first, second, weight in information:
            flow = weight * (direction[first] - direction[second])
            image[first] += flow
            image[second] -= flow
        share = before / max(sum(direction[i] * image[i] for i in size), sys.float_info.min)
        found = [found[i] + share * direction[i] for i in size]
        rest = [rest[i] - share * image[i] for i in size]
        scaled = [rest[i] / diagonal[i] for i in size]
        now = sum(rest[i] * scaled[i] for i in size)
        direction = [scaled[i] + now / before * direction[i] for i in size]
        before = now
    return found

"""Certainty of the order of a field: superiority and rank probabilities, by drawing the units again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from arena.one_thread import np
from arena.tournaments.statistics.fitting import LARGEST_STEP, Floats, Pairings
from arena.tournaments.statistics.ratings import ELO, Ratings

DRAWS: Final = 1000
"""How often the units are drawn again: a probability of 1/2 then has a standard error of 1.6 %."""

MOST_STEPS: Final = 100
"""The most steps for rating the field again; it takes about five, and more if one entrant lost nearly everything."""

NEAR: Final = 1e-3
"""The last step moves no rating by more than this (logistic scale; 0.2 Elo): only the order counts."""

LEAST_INFORMATION: Final = 1e-9
"""The information of a pairing whose difference is all but infinite, as a share of the largest one."""


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
    size = len(ratings.entrants)
    cells = [cell for cell in ratings.cells if cell.count]
    places = {pair: place for place, pair in enumerate(dict.fromkeys((cell.first, cell.second) for cell in cells))}
    at = np.array([places[cell.first, cell.second] for cell in cells])
    games, score, count = np.array([(cell.games, cell.score, cell.count) for cell in cells]).T
    pairings, start = Pairings(places, size), np.array(ratings.elo) / ELO
    random = np.random.default_rng(seed)
    ranks, above = np.zeros((size, size)), np.zeros((size, size))
    for _ in range(draws):
        weights = random.standard_gamma(count)
        strengths = _rated_again(start, pairings, np.bincount(at, weights * games), np.bincount(at, weights * score))
        rank = np.argsort(np.argsort(-strengths, kind="stable"))
        ranks[np.arange(size), rank] += 1
        above += rank[:, None] < rank
    return OrderProbabilities(
        ranks=tuple(map(tuple, (ranks / draws).tolist())),
        superior=tuple(map(tuple, (above / draws + np.eye(size) / 2).tolist())),
    )


def _rated_again(start: Floats, pairings: Pairings, played: Floats, won: Floats) -> Floats:
    """Find the most likely strengths (logistic scale) from good first ones, by Newton's method."""
    strengths = start
    for _ in range(MOST_STEPS):
        chances = pairings.chances(strengths)
        weights = played * chances * (1 - chances)
        information = pairings.squares(np.maximum(weights, LEAST_INFORMATION * weights.max()))
        step = np.linalg.solve(information + 1 / len(start), pairings.balance(won - played * chances))
        largest = abs(step).max()
        strengths = strengths + step * min(1, LARGEST_STEP / max(largest, NEAR))
        if largest < NEAR:
            break
    return strengths

"""Finds the strengths that explain results best, and how certain they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from numpy.typing import NDArray

from arena.one_thread import np
from arena.tournaments.errors import TournamentError
from arena.tournaments.statistics.units import Cell

Floats: TypeAlias = NDArray[Any]

CLOSE: Final = 1e-9
"""The last step of the iteration moves no rating by more than this (on the logistic scale)."""

LARGEST_STEP: Final = 2.0
"""A step of the iteration moves no rating further than this, on the logistic scale."""

MOST_STEPS: Final = 500
"""Far more steps than any field with finite estimates needs."""

SINGULAR: Final = 1e13
"""Information of a greater condition number holds two parts that nothing connects but rounding."""


class Pairings:
    """Pairings, row by row, and what follows from the differences of the entrants' strengths."""

    def __init__(self, rows: Iterable[tuple[int, int]], size: int) -> None:
        """Each row has the numbers of two of `size` entrants."""
        self._first, self._second = np.array(list(rows)).T
        self._size = size

    def chances(self, strengths: Floats) -> Floats:
        """Return the chance of the first in each row."""
        with np.errstate(over="ignore"):  # the chance is 0 then
            chances: Floats = 1 / (1 + np.exp(strengths[self._second] - strengths[self._first]))
        return chances

    def squares(self, weights: Floats) -> Floats:
        """Return the matrix of the quadratic form that adds up the weighted squares of the differences."""
        matrix = np.zeros((self._size, self._size))
        np.add.at(matrix, (self._first, self._second), -weights)
        matrix += matrix.T
        np.fill_diagonal(matrix, -matrix.sum(axis=0))
        return matrix

    def variances(self, covariance: Floats) -> Floats:
        """Return the variance of the difference in each row."""
        own = covariance.diagonal()
        found: Floats = own[self._first] + own[self._second] - 2 * covariance[self._first, self._second]
        return found

    def balance(self, surplus: Floats) -> Floats:
        """Add up for each entrant what it gains as the first and loses as the second."""
        gained, lost = (np.bincount(each, surplus, self._size) for each in (self._first, self._second))
        return gained - lost


def fit(
    scores: Mapping[tuple[int, int], tuple[float, float]], size: int, prior: float
) -> tuple[Floats, Floats, Floats]:
    """Find the strengths by Fisher scoring (Firth 1993): games played and won per pairing, plus the prior's games.

    Returns strengths with mean 0, the inverse information, and how many games the prior added to each pairing: its
    leverage, its share in determining the size - 1 free strengths.
    """
    pairings = Pairings(scores, size)
    played, won = np.array(list(scores.values())).T
    strengths = np.zeros(size)
    for _ in range(MOST_STEPS):
        chances = pairings.chances(strengths)
        weights = played * chances * (1 - chances)
        information = pairings.squares(weights)
        if np.linalg.cond(information + 1 / size) > SINGULAR:
            break
        bread = inverse(information)
        added = prior * weights * pairings.variances(bread)
        step = bread @ pairings.balance(won + added / 2 - (played + added) * chances)
        largest = abs(step).max()
        # The games of the prior have information too; to leave it out would make steps too long.
        strengths += step * min(1, LARGEST_STEP / max(largest, CLOSE)) / (1 + (added / played).max())
        if largest < CLOSE:
            return strengths, bread, added
    raise TournamentError(["the ratings have no finite solution: an entrant won or lost everything; use the prior"])


def covariance(cells: Sequence[Cell], strengths: Floats) -> Floats:
    """Compute the covariance of the strengths, the prior's games among the cells: bread, meat and bread again.

    The bread is the inverse of the information; the meat the squares of what each unit scored beyond what was expected.
    """
    rows = Pairings([(cell.first, cell.second) for cell in cells], len(strengths))
    games, score, count = np.array([(cell.games, cell.score, cell.count) for cell in cells]).T
    chances = rows.chances(strengths)
    bread = inverse(rows.squares(count * games * chances * (1 - chances)))
    return bread @ rows.squares(count * (score - games * chances) ** 2) @ bread


def inverse(information: Floats) -> Floats:
    """Invert a matrix whose rows add up to 0 among the vectors that add up to 0 (its Moore-Penrose inverse)."""
    mean = 1 / len(information)
    return np.linalg.inv(information + mean) - mean

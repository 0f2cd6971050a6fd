"""Ratings: the Bradley-Terry model of a field in Elo units, with errors that take the unit as the trial.

The chance that i wins a game against j is 1 / (1 + exp(t_j - t_i)); 400 / ln 10 Elo are one unit of t. A drawn game is
half a win and half a loss. The estimate maximises the likelihood times Jeffreys' prior (Firth 1993): as if one drawn
game fewer than there are entrants had been played besides, spread over the pairings. So it has less bias, and is finite
even for a bot that won or lost everything (Kosmidis and Firth 2021). docs/statistics.md has the formulas and sources.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from arena.tournaments.errors import TournamentError
from arena.tournaments.statistics.student import margin_of
from arena.tournaments.statistics.units import Cell, Unit, entrants_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Sequence

ELO: Final = 400 / math.log(10)
"""Elo for one unit of the logistic scale: 400 Elo are odds of ten to one (Elo 1978)."""


def expected_score(elo: float) -> float:
    """The share of games won at a lead of so many Elo, between 0 and 1."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(share: float) -> float:
    """The lead in Elo that wins this share of the games; infinite at 0 and 1. Inverse of `expected_score`."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """The ratings of a field in which everybody can be compared, best first; Elo with mean 0.

    `covariance` and `model_covariance` (both Elo squared, n x n, in the order of `entrants`) give the errors: the first
    comes from the spread of whole units, the second from the model itself, as if all games were independent. `cells`
    hold the units and the prior, for drawing them again.
    """

    entrants: tuple[str, ...]
    elo: tuple[float, ...]
    covariance: list[list[float]]
    model_covariance: list[list[float]]
    cells: tuple[Cell, ...]
    freedom: int
    """Degrees of freedom of the errors: units less free strengths, at least 1."""

    def error(self, entrant: str) -> float:
        """The standard error of a rating against the mean of the field, in Elo."""
        number = self.entrants.index(entrant)
        return math.sqrt(self.covariance[number][number])

    def model_error(self, entrant: str) -> float:
        """The same as if games were independent: from the inverse Fisher information."""
        number = self.entrants.index(entrant)
        return math.sqrt(self.model_covariance[number][number])

    def interval(self, entrant: str) -> tuple[float, float]:
        """The 95 % interval of a rating against the mean of the field, in Elo."""
        rating = self.elo[self.entrants.index(entrant)]
        margin = margin_of(self.error(entrant), self.freedom)
        return rating - margin, rating + margin

    def lead(self, entrant: str, opponent: str) -> tuple[float, float]:
        """Return how many Elo an entrant is ahead of another, and the standard error of that."""
        first, second = self.entrants.index(entrant), self.entrants.index(opponent)
        matrix = self.covariance
        variance = matrix[first][first] + matrix[second][second] - 2 * matrix[first][second]
        return self.elo[first] - self.elo[second], math.sqrt(variance)


def rate_fields(units: Sequence[Unit]) -> tuple[Ratings, ...]:
    """Rate everybody; entrants that no chain of meetings connects are rated in fields apart, the largest first."""
    return tuple(rate(field) for field in fields_of(units))


def rate(units: Sequence[Unit], *, prior: float = 1.0) -> Ratings:
    """Rate a field in which everybody can be compared; the order of the units does not matter.

    `prior` is the weight of Jeffreys' prior: 1, or 0 for plain maximum likelihood. Raises TournamentError if the
    field is not connected, or if plain maximum likelihood has no finite answer (Ford 1957).
    """
    from arena.tournaments.statistics.fitting import covariance, fit

    if len(fields_of(units)) != 1:
        raise TournamentError(["a field can be rated together only if a chain of meetings connects everybody"])
    names = entrants_of(units)
    numbers = {name: number for number, name in enumerate(names)}
    counts: dict[tuple[int, int, int, float], int] = defaultdict(int)
    for unit in units:
        first, second = sorted((unit.first, unit.second))
        counts[numbers[first], numbers[second], unit.games, unit.seen_by(first).score] += 1
    scores: dict[tuple[int, int], tuple[float, float]] = {}
    for (one, other, games, score), count in sorted(counts.items()):
        played, won = scores.get((one, other), (0.0, 0.0))
        scores[one, other] = (played + count * games, won + count * score)
    strengths, model, added = fit(scores, len(names), prior)
    order = sorted(range(len(names)), key=lambda number: (-round(float(strengths[number]), 9), names[number]))
    place = {number: index for index, number in enumerate(order)}
    cells = [
        Cell(first=place[one], second=place[other], games=games, score=score, count=count)
        for (one, other, games, score), count in sorted(counts.items())
    ]
    for (one, other), more in zip(scores, added.tolist(), strict=True):
        half = Cell(first=place[one], second=place[other], games=1, score=1, count=more / 2)
        cells += [half, replace(half, score=0)]
    # Residuals are too small, since they are taken from what was fitted to them: HC1 of MacKinnon and White (1985). The
    # games of the prior make up for that already if a unit is a single game.
    correction = len(units) / (len(units) - (len(names) - 1) * (1 - len(units) / sum(unit.games for unit in units)))
    return Ratings(
        entrants=tuple(names[number] for number in order),
        elo=tuple((ELO * strengths[order]).tolist()),
        covariance=(ELO**2 * correction * covariance(cells, strengths[order])).tolist(),
        model_covariance=(ELO**2 * model[order][:, order]).tolist(),
        cells=tuple(cells),
        freedom=max(1, len(units) - len(names) + 1),
    )

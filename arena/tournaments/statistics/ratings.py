"""Ratings: the Bradley-Terry model of a field in Elo units, with errors that take the unit as the trial.

The chance that i wins a game against j is 1 / (1 + exp(t_j - t_i)); 400 / ln 10 Elo are one unit of
t. A drawn game is half a win and half a loss. The estimate maximises the likelihood times Jeffreys'
prior (Firth 1993): as if one drawn game fewer than there are entrants had been played besides,
spread over the pairings. So it has less bias, and is finite even for a bot that won or lost
everything (Kosmidis and Firth 2021). docs/statistics.md has the formulas and sources.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from numpy.typing import NDArray

from arena.one_thread import np
from arena.tournaments import TournamentError
from arena.tournaments.statistics.intervals import margin_of
from arena.tournaments.statistics.units import Unit, entrants_of, fields_of

Floats: TypeAlias = NDArray[Any]

ELO: Final = 400 / math.log(10)
"""Elo for one unit of the logistic scale: 400 Elo are odds of ten to one (Elo 1978)."""
LARGEST_STEP: Final = 2.0
"""A step of an iteration moves no rating further than this, on the logistic scale."""
CLOSE: Final = 1e-9
"""The last step moves no rating by more than this (on the logistic scale)."""
MOST_STEPS: Final = 500
"""Far more steps than any field with finite estimates needs."""
SINGULAR: Final = 1e13
"""Information of a greater condition number holds two parts that nothing connects but rounding."""

DRAWS: Final = 1000
"""How often the units are drawn again: a probability of 1/2 then has a standard error of 1.6 %."""
NEAR: Final = 1e-3
"""The same as `CLOSE` for units drawn again (0.2 Elo): only the order counts."""
STEPS_AGAIN: Final = 100
"""The most steps for rating the field again; it takes about five, and more if one entrant lost
nearly everything."""
AT_ONCE: Final = 1 << 17
"""Fields are rated again so many at once that they have this many numbers: 1 MiB of them, whatever
the size."""
LEAST_INFORMATION: Final = 1e-9
"""The information of a pairing whose difference is all but infinite, for each game of the pairing
with most games."""


def expected_score(elo: float) -> float:
    """The share of games won at a lead of so many Elo, between 0 and 1."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(share: float) -> float:
    """The lead in Elo that wins this share of the games; infinite at 0 and 1.

    Inverse of `expected_score`.
    """
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


class Cell(NamedTuple):
    """Units of two entrants (numbered as in the ratings) with the same games and score; `score` is that of `first`.

    The prior has two cells for each pairing, a game won and a game lost, whose `times` is not a
    whole number.
    """

    first: int
    second: int
    games: int
    score: float
    times: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """The ratings of a field in which everybody can be compared, best first; Elo with mean 0.

    `covariance` and `model_covariance` (both Elo squared, n x n, in the order of `entrants`) give
    the errors: the first comes from the spread of whole units, the second from the model itself, as
    if all games were independent. `cells` hold the units and the prior, for drawing them again.
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

    `prior` is the weight of Jeffreys' prior: 1, or 0 for plain maximum likelihood. Raises
    TournamentError if the field is not connected, or if plain maximum likelihood has no finite
    answer (Ford 1957).
    """
    if len(fields_of(units)) != 1:
        raise TournamentError(
            ["a field can be rated together only if a chain of meetings connects everybody"]
        )
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
    order = sorted(
        range(len(names)), key=lambda number: (-round(float(strengths[number]), 9), names[number])
    )
    place = {number: index for index, number in enumerate(order)}
    cells = [
        Cell(place[one], place[other], games, score, count)
        for (one, other, games, score), count in sorted(counts.items())
    ]
    for (one, other), more in zip(scores, added.tolist(), strict=True):
        cells += [Cell(place[one], place[other], 1, score, more / 2) for score in (1, 0)]
    # Residuals are too small, since they are taken from what was fitted to them: HC1 of MacKinnon
    # and White (1985). The games of the prior make up for that already if a unit is a single game.
    correction = len(units) / (
        len(units) - (len(names) - 1) * (1 - len(units) / sum(unit.games for unit in units))
    )
    return Ratings(
        entrants=tuple(names[number] for number in order),
        elo=tuple((ELO * strengths[order]).tolist()),
        covariance=(ELO**2 * correction * covariance(cells, strengths[order])).tolist(),
        model_covariance=(ELO**2 * model[order][:, order]).tolist(),
        cells=tuple(cells),
        freedom=max(1, len(units) - len(names) + 1),
    )


class Pairings:
    """Pairings, row by row, and what follows from the differences of the entrants' strengths.

    Strengths have `size` numbers, values of rows one for each row. Both may have more axes before
    that one: many fields at once, with the same pairings.
    """

    def __init__(self, rows: Iterable[tuple[int, int]], size: int) -> None:
        """Each row has the numbers of two of `size` entrants."""
        self._first, self._second = np.array(list(rows)).T
        self._size = size

    def chances(self, strengths: Floats) -> Floats:
        """Return the chance of the first in each row."""
        with np.errstate(over="ignore"):  # the chance is 0 then
            chances: Floats = 1 / (
                1 + np.exp(strengths[..., self._second] - strengths[..., self._first])
            )
        return chances

    def squares(self, weights: Floats) -> Floats:
        """Return the matrix of the quadratic form that adds up the weighted squares of the differences."""
        matrix = self._table(-weights)
        matrix += matrix.swapaxes(-1, -2)
        every = np.arange(self._size)
        matrix[..., every, every] = -matrix.sum(axis=-1)
        return matrix

    def variances(self, covariance: Floats) -> Floats:
        """Return the variance of the difference in each row."""
        own = covariance.diagonal()
        found: Floats = (
            own[self._first] + own[self._second] - 2 * covariance[self._first, self._second]
        )
        return found

    def balance(self, surplus: Floats) -> Floats:
        """Add up for each entrant what it gains as the first and loses as the second."""
        table = self._table(surplus)
        balance: Floats = table.sum(axis=-1) - table.sum(axis=-2)
        return balance

    def _table(self, values: Floats) -> Floats:
        """Add up the values of the rows in a matrix, where the first is the row and the second the column."""
        cells = self._size**2
        fields = values.reshape(-1, values.shape[-1])
        places = self._first * self._size + self._second + cells * np.arange(len(fields))[:, None]
        added = np.bincount(places.ravel(), fields.ravel(), len(fields) * cells)
        return added.reshape(*values.shape[:-1], self._size, self._size)


def fit(
    scores: Mapping[tuple[int, int], tuple[float, float]], size: int, prior: float
) -> tuple[Floats, Floats, Floats]:
    """Find the strengths by Fisher scoring (Firth 1993): games played and won per pairing, plus the prior's games.

    Returns strengths with mean 0, the inverse information, and how many games the prior added to
    each pairing: its leverage, its share in determining the size - 1 free strengths.
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
        strengths += (
            step * min(1, LARGEST_STEP / max(largest, CLOSE)) / (1 + (added / played).max())
        )
        if largest < CLOSE:
            return strengths, bread, added
    raise TournamentError(
        ["the ratings have no finite solution: an entrant won or lost everything; use the prior"]
    )


def covariance(cells: Sequence[Cell], strengths: Floats) -> Floats:
    """Compute the covariance of the strengths, the prior's games among the cells: bread, meat and bread again.

    The bread is the inverse of the information; the meat the squares of what each unit scored
    beyond what was expected.
    """
    rows = Pairings([(cell.first, cell.second) for cell in cells], len(strengths))
    games, score, count = np.array([(cell.games, cell.score, cell.times) for cell in cells]).T
    chances = rows.chances(strengths)
    bread = inverse(rows.squares(count * games * chances * (1 - chances)))
    return bread @ rows.squares(count * (score - games * chances) ** 2) @ bread


def inverse(information: Floats) -> Floats:
    """Invert a matrix whose rows add up to 0 among the vectors that add up to 0 (its Moore-Penrose inverse)."""
    mean = 1 / len(information)
    return np.linalg.inv(information + mean) - mean


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderProbabilities:
    """Probabilities about the order of a field, in the order of its ratings.

    `ranks[i][k]` is the probability that entrant i has rank k + 1; rows and columns add up to 1.
    `superior[i][j]` is the likelihood of superiority, the probability that entrant i is stronger
    than entrant j; 1/2 on the diagonal.
    """

    ranks: tuple[tuple[float, ...], ...]
    superior: tuple[tuple[float, ...], ...]


def order_probabilities(ratings: Ratings, *, seed: int, draws: int = DRAWS) -> OrderProbabilities:
    """Draw the units again and rate the field again, `draws` times; the same seed gives the same numbers.

    This is the Bayesian bootstrap (Rubin 1981): each unit, and each game of the prior in
    proportion, gets a weight drawn from the exponential distribution. For two entrants and units of
    one game it is exactly the posterior distribution under Jeffreys' prior. Weights of equal units
    are drawn together, so many units take no longer.
    """
    size = len(ratings.entrants)
    cells = [cell for cell in ratings.cells if cell.times]
    places = {
        pair: place
        for place, pair in enumerate(dict.fromkeys((cell.first, cell.second) for cell in cells))
    }
    at = np.array([places[cell.first, cell.second] for cell in cells])
    by_pairing = np.argsort(at, kind="stable")
    begins = np.searchsorted(at[by_pairing], np.arange(len(places)))
    games, score, count = np.array([(cell.games, cell.score, cell.times) for cell in cells]).T
    pairings, start = Pairings(places, size), np.array(ratings.elo) / ELO
    random = np.random.default_rng(seed)
    ranks, above = np.zeros((size, size)), np.zeros((size, size))
    most = max(1, AT_ONCE // max(size**2, len(cells)))
    for done in range(0, draws, most):
        weights = random.standard_gamma(count, (min(most, draws - done), len(cells)))
        played, won = (
            np.add.reduceat((weights * each)[:, by_pairing], begins, axis=1)
            for each in (games, score)
        )
        strengths = _rated_again(start, pairings, played, won)
        rank = np.argsort(np.argsort(-strengths, kind="stable"))[..., None]
        ranks += (rank == np.arange(size)).sum(axis=0)
        above += (rank < rank.swapaxes(1, 2)).sum(axis=0)
    return OrderProbabilities(
        ranks=tuple(map(tuple, (ranks / draws).tolist())),
        superior=tuple(map(tuple, (above / draws + np.eye(size) / 2).tolist())),
    )


def _rated_again(start: Floats, pairings: Pairings, played: Floats, won: Floats) -> Floats:
    """Find the most likely strengths (logistic scale) of each field from good first ones, by Newton's method.

    `played` and `won` have a row for each field; so has the answer.
    """
    strengths = np.tile(start, (len(played), 1))
    going = np.arange(len(played))
    for _ in range(STEPS_AGAIN):
        chances = pairings.chances(strengths[going])
        weights = played[going] * chances * (1 - chances)
        least = LEAST_INFORMATION * played[going].max(axis=1, keepdims=True)
        information = pairings.squares(np.maximum(weights, least))
        surplus = pairings.balance(won[going] - played[going] * chances)
        step = np.linalg.solve(information + 1 / len(start), surplus[..., None])[..., 0]
        largest = abs(step).max(axis=1, keepdims=True)
        strengths[going] += step * np.minimum(1, LARGEST_STEP / np.maximum(largest, NEAR))
        going = going[largest[:, 0] >= NEAR]
        if not len(going):
            break
    return strengths

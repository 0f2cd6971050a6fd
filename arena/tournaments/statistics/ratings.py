"""Ratings: the Bradley-Terry model of a field in Elo units, with the unit as the trial.

The chance that i wins a game against j is 1 / (1 + exp(t_j - t_i)); 400 / ln 10 Elo are one unit of
t. A drawn game is half a win and half a loss. The estimate maximises the likelihood times Jeffreys'
prior (Firth 1993): as if one drawn game fewer than there are entrants had been played besides,
spread over the pairings. So it has less bias, and is finite even for a bot that won or lost
everything (Kosmidis and Firth 2021). docs/statistics.md has the formulas and sources.
"""

import math
from collections import Counter
from collections.abc import (
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import (
    Any,
    Final,
    NamedTuple,
    TypeAlias,
)

from numpy.typing import NDArray

from arena.one_thread import np
from arena.tournaments import TournamentError
from arena.tournaments.statistics.intervals import margin_of
from arena.tournaments.statistics.units import (
    Unit,
    entrants_of,
    fields_of,
)

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
"""The number of draws of the units: a probability of 1/2 then has a standard error of 1.6 %."""
NEAR: Final = 1e-3
"""The same as `CLOSE` for resampled units (0.2 Elo): only the order counts."""
STEPS_AGAIN: Final = 100
"""The most steps for rating the field again; it takes about five, and more if one entrant lost
nearly everything."""
NUMBERS_PER_BATCH: Final = 1 << 17
"""The numbers of all fields of one batch: 1 MiB, whatever the size of a field."""
LEAST_INFORMATION: Final = 1e-9
"""The information of a pairing whose difference is all but infinite, for each game of the pairing
with most games."""


def expected_score(elo: float) -> float:
    """Return the share of games won at a lead of `elo`, between 0 and 1."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of_score(share: float) -> float:
    """Return the lead in Elo that wins this share of the games; infinite at 0 and 1.

    Inverse of `expected_score`.
    """
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return -400 * math.log10(1 / share - 1)


class Cell(NamedTuple):
    """Units of two entrants with the same games and score; `score` is that of `first`.

    Entrants are numbered as in the ratings. The prior has two cells for each pairing, a game won
    and a game lost, whose `times` is not a whole number.
    """

    first: int
    second: int
    games: int
    score: float
    times: float


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Ratings:
    """The ratings of a field whose entrants can all be compared, best first; Elo with mean 0.

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
        """Return the standard error of a rating against the mean of the field, in Elo."""
        number = self.entrants.index(entrant)
        return math.sqrt(self.covariance[number][number])

    def model_error(self, entrant: str) -> float:
        """Return the same as if games were independent: from the inverse Fisher information."""
        number = self.entrants.index(entrant)
        return math.sqrt(self.model_covariance[number][number])

    def interval(self, entrant: str) -> tuple[float, float]:
        """Return the 95 % interval of a rating against the mean of the field, in Elo."""
        rating = self.elo[self.entrants.index(entrant)]
        margin = margin_of(self.error(entrant), self.freedom)
        return rating - margin, rating + margin

    def lead(self, entrant: str, opponent: str) -> tuple[float, float]:
        """Return how many Elo an entrant is ahead of another, and the standard error of that."""
        first = self.entrants.index(entrant)
        second = self.entrants.index(opponent)
        matrix = self.covariance
        variance = matrix[first][first] + matrix[second][second] - 2 * matrix[first][second]
        return self.elo[first] - self.elo[second], math.sqrt(variance)


def rate_fields(units: Sequence[Unit]) -> tuple[Ratings, ...]:
    """Rate all entrants, in a field for each group that meetings connect, the largest first."""
    return tuple(map(rate, fields_of(units)))


def rate(units: Sequence[Unit], *, prior: float = 1.0) -> Ratings:
    """Rate a field whose entrants can all be compared; the order of the units does not matter.

    `prior` is the weight of Jeffreys' prior: 1, or 0 for plain maximum likelihood. Raises
    TournamentError if the field is not connected, or if plain maximum likelihood has no finite
    answer (Ford 1957).
    """
    if len(fields_of(units)) != 1:
        raise TournamentError(
            ["a field can be rated together only if a chain of meetings connects everybody"]
        )
    names = entrants_of(units)
    cells = _cells(units, names)
    scores: dict[tuple[int, int], tuple[float, float]] = {}
    for first, second, games, score, times in cells:
        played, won = scores.get((first, second), (0.0, 0.0))
        scores[first, second] = (played + times * games, won + times * score)
    strengths, information, added = fit(scores, len(names), prior)
    for (first, second), games_added in zip(scores, added.tolist(), strict=True):
        half = games_added / 2
        cells += [
            Cell(
                first,
                second,
                1,
                1,
                half,
            ),
            Cell(
                first,
                second,
                1,
                0,
                half,
            ),
        ]
    order = sorted(
        range(len(names)),
        key=lambda number: (-round(float(strengths[number]), 9), names[number]),
    )
    ranks = {number: rank for rank, number in enumerate(order)}
    ranked_cells = []
    for cell in cells:
        ranked = cell._replace(first=ranks[cell.first], second=ranks[cell.second])
        ranked_cells.append(ranked)
    # Residuals are too small, since they are taken from what was fitted to them: HC1 of MacKinnon
    # and White (1985). The games of the prior make up for that already if a unit is a single game.
    units_per_game = len(units) / sum(unit.games for unit in units)
    free_strengths = len(names) - 1
    correction = len(units) / (len(units) - free_strengths * (1 - units_per_game))
    ranked_strengths = strengths[order]
    robust = covariance(ranked_cells, ranked_strengths)
    return Ratings(
        entrants=tuple(names[number] for number in order),
        elo=tuple((ELO * ranked_strengths).tolist()),
        covariance=(ELO**2 * correction * robust).tolist(),
        model_covariance=(ELO**2 * information[order][:, order]).tolist(),
        cells=tuple(ranked_cells),
        freedom=max(1, len(units) - free_strengths),
    )


def _cells(units: Sequence[Unit], names: Sequence[str]) -> list[Cell]:
    """Count equal units; entrants have their numbers in `names`."""
    numbers = {name: number for number, name in enumerate(names)}
    counts = Counter[tuple[int, int, int, float]]()
    for unit in units:
        first, second = sorted((unit.first, unit.second))
        score = unit.seen_by(first).score
        counts[numbers[first], numbers[second], unit.games, score] += 1
    return [Cell(*unit, times) for unit, times in sorted(counts.items())]


class Pairings:
    """Pairings, row by row, and what follows from the differences of the entrants' strengths.

    Strengths have `size` numbers, values of rows one for each row. Both may have more axes before
    that one: many fields at once, with the same pairings.
    """

    def __init__(self, rows: Iterable[tuple[int, int]], size: int) -> None:
        """Take the pairings: each row has the numbers of two of `size` entrants."""
        self._first, self._second = np.array(list(rows)).T
        self._size = size

    def chances(self, strengths: Floats) -> Floats:
        """Return the chance of the first in each row."""
        deficits = strengths[..., self._second] - strengths[..., self._first]
        with np.errstate(over="ignore"):  # the chance is 0 then
            chances: Floats = 1 / (1 + np.exp(deficits))
        return chances

    def squares(self, weights: Floats) -> Floats:
        """Return the matrix of the quadratic form of the weighted squares of the differences."""
        matrix = self._table(-weights)
        matrix += matrix.swapaxes(-1, -2)
        diagonal = np.arange(self._size)
        matrix[..., diagonal, diagonal] = -matrix.sum(axis=-1)
        return matrix

    def variances(self, covariance: Floats) -> Floats:
        """Return the variance of the difference in each row."""
        single = covariance.diagonal()
        common = covariance[self._first, self._second]
        variances: Floats = single[self._first] + single[self._second] - 2 * common
        return variances

    def balance(self, surplus: Floats) -> Floats:
        """Add up for each entrant what it gains as the first and loses as the second."""
        table = self._table(surplus)
        balance: Floats = table.sum(axis=-1) - table.sum(axis=-2)
        return balance

    def _table(self, numbers: Floats) -> Floats:
        """Add up the numbers of the pairings in a matrix: a row per first, a column per second."""
        cells = self._size**2
        fields = numbers.reshape(-1, numbers.shape[-1])
        begins = cells * np.arange(len(fields))[:, None]
        places = self._first * self._size + self._second + begins
        sums = np.bincount(places.ravel(), fields.ravel(), len(fields) * cells)
        return sums.reshape(*numbers.shape[:-1], self._size, self._size)


def fit(
    scores: Mapping[tuple[int, int], tuple[float, float]], size: int, prior: float
) -> tuple[Floats, Floats, Floats]:
    """Find the strengths by Fisher scoring (Firth 1993).

    `scores` has the games played and won of each pairing; the prior adds its games. Returns
    strengths with mean 0, the inverse information, and how many games the prior added to each
    pairing: its leverage, its share in determining the size - 1 free strengths.
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
        surplus = won + added / 2 - (played + added) * chances
        step = bread @ pairings.balance(surplus)
        largest = abs(step).max()
        shortened = min(1, LARGEST_STEP / max(largest, CLOSE))
        # The games of the prior have information too; without it the steps would be too long.
        strengths += step * shortened / (1 + (added / played).max())
        if largest < CLOSE:
            return strengths, bread, added
    raise TournamentError(
        ["the ratings have no finite solution: an entrant won or lost everything; use the prior"]
    )


def covariance(cells: Sequence[Cell], strengths: Floats) -> Floats:
    """Compute the covariance of the strengths: bread, meat and bread again.

    The prior's games are among the cells. The bread is the inverse of the information; the meat the
    squares of the scores of units beyond the expected ones.
    """
    pairings = Pairings([(cell.first, cell.second) for cell in cells], len(strengths))
    games, score, times = _columns(cells)
    chances = pairings.chances(strengths)
    information = pairings.squares(times * games * chances * (1 - chances))
    residuals = score - games * chances
    meat = pairings.squares(times * residuals**2)
    bread = inverse(information)
    return bread @ meat @ bread


def _columns(cells: Sequence[Cell]) -> tuple[Floats, Floats, Floats]:
    """Return the games, the scores and the times of cells."""
    rows = [(cell.games, cell.score, cell.times) for cell in cells]
    games, scores, times = np.array(rows).T
    return games, scores, times


def inverse(information: Floats) -> Floats:
    """Return the Moore-Penrose inverse of a matrix whose rows add up to 0.

    It is the inverse among the vectors that add up to 0.
    """
    mean = 1 / len(information)
    return np.linalg.inv(information + mean) - mean


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class OrderProbabilities:
    """Probabilities about the order of a field, in the order of its ratings.

    `ranks[i][k]` is the probability that entrant i has rank k + 1; rows and columns add up to 1.
    `superior[i][j]` is the likelihood of superiority, the probability that entrant i is stronger
    than entrant j; 1/2 on the diagonal.
    """

    ranks: tuple[tuple[float, ...], ...]
    superior: tuple[tuple[float, ...], ...]


def order_probabilities(ratings: Ratings, *, seed: int, draws: int = DRAWS) -> OrderProbabilities:
    """Draw the units again and rate the field again, `draws` times.

    The same seed gives the same numbers. This is the Bayesian bootstrap (Rubin 1981): each unit,
    and each game of the prior in proportion, gets a weight drawn from the exponential distribution.
    For two entrants and units of one game it is exactly the posterior distribution under Jeffreys'
    prior. Weights of equal units are drawn together, a large number of units takes no longer.
    """
    size = len(ratings.entrants)
    cells = [cell for cell in ratings.cells if cell.times]
    places: dict[tuple[int, int], int] = {}
    place_of_each = []
    for cell in cells:
        place = places.setdefault((cell.first, cell.second), len(places))
        place_of_each.append(place)
    by_pairing = np.argsort(place_of_each, kind="stable")
    sorted_places = np.array(place_of_each)[by_pairing]
    begins = np.searchsorted(sorted_places, np.arange(len(places)))

    def sums(of_cells: Floats) -> Floats:
        """Add up the numbers of the cells by pairing."""
        return np.add.reduceat(of_cells[:, by_pairing], begins, axis=1)

    games, scores, times = _columns(cells)
    pairings = Pairings(places, size)
    start = np.array(ratings.elo) / ELO
    random = np.random.default_rng(seed)
    ranks, above = np.zeros((size, size)), np.zeros((size, size))
    most = max(1, NUMBERS_PER_BATCH // max(size**2, len(cells)))
    for begin in range(0, draws, most):
        fields = min(most, draws - begin)
        weights = random.standard_gamma(times, (fields, len(cells)))
        strengths = _fit_again(start, pairings, sums(weights * games), sums(weights * scores))
        rank = np.argsort(np.argsort(-strengths, kind="stable"))[..., None]
        ranks += (rank == np.arange(size)).sum(axis=0)
        above += (rank < rank.swapaxes(1, 2)).sum(axis=0)
    superior = above / draws + np.eye(size) / 2
    return OrderProbabilities(
        ranks=tuple(map(tuple, (ranks / draws).tolist())),
        superior=tuple(map(tuple, superior.tolist())),
    )


def _fit_again(
    start: Floats,
    pairings: Pairings,
    played: Floats,
    won: Floats,
) -> Floats:
    """Find the most likely strengths (logistic scale) of each field by Newton's method.

    `start` has strengths to begin with, near the answer. `played` and `won` have a row for each
    field; so has the answer. After `STEPS_AGAIN` steps a field is returned as it is by then.
    """
    strengths = np.tile(start, (len(played), 1))
    unfinished = np.arange(len(played))
    for _ in range(STEPS_AGAIN):
        chances = pairings.chances(strengths[unfinished])
        weights = played[unfinished] * chances * (1 - chances)
        least = LEAST_INFORMATION * played[unfinished].max(axis=1, keepdims=True)
        information = pairings.squares(np.maximum(weights, least))
        surplus = pairings.balance(won[unfinished] - played[unfinished] * chances)
        # Strengths count only up to a constant: the sum makes the matrix invertible.
        invertible = information + 1 / len(start)
        solved = np.linalg.solve(invertible, surplus[..., None])
        step = solved[..., 0]
        largest = abs(step).max(axis=1, keepdims=True)
        shortened = np.minimum(1, LARGEST_STEP / np.maximum(largest, NEAR))
        strengths[unfinished] += step * shortened
        unfinished = unfinished[largest[:, 0] >= NEAR]
        if not len(unfinished):
            break
    return strengths

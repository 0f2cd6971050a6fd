"""The fit of a ladder: the strengths that counted results make most likely, and their errors.

The model is that of Bradley and Terry with the unit as the trial: the expected score of i against j
is p = 1 / (1 + exp(t_j - t_i)), 400 / ln 10 Elo are one unit of t. A score lies in [0, 1] and
scatters `kappa` times less than a game: its variance is p (1 - p) / kappa. So a unit has the
information kappa p (1 - p) (quasi-likelihood, Wedderburn 1974). Priors are virtual draws, rows
beside the results. The mean of the anchors is fixed. Every function here is pure, and the answer
depends on the counts alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from arena.one_thread import np
from arena.tournaments import TournamentError
from arena.tournaments.statistics.ratings import LARGEST_STEP, Floats

CLOSE: Final = 1e-8
"""The last step moves no strength by more than this: 0.000002 Elo."""
MOST_STEPS: Final = 200
"""Far more steps than any ladder needs: about five after 50 results, fifteen from nothing."""
NEAR: Final = 0.1
"""Steps shorter than this are near the answer (17 Elo): the residuals tell kappa."""
SLOW: Final = 0.9
"""A step that is longer than this part of the last one asks for a new inverse, which costs as much
as a hundred steps."""
HALVINGS: Final = 30

PRIOR_UNITS: Final = 20
"""Units of single games that an estimate of kappa begins with."""
LEAST_KAPPA: Final = 0.25
MOST_KAPPA: Final = 16.0
"""Limits of kappa: games count 1, adjusted pairs of near-equal bots up to 9. Identical programs
that only draw their pairs would have no limit."""
SETTLED_UNITS: Final = 6
"""From this number of units on the strength of a player counts as one that was fitted."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Rows:
    """Results, a row for each two who met or are tied by a prior.

    `first` and `second` are numbers of players; the last number is the mean of the anchors.
    `units`, `score` (that of the first) and `squares` (the sum of the squared scores) are the
    results, `draws` the virtual ones. Only the strengths of the `movers` are fitted.
    """

    first: Floats
    second: Floats
    units: Floats
    score: Floats
    squares: Floats
    draws: Floats
    movers: Floats
    anchors: Sequence[int]
    places: int
    """The number of players, and one for the mean."""

    def by_mover(self, of_first: Floats, of_second: Floats) -> Floats:
        """Add up numbers of the rows for each of the movers."""
        sums = np.bincount(self.first, of_first, self.places)
        sums += np.bincount(self.second, of_second, self.places)
        return sums[self.movers]


class Fit(NamedTuple):
    """Strengths (logistic scale), the information of each row there, and kappa."""

    strengths: Floats
    information: Floats
    kappa: float


def fit_ladder(rows: Rows, start: Floats, covariance: Floats, kappa: float) -> Fit:
    """Find the strengths by Newton's method; they depend on the rows alone, to `CLOSE`.

    The anchors keep the mean that they have in `start`. `covariance` is near the inverse of the
    information: inverting takes 0.1 s for 1,000 players, and a step with an older inverse 1 ms.
    Both end where the slope is 0. `kappa` is the one to begin with. Raises TournamentError if
    there is no answer, which the priors prevent.
    """
    strengths = start.copy()
    last = math.inf
    is_near = False
    for _ in range(MOST_STEPS):
        chances = chances_of(rows, strengths)
        if is_near:
            kappa = kappa_of(rows, chances)
        games = kappa * rows.units + rows.draws
        score = kappa * rows.score + rows.draws / 2
        information = games * chances * (1 - chances)
        surplus = score - games * chances
        slope = rows.by_mover(surplus, -surplus)
        step = covariance @ slope
        if abs(step).max() > SLOW * last:
            covariance = covariance_of(rows, information)
            step = covariance @ slope
        longest = float(abs(step).max())
        if longest > NEAR:
            step = shorten(rows, games, score, strengths, step)
        strengths[rows.movers] += step
        if is_near and longest < CLOSE:
            return Fit(strengths, information, kappa)
        last = longest
        if not is_near and longest < NEAR:
            is_near = True
            last = math.inf  # kappa, estimated from now on, moves the answer
    raise TournamentError(["the ratings of the ladder have no finite solution"])


def shorten(
    rows: Rows,
    games: Floats,
    score: Floats,
    strengths: Floats,
    step: Floats,
) -> Floats:
    """Halve a long step until it makes the results more likely: a whole one may go too far."""

    def likelihood(step: Floats) -> float:
        moved = strengths.copy()
        moved[rows.movers] += step
        leads = moved[rows.first] - moved[rows.second]
        return float((score * leads - games * np.logaddexp(0, leads)).sum())

    step = step * min(1.0, LARGEST_STEP / float(abs(step).max()))
    before = likelihood(0 * step)
    for _ in range(HALVINGS):
        if likelihood(step) >= before:
            break
        step = step / 2
    return step


def chances_of(rows: Rows, strengths: Floats) -> Floats:
    """Return the expected score of the first of each row."""
    deficits = strengths[rows.second] - strengths[rows.first]
    with np.errstate(over="ignore"):  # the chance is 0 then
        chances: Floats = 1 / (1 + np.exp(deficits))
    return chances


def kappa_of(rows: Rows, chances: Floats) -> float:
    """Estimate how many games a unit is worth: the variance of a game by that of the residuals.

    Residuals are too small by the strengths that were fitted to them; the factor makes up for it.
    """
    variance = float((rows.units * chances * (1 - chances)).sum())
    residuals = rows.squares - 2 * chances * rows.score + chances**2 * rows.units
    units = float(rows.units.sum())
    fitted = int((rows.by_mover(rows.units, rows.units) >= SETTLED_UNITS).sum())
    freedom = max(units - max(fitted - 1, 0), units / 2, 1.0)
    prior = PRIOR_UNITS / 4
    estimate = (variance + prior) / (float(residuals.sum()) * units / freedom + prior)
    return min(max(estimate, LEAST_KAPPA), MOST_KAPPA)


def covariance_of(rows: Rows, information: Floats) -> Floats:
    """Return the inverse of the information among the moves that keep the anchors' mean.

    `information` is that of each row, the covariance that of the movers. All who do not move share
    a last row, which is then dropped: what they say stays on the diagonal.
    """
    players = len(rows.movers)
    size = players + 1
    places = np.full(rows.places, players)
    places[rows.movers] = np.arange(players)
    cells = places[rows.first] * size + places[rows.second]
    matrix = np.bincount(cells, -information, size * size).reshape(size, size)
    matrix += matrix.T
    np.fill_diagonal(matrix, 0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    inverse = np.linalg.inv(matrix[:players, :players])
    anchors = places[rows.anchors]
    moves = inverse[:, anchors].sum(axis=1)
    fixed: Floats = inverse - np.outer(moves, moves) / moves[anchors].sum()
    return fixed

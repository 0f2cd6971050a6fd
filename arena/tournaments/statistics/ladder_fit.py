"""The fit of a ladder: the strengths that counted results make most likely, and their errors.

The model is that of Bradley and Terry with the unit as the trial: the expected score of i against j
is p = 1 / (1 + exp(t_j - t_i)), 400 / ln 10 Elo are one unit of t. A score lies in [0, 1] and
scatters `kappa` times less than a game: its variance is p (1 - p) / kappa. So a unit has the
information kappa p (1 - p) (quasi-likelihood, Wedderburn 1974). Priors are virtual draws, rows
beside the results. The mean of the anchors is fixed. Every function here is pure, and the answer
depends on the counts alone.
"""

import math
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
HALVINGS: Final = 30
PATIENCE: Final = 40
"""Steps with an old inverse before a new one: 0.1 s for 1,000 players is as long as these."""

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

    `first` and `second` are places: first the players whose strengths are fitted, then the
    `constants` (logistic scale). `units` and `score` (that of the first) are the results as they
    count, `draws` the virtual ones. `played`, `played_score` and `squares` (the sum of the squared
    scores) leave forfeits out: kappa follows from them.
    """

    first: Floats
    second: Floats
    units: Floats
    score: Floats
    draws: Floats
    played: Floats
    played_score: Floats
    squares: Floats
    constants: Floats


class Fit(NamedTuple):
    """Strengths (logistic scale), the information of each row there, and kappa."""

    strengths: Floats
    information: Floats
    kappa: float


def fit_ladder(
    rows: Rows,
    anchors: Floats,
    start: Floats,
    covariance: Floats,
    *,
    kappa: float | None = None,
    start_kappa: float = 1.0,
) -> Fit:
    """Find the strengths by Newton's method; they depend on the rows alone, to `CLOSE`.

    `anchors` are places; the mean that they have in `start` stays. `covariance` is near the inverse
    of the information. Inverting that takes 0.1 s for 1,000 players, and a step with an older
    inverse 1 ms; both end where the slope is 0. A `kappa` is taken as it is, None estimates it.
    Raises TournamentError if there is no answer, which the priors prevent.
    """
    strengths = start.copy()
    players = len(strengths)
    last = math.inf
    scale = kappa or start_kappa
    for number in range(1, MOST_STEPS + 1):
        chances = chances_of(rows, strengths)
        if kappa is None and last < NEAR:
            scale = kappa_of(rows, chances, players)
        games = scale * rows.units + rows.draws
        score = scale * rows.score + rows.draws / 2
        information = games * chances * (1 - chances)
        slope = balance(rows, score - games * chances, players)
        step = covariance @ slope
        longest = float(abs(step).max())
        if longest > max(last, NEAR) or number % PATIENCE == 0:
            covariance = covariance_of(rows, information, anchors, players)
            step = covariance @ slope
            longest = float(abs(step).max())
        if longest > NEAR:
            step = shorten(rows, games, score, strengths, step)
        strengths += step
        if longest < CLOSE and last < NEAR:
            return Fit(strengths, information, scale)
        last = longest
    raise TournamentError(["the ratings of the ladder have no finite solution"])


def shorten(
    rows: Rows,
    games: Floats,
    score: Floats,
    strengths: Floats,
    step: Floats,
) -> Floats:
    """Halve a long step until it makes the results more likely: a whole one may go too far."""

    def likelihood(at: Floats) -> float:
        every = np.concatenate((at, rows.constants))
        leads = every[rows.first] - every[rows.second]
        return float((score * leads - games * np.logaddexp(0, leads)).sum())

    step = step * min(1.0, LARGEST_STEP / float(abs(step).max()))
    before = likelihood(strengths)
    for _ in range(HALVINGS):
        if likelihood(strengths + step) >= before:
            break
        step = step / 2
    return step


def chances_of(rows: Rows, strengths: Floats) -> Floats:
    """Return the expected score of the first of each row."""
    every = np.concatenate((strengths, rows.constants))
    deficits = every[rows.second] - every[rows.first]
    with np.errstate(over="ignore"):  # the chance is 0 then
        chances: Floats = 1 / (1 + np.exp(deficits))
    return chances


def kappa_of(rows: Rows, chances: Floats, players: int) -> float:
    """Estimate how many games a unit is worth: the variance of a game by that of the residuals.

    Residuals are too small by the strengths that were fitted to them; the factor makes up for it.
    """
    variance = float((rows.played * chances * (1 - chances)).sum())
    residuals = rows.squares - 2 * chances * rows.played_score + chances**2 * rows.played
    units = float(rows.played.sum())
    every = np.concatenate((rows.first, rows.second))
    by_player = np.bincount(every, np.tile(rows.played, 2))[:players]
    fitted = int((by_player >= SETTLED_UNITS).sum())
    freedom = max(units - max(fitted - 1, 0), units / 2, 1.0)
    prior = PRIOR_UNITS / 4
    estimate = (variance + prior) / (float(residuals.sum()) * units / freedom + prior)
    return min(max(estimate, LEAST_KAPPA), MOST_KAPPA)


def balance(rows: Rows, surplus: Floats, players: int) -> Floats:
    """Add up for each player what it gains as the first and loses as the second."""
    size = players + len(rows.constants)
    gained = np.bincount(rows.first, surplus, size)
    lost = np.bincount(rows.second, surplus, size)
    difference: Floats = (gained - lost)[:players]
    return difference


def covariance_of(rows: Rows, information: Floats, anchors: Floats, players: int) -> Floats:
    """Return the inverse of the information among the moves that keep the anchors' mean.

    `information` is that of each row. All constants share a last row, which is
    then dropped: what they say stays on the diagonal.
    """
    size = players + 1
    first = np.minimum(rows.first, players)
    second = np.minimum(rows.second, players)
    matrix = np.bincount(first * size + second, -information, size * size).reshape(size, size)
    matrix += matrix.T
    np.fill_diagonal(matrix, 0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    inverse = np.linalg.inv(matrix[:players, :players])
    moves = inverse[:, anchors].sum(axis=1)
    fixed: Floats = inverse - np.outer(moves, moves) / moves[anchors].sum()
    return fixed

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
SLOW: Final = 0.5
"""A step that is longer than this part of the one before needs a new inverse of the information."""

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
    """Results, a row for each two who met, and virtual draws.

    `first` and `second` are places: from 0 on that of a player whose strength is fitted, below 0
    that of a constant, counted from the end of `constants` (logistic scale). `units` and `score`
    (that of the first) are the results as they count. `played`, `played_score` and `squares` (the
    sum of the squared scores) leave forfeits out: kappa follows from them.
    """

    first: Floats
    second: Floats
    units: Floats
    score: Floats
    played: Floats
    played_score: Floats
    squares: Floats
    is_virtual: Floats
    constants: Floats


class Fit(NamedTuple):
    """Strengths (logistic scale), their covariance with the anchors' mean fixed, and kappa."""

    strengths: Floats
    covariance: Floats
    kappa: float


def fit_ladder(
    rows: Rows,
    anchors: Floats,
    start: Floats,
    *,
    covariance: Floats | None = None,
    kappa: float | None = None,
) -> Fit:
    """Find the strengths by Newton's method; they do not depend on `start` or `covariance`.

    `anchors` are places; the mean that they have in `start` stays. A `covariance` near the right
    one saves inverting the information: it is returned as it is if the steps with it become short
    quickly. Without it the covariance is that of the strengths. A `kappa` is taken as it is, None
    estimates it. Raises TournamentError if there is no answer, which the priors prevent.
    """
    strengths = start.copy()
    players = len(strengths)
    is_exact = covariance is None
    last = math.inf
    pace = 1.0
    for _ in range(MOST_STEPS):
        chances = chances_of(rows, strengths)
        scale = kappa or kappa_of(rows, chances, players)
        trust = np.where(rows.is_virtual, 1.0, scale)
        surplus = trust * (rows.score - rows.units * chances)
        slope = balance(rows, surplus, players)
        longest = math.inf
        if covariance is not None:
            step = covariance @ slope
            longest = float(abs(step).max())
        if longest > SLOW * last or covariance is None:
            covariance = covariance_of(rows, trust * chances * (1 - chances), anchors, players)
            step = covariance @ slope
            longest = float(abs(step).max())
        # Far from the answer, where results are nearly certain, a full step may go too far.
        pace = pace / 2 if longest > last else min(1.0, 2 * pace)
        strengths += step * pace * min(1.0, LARGEST_STEP / max(longest, CLOSE))
        last = longest
        if longest < CLOSE:
            if is_exact:
                covariance = covariance_of(rows, trust * chances * (1 - chances), anchors, players)
            return Fit(strengths, covariance, scale)
    raise TournamentError(["the ratings of the ladder have no finite solution"])


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
    by_player = balance_of_units(rows, players)
    fitted = int((by_player >= SETTLED_UNITS).sum())
    freedom = max(units - max(fitted - 1, 0), units / 2, 1.0)
    prior = PRIOR_UNITS / 4
    estimate = (variance + prior) / (float(residuals.sum()) * units / freedom + prior)
    return min(max(estimate, LEAST_KAPPA), MOST_KAPPA)


def balance(rows: Rows, surplus: Floats, players: int) -> Floats:
    """Add up for each player what it gains as the first and loses as the second."""
    gained = np.bincount(_row_or_last(rows.first, players), surplus, players + 1)
    lost = np.bincount(_row_or_last(rows.second, players), surplus, players + 1)
    difference: Floats = (gained - lost)[:players]
    return difference


def balance_of_units(rows: Rows, players: int) -> Floats:
    """Count the units that each player has played, without forfeits."""
    as_first = np.bincount(_row_or_last(rows.first, players), rows.played, players + 1)
    as_second = np.bincount(_row_or_last(rows.second, players), rows.played, players + 1)
    units: Floats = (as_first + as_second)[:players]
    return units


def covariance_of(rows: Rows, per_unit: Floats, anchors: Floats, players: int) -> Floats:
    """Return the inverse of the information among the moves that keep the anchors' mean.

    `per_unit` is the information of a unit of each row. All constants share a last row, which is
    then dropped: what they say stays on the diagonal.
    """
    weights = rows.units * per_unit
    size = players + 1
    first = _row_or_last(rows.first, players)
    second = _row_or_last(rows.second, players)
    information = np.bincount(first * size + second, -weights, size * size).reshape(size, size)
    information += information.T
    np.fill_diagonal(information, 0)
    np.fill_diagonal(information, -information.sum(axis=1))
    inverse = np.linalg.inv(information[:players, :players])
    moves = inverse[:, anchors].sum(axis=1)
    fixed: Floats = inverse - np.outer(moves, moves) / moves[anchors].sum()
    return fixed


def _row_or_last(places: Floats, players: int) -> Floats:
    """Return the places of players as they are, and `players` for every constant."""
    rows: Floats = np.where(places < 0, players, places)
    return rows

"""Intervals of 95 %, by Student's t distribution; and points per game with theirs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Final

from arena.tournaments.statistics.units import Unit

CONFIDENCE: Final = 0.95
"""The share of intervals that should contain the true figure."""

MANY: Final = 1000
"""From this number of degrees of freedom on, the normal distribution is used: at 97.5 % it differs
by 0.12 %."""

STEPS: Final = 100_000
"""Slices of the distribution: the quantiles are right to seven digits."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class PointsPerGame:
    """Points that an entrant wins per game on average; below 0 if it loses more.

    `margin` is half the width of the 95 % interval, None if there are too few units, or they are
    too much alike.
    """

    mean: float
    margin: float | None


def points_per_game(units: Iterable[Unit], entrant: str) -> PointsPerGame | None:
    """Average an entrant's points over the games of its units; None if it has none.

    This is Student's interval with the unit as the trial. The opponents are fixed: only the spread
    of the units against the same opponent counts. Opponents met in one unit only are grouped, which
    can only widen the interval (collapsed strata, Cochran 1977, 5A.12).
    """
    own_units = [unit.seen_by(entrant) for unit in units if unit.has(entrant)]
    if not own_units:
        return None
    games, points = _games_and_points(own_units)
    mean = points / games
    squares, freedom = 0.0, 0
    for stratum in _strata(own_units):
        count = len(stratum)
        if count > 1:
            squares += _spread(stratum) * count / (count - 1)
            freedom += count - 1
    if not squares:
        return PointsPerGame(mean=mean, margin=None)
    margin = margin_of(math.sqrt(squares) / games, freedom)
    return PointsPerGame(mean=mean, margin=margin)


def _games_and_points(units: list[Unit]) -> tuple[int, float]:
    games = sum(unit.games for unit in units)
    points = sum(unit.points for unit in units)
    return games, points


def _spread(stratum: list[Unit]) -> float:
    """Add up the squares of the points beyond the mean of the stratum."""
    games, points = _games_and_points(stratum)
    mean = points / games
    return sum((unit.points - mean * unit.games) ** 2 for unit in stratum)


def _strata(own_units: list[Unit]) -> list[list[Unit]]:
    """Put an entrant's units together by opponent.

    The units of opponents met once share a stratum. A single one of them joins the smallest other
    stratum; it is alone only if there is no other.
    """
    by_opponent: dict[str, list[Unit]] = {}
    for unit in own_units:
        by_opponent.setdefault(unit.second, []).append(unit)
    single: list[Unit] = []
    strata: list[list[Unit]] = []
    smallest_first = sorted(by_opponent.values(), key=len)
    for stratum in smallest_first:
        if len(stratum) == 1:
            single += stratum
        else:
            strata.append(stratum)
    if len(single) == 1 and strata:
        strata[0] = strata[0] + single  # the smallest one
    elif single:
        strata.append(single)
    return strata


@cache
def student_quantile(probability: float, freedom: int) -> float:
    """Return the quantile of Student's t for this probability (1/2 to 1, without 1).

    If t has `freedom` (1 or more) degrees of freedom, the density of arctan(t / sqrt(freedom)) is
    proportional to the power freedom - 1 of its cosine.
    """
    if freedom >= MANY:
        return NormalDist().inv_cdf(probability)
    from arena.one_thread import np

    angles, width = np.linspace(0, math.pi / 2, STEPS + 1, retstep=True)
    middles = angles[:-1] + width / 2
    densities = np.cos(middles) ** (freedom - 1)
    shares = np.append(0, np.cumsum(densities))
    share = (2 * probability - 1) * shares[-1]
    angle = np.interp(share, shares, angles)
    return math.sqrt(freedom) * math.tan(angle)


def margin_of(error: float, freedom: int) -> float:
    """Return half the width of the 95 % interval of a number with this standard error."""
    probability = (1 + CONFIDENCE) / 2
    return student_quantile(probability, freedom) * error

"""Intervals of 95 %, by Student's t distribution; and points per game with theirs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Final

from arena.tournaments.statistics.units import Unit

CONFIDENCE: Final = 0.95
"""How often an interval should contain the true value."""

MANY: Final = 1000
"""From so many degrees of freedom on the normal distribution is used: at 97.5 % it differs by 0.12
%."""

STEPS: Final = 100_000
"""Slices of the distribution: the quantiles are right to seven digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsPerGame:
    """Points that an entrant wins per game on average; below 0 if it loses more.

    `margin` is half the width of the 95 % interval, None if there are too few units, or they are
    too much alike.
    """

    mean: float
    margin: float | None


def points_per_game(units: Iterable[Unit], entrant: str) -> PointsPerGame | None:
    """Average an entrant's points over the games of its units; None if it has none.

    This is Student's interval with the unit as the trial. The opponents are taken as given: only
    the spread of the units against the same opponent counts. Opponents met in one unit only are
    grouped, which can only widen the interval (collapsed strata, Cochran 1977, 5A.12).
    """
    own = [unit.seen_by(entrant) for unit in units if entrant in (unit.first, unit.second)]
    if not own:
        return None
    games = sum(unit.games for unit in own)
    mean = sum(unit.points for unit in own) / games
    squares, freedom = 0.0, 0
    for stratum in _strata(own):
        share = sum(unit.points for unit in stratum) / sum(unit.games for unit in stratum)
        if len(stratum) > 1:
            spread = sum((unit.points - share * unit.games) ** 2 for unit in stratum)
            squares += spread * len(stratum) / (len(stratum) - 1)
            freedom += len(stratum) - 1
    if not squares:
        return PointsPerGame(mean=mean, margin=None)
    return PointsPerGame(mean=mean, margin=margin_of(math.sqrt(squares) / games, freedom))


def _strata(own: list[Unit]) -> list[list[Unit]]:
    """Put an entrant's units together by opponent, and those of opponents met once in one stratum of at least two."""
    by_opponent: dict[str, list[Unit]] = {}
    for unit in own:
        by_opponent.setdefault(unit.second, []).append(unit)
    strata = sorted(by_opponent.values(), key=len)
    single = [unit for stratum in strata if len(stratum) == 1 for unit in stratum]
    several = [stratum for stratum in strata if len(stratum) > 1]
    if len(single) == 1 and several:
        several[0] = several[0] + single
    elif single:
        several.append(single)
    return several


@cache
def student_quantile(probability: float, freedom: int) -> float:
    """Return the value that is not exceeded with this probability (1/2 to 1, without 1).

    If t has `freedom` (1 or more) degrees of freedom, the density of arctan(t / sqrt(freedom)) is
    proportional to the power freedom - 1 of its cosine.
    """
    if freedom >= MANY:
        return NormalDist().inv_cdf(probability)
    from arena.one_thread import np

    angles, width = np.linspace(0, math.pi / 2, STEPS + 1, retstep=True)
    shares = np.append(0, np.cumsum(np.cos(angles[:-1] + width / 2) ** (freedom - 1)))
    angle = np.interp((2 * probability - 1) * shares[-1], shares, angles)
    return math.sqrt(freedom) * math.tan(angle)


def margin_of(error: float, freedom: int) -> float:
    """Return half the width of the 95 % interval of a number with this standard error and degrees of freedom."""
    return student_quantile((1 + CONFIDENCE) / 2, freedom) * error

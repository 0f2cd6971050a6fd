"""A sequential test: is one bot stronger than another by this much, or by that?

The test stops when it knows. It is the generalised sequential probability ratio test of chess
engine testers. After every unit it computes the likelihood ratio of two hypotheses about the mean
score of a unit, each with the most favourable distribution of scores it allows, and compares it
with Wald's bounds. docs/statistics.md has the formulas and the sources.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from arena.tournaments import TournamentError
from arena.tournaments.statistics.ratings import elo_of_score, expected_score

TRACE: Final = 1e-3
"""The count for a score that no unit has had yet, as in fishtest, so that both hypotheses stay
possible."""

HALVINGS: Final = 200
"""Steps of bisection: more than a float has digits."""

LEAST_SHARES: Final = 10
"""The least units with luck taken out for a decision: the test has to see their scatter first."""

MOST_ELO: Final = 4000
"""A lead that no bot has: one game in 10^10 is lost. From 6,400 on a score looks like 1."""


class Decision(StrEnum):
    """The decision of a sequential test so far."""

    GOES_ON = "goes_on"
    H0 = "h0"
    H1 = "h1"


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Hypotheses:
    """H0: the lead is `elo0` or less; H1: it is `elo1` or more.

    `alpha` is how often H1 may be accepted at a lead of `elo0`, `beta` how often H0 at a lead of
    `elo1`.
    """

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Raise TournamentError with everything that is wrong with the test."""
        problems = []
        for name, lead in (("elo0", self.elo0), ("elo1", self.elo1)):
            if not abs(lead) <= MOST_ELO:  # NaN fails as well
                bounds = f"a lead lies between {-MOST_ELO} and {MOST_ELO} Elo"
                problems.append(f"{name} is {lead:g}; {bounds}")
        if not problems and self.elo0 >= self.elo1:
            leads = f"elo0 is {self.elo0:g} and elo1 {self.elo1:g}"
            problems.append(f"{leads}; elo1 has to be the greater")
        for name, probability in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < probability < 0.5:
                bounds = "a probability of error lies between 0 and 0.5, without either"
                problems.append(f"{name} is {probability:g}; {bounds}")
        if problems:
            raise TournamentError(problems)

    @property
    def bounds(self) -> tuple[float, float]:
        """Wald's bounds for the log-likelihood ratio.

        H0 is accepted up to the first, H1 from the second on.
        """
        low = math.log(self.beta / (1 - self.alpha))
        high = math.log((1 - self.beta) / self.alpha)
        return low, high


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Trial:
    """A sequential test after some units: log-likelihood ratio, decision, and apparent lead.

    `elo` is the lead that would explain the mean score, None without units, infinite if everything
    was won or lost. After a test that stopped by itself it leans away from 0.
    """

    units: int
    ratio: float
    bounds: tuple[float, float]
    decision: Decision
    elo: float | None


def judge(halves: Sequence[float], hypotheses: Hypotheses) -> Trial:
    """Judge a test; `halves[i]` is how many units the new bot scored with i half games.

    A unit of one game has 3 counts (lost, drawn, won), a pair 5, a match of n games 2n + 1.
    """
    units = round(sum(halves))
    half_games = sum(count * half for half, count in enumerate(halves))
    scored = half_games / (len(halves) - 1)
    ratio = log_likelihood_ratio(halves, hypotheses)
    return _trial(units, scored, ratio, hypotheses)


def judge_shares(shares: Sequence[float], hypotheses: Hypotheses) -> Trial:
    """Judge a test on units whose luck was taken out.

    `shares` has the share of its games that the new bot won in each unit. They are real numbers
    and scatter by the luck that remains. So the ratio is that of two normal distributions with
    these means, each with the variance that makes the shares most likely (Van den Bergh,
    GSPRT_approximation).
    """
    units, scored, ratio = len(shares), sum(shares), 0.0
    if units:
        mean = scored / units
        spread = sum((share - mean) ** 2 for share in shares)
        variance = spread / units
        variance_0 = variance + (mean - expected_score(hypotheses.elo0)) ** 2
        variance_1 = variance + (mean - expected_score(hypotheses.elo1)) ** 2
        if variance_0 and variance_1:
            ratio = units / 2 * math.log(variance_0 / variance_1)
    return _trial(
        units,
        scored,
        ratio,
        hypotheses,
        least=LEAST_SHARES,
    )


def _trial(
    units: int,
    scored: float,
    ratio: float,
    hypotheses: Hypotheses,
    *,
    least: int = 0,
) -> Trial:
    """Return a test after units with this total score; it decides nothing before the `least`."""
    low, high = hypotheses.bounds
    decision = Decision.GOES_ON
    if units >= least and ratio >= high:
        decision = Decision.H1
    elif units >= least and ratio <= low:
        decision = Decision.H0
    elo = None
    if units:
        elo = elo_of_score(scored / units)
    return Trial(
        units=units,
        ratio=ratio,
        bounds=(low, high),
        decision=decision,
        elo=elo,
    )


def log_likelihood_ratio(halves: Sequence[float], hypotheses: Hypotheses) -> float:
    """Return the log of the likelihood of H1 over that of H0, each at its best; 0 without units."""
    if not any(halves):
        return 0.0
    counts = [count or TRACE for count in halves]
    under_h0 = _most_likely(counts, expected_score(hypotheses.elo0))
    under_h1 = _most_likely(counts, expected_score(hypotheses.elo1))
    return sum(
        count * math.log(h1 / h0) for count, h0, h1 in zip(counts, under_h0, under_h1, strict=True)
    )


def _most_likely(counts: Sequence[float], mean: float) -> list[float]:
    """Find the distribution of scores with this mean that makes the counts most likely.

    Its probabilities are p_i / (1 + x (a_i - mean)) for the share a_i of the games scored and the
    observed p_i (Van den Bergh 2020). The one x comes from bisection, which needs every count to be
    above 0.
    """
    total = sum(counts)
    gaps = []
    for half in range(len(counts)):
        share = half / (len(counts) - 1)
        gaps.append(share - mean)
    low, high = -1 / gaps[-1], -1 / gaps[0]
    for _ in range(HALVINGS):
        x = (low + high) / 2
        if x in (low, high):
            break
        slope = sum(count * gap / (1 + x * gap) for count, gap in zip(counts, gaps, strict=True))
        if slope > 0:
            low = x
        else:
            high = x
    return [count / total / (1 + x * gap) for count, gap in zip(counts, gaps, strict=True)]

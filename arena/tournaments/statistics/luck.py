"""Results with the luck of the dice taken out: they mean the same, and scatter less.

An evaluator says in every position what each roll is worth. The luck of a roll is its worth less
the mean over all rolls. It is known, and its mean is zero whatever the bots do: it is a control
variate. It cannot move the mean of the results; the better it tells who will win, the more of their
scatter it removes. Poker does the same (Burch, Schmid, Moravcik, Morrill and Bowling: AIVAT, AAAI
2018), and so does GNU Backgammon's analysis of luck. docs/statistics.md has a game worked through
by hand, and the sources.

The luck is multiplied by a coefficient, fitted by least squares on other matches than the one it is
applied to. So it does not depend on that match's dice, and the mean stays where it is. Between
near-equal bots it is a little below 1; where one bot wins nearly every game, the dice decide
little, and it is much smaller.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import (
    Final,
    Literal,
    NamedTuple,
)

from arena.games.result import Result
from arena.one_thread import np
from arena.tournaments.results import FixtureResult, points_for
from arena.tournaments.statistics.ratings import Floats
from arena.tournaments.statistics.units import Unit, units_of

PRIOR_GAMES: Final = 20
"""The weight of the prior of a coefficient, in games. The prior of the whole field is 1, as for a
perfect evaluator; the prior of a pairing is the coefficient of the whole field."""

NO_SCATTER: Final = 1e-9
"""Luck with a smaller variance is always the same: the remainder is rounding."""


class Luck(NamedTuple):
    """Luck of the dice for the bot at seat 1 in a game, less that of the other."""

    points: float
    wins: float
    """As a chance to win the game."""


PLAIN: Final = Luck(points=1.0, wins=1.0)
"""The coefficients before any game is seen."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class LuckyMatch:
    """A settled fixture with the luck of each of its games; None if a game counts as it ended."""

    result: FixtureResult
    luck: tuple[Luck | None, ...]


def adjusted_units(
    match: LuckyMatch,
    games_in_unit: int,
    coefficient: Luck = PLAIN,
) -> tuple[Unit, ...]:
    """Return the units of a fixture with the luck taken out.

    Points and score are real numbers, and may go beyond any game.
    """
    adjusted = []
    for number, unit in enumerate(units_of(match.result, games_in_unit)):
        begin = number * games_in_unit
        games = [luck for luck in match.luck[begin : begin + games_in_unit] if luck]
        wins = sum(luck.wins for luck in games)
        points = sum(luck.points for luck in games)
        without_luck = replace(
            unit,
            score=unit.score - coefficient.wins * wins,
            points=unit.points - coefficient.points * points,
        )
        adjusted.append(without_luck)
    return tuple(adjusted)


def coefficients(matches: Sequence[LuckyMatch]) -> list[Luck]:
    """Return a coefficient for each match, fitted on the other matches.

    Those of the same two entrants count most. Each pairing has a mean result of its own, so that a
    strong bot is not taken for a lucky one.
    """
    by_points = _fit(matches, "points")
    by_wins = _fit(matches, "wins")
    return [Luck(*pair) for pair in zip(by_points, by_wins, strict=True)]


class _Sums(NamedTuple):
    """Sums over the games of a match."""

    pairing: tuple[str, str]
    sums: Floats
    """Games, results, luck, their products, and the squares of luck."""


def _sums(match: LuckyMatch, quantity: Literal["points", "wins"]) -> _Sums:
    first, second = sorted((match.result.first, match.result.second))
    sign = 1 if first == match.result.first else -1
    sums = np.zeros(5)
    for game, luck in zip(match.result.games, match.luck, strict=True):
        if luck is None:
            continue
        if quantity == "points":
            chance, score = luck.points, float(points_for(1, game))
        else:
            chance, score = luck.wins, _score(game) - 0.5
        sums += (1, sign * score, sign * chance, score * chance, chance * chance)
    return _Sums((first, second), sums)


def _score(game: Result) -> float:
    """Return the share of the game that seat 1 won: a drawn game is half a win."""
    if game.winner is None:
        return 0.5
    return float(game.winner == 1)


def _fit(
    matches: Sequence[LuckyMatch],
    quantity: Literal["points", "wins"],
) -> list[float]:
    """Return the coefficient of each match."""
    sums_of_each = [_sums(match, quantity) for match in matches]
    pairings: dict[tuple[str, str], Floats] = defaultdict(lambda: np.zeros(5))
    for pairing, sums in sums_of_each:
        pairings[pairing] = pairings[pairing] + sums
    whole = np.zeros(3)
    for sums in pairings.values():
        whole = whole + _moments(sums)
    slopes = []
    for pairing, sums in sums_of_each:
        others = _moments(pairings[pairing] - sums)
        field = whole - _moments(pairings[pairing]) + others
        prior = _slope(field, 1.0)
        slopes.append(_slope(others, prior))
    return slopes


def _moments(sums: Floats) -> Floats:
    """Return games, the covariance of results and luck, and the variance of luck.

    Covariance and variance are multiplied by the games.
    """
    games, score, luck, product, square = sums
    if not games:
        return np.zeros(3)
    return np.array([games, product - score * luck / games, square - luck**2 / games])


def _slope(moments: Floats, prior: float) -> float:
    """Return how much of the luck is in the results; `prior` counts as `PRIOR_GAMES` games."""
    games, covariance, variance = moments.tolist()
    if variance <= NO_SCATTER * games:
        return prior
    weight = PRIOR_GAMES * variance / games
    return float((covariance + weight * prior) / (variance + weight))

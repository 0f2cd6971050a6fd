"""Results with the luck of the dice taken out: they mean the same, and scatter less.

What is subtracted is known, and its mean is zero whatever the bots do: in every position an
evaluator says what each roll is worth, and the luck of a roll is its worth less the mean over all
rolls. Such a number is a control variate. It cannot move the mean of the results; the better it
tells who will win, the more of their scatter it removes. This is done so for poker (Burch, Schmid,
Moravcik, Morrill and Bowling: AIVAT, AAAI 2018) and in GNU Backgammon's analysis of luck.
docs/statistics.md has a game worked through by hand, and the sources.

The luck is multiplied by a coefficient, fitted by least squares on other matches than the one it is
applied to. So it does not depend on that match's dice, and the mean stays where it is. Between
near-equal bots it is a little below 1; where one bot wins nearly every game, the dice decide
little, and it is much smaller.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from arena.one_thread import np
from arena.tournaments.results import FixtureResult, points_for
from arena.tournaments.statistics.ratings import Floats
from arena.tournaments.statistics.units import Unit, units_of

PRIOR_GAMES: Final = 20
"""A coefficient is fitted as if it had been seen before in so many games: 1, as it is for a perfect
evaluator, for the whole field, and that of the whole field for a pairing."""

NO_SCATTER: Final = 1e-9
"""Luck with a smaller variance is always the same: what is left of it is rounding."""


class Luck(NamedTuple):
    """Luck of the dice for the bot at seat 1 in a game, less that of the other."""

    points: float
    wins: float
    """As a chance to win the game."""


PLAIN: Final = Luck(points=1.0, wins=1.0)
"""The coefficients before any game is seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckyMatch:
    """A settled fixture with the luck of each of its games; None for a game that counts as it ended."""

    result: FixtureResult
    luck: tuple[Luck | None, ...]


def adjusted_units(
    match: LuckyMatch, games_in_unit: int, coefficient: Luck = PLAIN
) -> tuple[Unit, ...]:
    """The units of a fixture with the luck taken out: points and score are real numbers, and may go beyond any game."""
    found = []
    for number, unit in enumerate(units_of(match.result, games_in_unit)):
        own = match.luck[number * games_in_unit : (number + 1) * games_in_unit]
        found.append(
            replace(
                unit,
                score=unit.score - coefficient.wins * sum(luck.wins for luck in own if luck),
                points=unit.points - coefficient.points * sum(luck.points for luck in own if luck),
            )
        )
    return tuple(found)


def coefficients(matches: Sequence[LuckyMatch]) -> list[Luck]:
    """A coefficient for each match, fitted on the other matches, those of the same two entrants above all.

    Each pairing has a mean result of its own, so that a strong bot is not taken for a lucky one.
    """
    points = _fitted([_sums(match, "points") for match in matches])
    wins = _fitted([_sums(match, "wins") for match in matches])
    return [Luck(points=one, wins=other) for one, other in zip(points, wins, strict=True)]


def _sums(match: LuckyMatch, of: Literal["points", "wins"]) -> tuple[tuple[str, str], Floats]:
    """The pairing, and the sums of games, results, luck, their product, and the square of luck."""
    first, second = sorted((match.result.first, match.result.second))
    sign = 1 if first == match.result.first else -1
    total = np.zeros(5)
    for game, luck in zip(match.result.games, match.luck, strict=True):
        if luck is not None:
            score = 0.5 if game.winner is None else float(game.winner == 1)
            given, result = (
                (luck.points, points_for(1, game)) if of == "points" else (luck.wins, score - 0.5)
            )
            total += (1, sign * result, sign * given, result * given, given * given)
    return (first, second), total


def _fitted(matches: Sequence[tuple[tuple[str, str], Floats]]) -> list[float]:
    pairings: dict[tuple[str, str], Floats] = defaultdict(lambda: np.zeros(5))
    for pairing, sums in matches:
        pairings[pairing] = pairings[pairing] + sums
    whole = sum(map(_line, pairings.values()), np.zeros(3))
    found = []
    for pairing, sums in matches:
        others = _line(pairings[pairing] - sums)
        field = whole - _line(pairings[pairing]) + others
        found.append(_slope(others, _slope(field, 1.0)))
    return found


def _line(sums: Floats) -> Floats:
    """Games, and of their results and luck the covariance and of the luck the variance, both times the games."""
    games, result, luck, product, square = sums
    if not games:
        return np.zeros(3)
    return np.array([games, product - result * luck / games, square - luck**2 / games])


def _slope(line: Floats, before: float) -> float:
    """Return how much of the luck is in the results, if it was `before` in `PRIOR_GAMES` games like these."""
    games, product, square = line.tolist()
    if square <= NO_SCATTER * games:
        return before
    weight = PRIOR_GAMES * square / games
    return float((product + weight * before) / (square + weight))

"""Games in process with the luck of every roll: what is subtracted moves no mean."""

from __future__ import annotations

from statistics import fmean, variance
from typing import Any

import pytest

from arena.analysis.evaluator import new_evaluator
from arena.games import load_game
from arena.games.tables.position import from_counts
from arena.tournaments.statistics.luck import LuckyMatch, adjusted_units, points_of
from tests.analysis.small_evaluators import small
from tests.lab.lucky_games import best, lucky_matches, nearly_best

VASA: Any = load_game("vasa")
HOME = dict.fromkeys(range(19, 24), 3)
BEARING_OFF = from_counts(HOME, HOME, VASA.rules.layout)
"""Three checkers on each of five points, on either side: a game of some 16 turns."""


def test_the_same_player_on_both_sides_has_the_luck_of_its_seat() -> None:
    matches = lucky_matches(VASA, small(), (best, best), 3, 1, BEARING_OFF)
    for match in matches:
        one, other = match.luck
        assert one is not None
        assert other is not None
        assert tuple(one) == pytest.approx([-each for each in other], abs=1e-5)
        assert [points_of(game) for game in match.result.games] in ([1, -1], [-1, 1])
    assert lucky_matches(VASA, small(), (best, best), 3, 1, BEARING_OFF) == matches


def moved(matches: list[LuckyMatch]) -> list[float]:
    """What was subtracted from each pair, a game."""
    return [
        (sum(map(points_of, match.result.games)) - sum(unit.points for unit in adjusted_units(match, 2))) / 2
        for match in matches
    ]


@pytest.mark.slow
def test_luck_by_random_weights_moves_no_mean() -> None:
    """80 games; 20,000 were played once (docs/statistics.md)."""
    evaluator = new_evaluator("random", VASA.rules, [8], seed=1)
    found = moved(lucky_matches(VASA, evaluator, (best, nearly_best(0.5, 2)), 40, 3, BEARING_OFF))
    assert variance(found) > 0
    assert abs(fmean(found)) < 3 * (variance(found) / len(found)) ** 0.5

"""Matches of duplicate pairs: decided by points alone, counted pair by pair."""

from fractions import Fraction

import pytest

from arena.games.result import Result
from arena.tournaments.formats.round_robin import round_robin
from arena.tournaments.results import (
    FixtureResult,
    PairCount,
    count_pairs,
    decide_match,
    pair_differences,
)
from arena.tournaments.standings import standings
from arena.tournaments.tie_breaks import TieStep
from arena.words import say


def fixture(
    *points: int, first: str = "anna", second: str = "bo", number: int = 1
) -> FixtureResult:
    """A match by the points of its games: above 0 the first entrant's, below 0 the second's, 0 a draw."""
    games = tuple(
        Result(
            winner=1 if one > 0 else 2 if one < 0 else None,
            points=abs(one),
            ending="bearing_off",
            clause="B10",
        )
        for one in points
    )
    name = f"r{number}-{first}-v-{second}"
    return FixtureResult(fixture=name, round=number, first=first, second=second, games=games)


def test_a_pair_is_what_both_halves_bring_together() -> None:
    result = fixture(4, -4, 4, 1, -1, 0)
    assert pair_differences(result, "anna") == (0, 5, -1)
    assert pair_differences(result, "bo") == (0, -5, 1)


def test_a_single_half_is_no_pair() -> None:
    with pytest.raises(ValueError, match="r1-anna-v-bo has 3"):
        pair_differences(fixture(1, 1, 1), "anna")


def test_the_pairs_of_an_entrant_are_counted_over_all_its_matches() -> None:
    counts = count_pairs(
        ["anna", "bo", "cia"], [fixture(4, -4, 1, 1), fixture(-1, 0, second="cia", number=2)]
    )
    anna = counts["anna"]
    assert (anna.differences, anna.won, anna.level, anna.lost) == ((0, 2, -1), 1, 1, 1)
    assert anna.mean == Fraction(1, 3)
    assert counts["bo"].differences == (0, -2)
    assert counts["cia"] == PairCount(differences=(1,))


def test_the_standard_error_is_that_of_the_mean_of_the_pairs() -> None:
    assert PairCount(differences=(1, 2, 3, 4)).standard_error == pytest.approx((5 / 3 / 4) ** 0.5)
    assert PairCount(differences=(2, 2, 2)).standard_error == 0
    assert PairCount(differences=(2,)).standard_error is None
    assert (PairCount(differences=()).mean, PairCount(differences=()).standard_error) == (0, None)


def test_equal_points_are_a_draw_whatever_the_games_were() -> None:
    """M2 would give it to the one with the more valuable game; in pairs won games are not compared."""
    result = fixture(4, -2, -2, 0)
    assert decide_match(result).winner == "anna"
    decision = decide_match(result, "none")
    assert decision.winner is None
    assert say(decision.reason) == "anna and bo drew: 4 points each"
    assert decide_match(fixture(4, -2), "none").winner == "anna"


def test_the_standings_leave_out_the_comparison_of_won_games() -> None:
    """M4 without its third step: level on points goes on to the direct encounter, and the sentence says so."""
    entrants = ["anna", "bo"]
    table = standings(entrants, round_robin(entrants), [fixture(4, -2, -2, 0)], best_game="none")
    assert [row.best_games for row in table.rows] == [(), ()]
    assert [tie.step for tie in table.tie_breaks] == [TieStep.SHARED]
    assert say(table.tie_breaks[0].sentence) == (
        "anna and bo share place 1: level on match points (½), game points (4), direct encounter and "
        "Sonneborn-Berger (¼)"
    )

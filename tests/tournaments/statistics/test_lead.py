"""The lead of one entrant over another, beside the figures of `arena stats`."""

from random import Random

import pytest

from arena.tournaments.statistics.intervals import points_per_game
from arena.tournaments.statistics.lead import Lead, lead_of, likelihood_of_superiority
from arena.tournaments.statistics.ratings import expected_score, rate
from arena.tournaments.statistics.units import Unit


def pairs(lead: float, number: int, seed: int = 1) -> list[Unit]:
    """Pairs in which one of the two leads by so many Elo; a won game brings 2 points."""
    chance, found = Random(seed), []
    for _ in range(number):
        won = sum(chance.random() < expected_score(lead) for _ in range(2))
        found.append(Unit(first="anna", second="bo", games=2, score=won, points=2 * (2 * won - 2)))
    return found


def test_it_is_the_difference_of_the_ratings_and_the_points_a_game() -> None:
    units = pairs(80, 100)
    lead, ratings = lead_of(units, "anna", "bo"), rate(units)
    assert lead.points == points_per_game(units, "anna")
    assert lead.elo == pytest.approx(ratings.elo[0] - ratings.elo[1])
    low, high = ratings.interval("anna")
    assert lead.elo_interval == pytest.approx((2 * low, 2 * high))


def test_seen_from_the_other_side_it_is_the_same_below_0() -> None:
    units = pairs(80, 100)
    one, other = lead_of(units, "anna", "bo"), lead_of(units, "bo", "anna")
    assert one.elo_interval is not None
    assert other.elo == pytest.approx(-one.elo)
    assert other.elo_interval == pytest.approx((-one.elo_interval[1], -one.elo_interval[0]))
    likely = [
        likelihood_of_superiority(units, *names) for names in (("anna", "bo"), ("bo", "anna"))
    ]
    assert sum(likely) == pytest.approx(1)
    assert likely[0] > 0.95


def test_its_interval_holds_the_truth_as_often_as_it_says() -> None:
    held = 0
    for seed in range(200):
        found = lead_of(pairs(60, 40, seed), "anna", "bo").elo_interval
        assert found is not None
        held += found[0] <= 60 <= found[1]
    assert 0.9 < held / 200 < 0.99


def test_who_won_everything_leads_by_a_finite_number_and_one_unit_has_no_interval() -> None:
    all_won = [Unit(first="anna", second="bo", games=2, score=2, points=2)] * 20
    assert 0 < lead_of(all_won, "anna", "bo").elo < 1000
    assert lead_of(all_won[:1], "anna", "bo").elo_interval is None


def test_with_the_luck_taken_out_somebody_may_win_more_than_all_games() -> None:
    units = [Unit(first="anna", second="bo", games=2, score=2.5, points=4.5)] * 20
    points = points_per_game(units, "anna")
    assert lead_of(units, "anna", "bo") == Lead(points=points, elo=None, elo_interval=None)
    assert likelihood_of_superiority(units, "anna", "bo") is None

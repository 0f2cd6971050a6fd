"""The unit of the statistics, points per game, and Student's distribution behind the interval."""

import math
from random import Random
from statistics import NormalDist

import pytest

from arena.tournaments import TournamentError
from arena.tournaments.schedule import Fixture
from arena.tournaments.statistics.intervals import points_per_game, student_quantile
from arena.tournaments.statistics.units import entrants_of, fields_of, halves_of, units_of
from tests.fixtures.tournament_builders import match, void
from tests.tournaments.statistics.samples import unit


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (5, 2.571),
        (10, 2.228),
        (30, 2.042),
        (60, 2.000),
        (120, 1.980),
    ],
)
def test_the_quantiles_are_those_of_the_printed_tables(freedom, quantile):
    """The column of 97.5 % in any table of Student's t."""
    assert student_quantile(0.975, freedom) == pytest.approx(quantile, abs=5e-4)


def test_with_very_many_degrees_of_freedom_it_is_the_normal_distribution():
    assert student_quantile(0.975, 10**6) == NormalDist().inv_cdf(0.975)
    assert student_quantile(0.975, 999) == pytest.approx(student_quantile(0.975, 1000), rel=2e-3)


STUDENT = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
"""Hours of sleep gained with one drug (Student 1908): mean 0.75, standard deviation 1.789."""


def test_the_interval_is_students():
    """His own data, in tenths of hours as points: the interval usually quoted for it is -0.53 to 2.03."""
    units = [unit("drug", "none", 0.5, points=round(10 * hours)) for hours in STUDENT]
    found = points_per_game(units, "drug")
    assert found.mean == pytest.approx(7.5)
    assert found.margin == pytest.approx(2.262 * 17.89 / math.sqrt(10), rel=1e-3)
    other = points_per_game(units, "none")
    assert (other.mean, other.margin) == (pytest.approx(-7.5), pytest.approx(found.margin))


def test_games_of_a_unit_share_its_points():
    found = points_per_game(
        [unit("anna", "bo", 3, games=3, points=6), unit("anna", "bo", 0, games=3, points=-3)], "bo"
    )
    assert found.mean == pytest.approx(-0.5)


def test_what_opponents_differ_in_is_no_error():
    """Plus six against one and minus six against the other, each time nearly: the opponents are what they are."""
    units = [unit("anna", "bo", 1, points=points) for points in (5, 6, 7)]
    units += [unit("anna", "cia", 0, points=points) for points in (-5, -6, -7)]
    found = points_per_game(units, "anna")
    assert found.mean == 0
    assert found.margin == pytest.approx(student_quantile(0.975, 4) * math.sqrt(6) / 6)


def test_opponents_met_once_are_taken_together():
    units = [
        unit("anna", opponent, 1, points=points)
        for opponent, points in (("bo", 1), ("cia", 2), ("dag", 6))
    ]
    found = points_per_game(units, "anna")
    assert found.mean == 3
    assert found.margin == pytest.approx(student_quantile(0.975, 2) * math.sqrt(7 / 3))
    once_more = [*units[:2], unit("anna", "bo", 1, points=3)]
    assert points_per_game(once_more, "anna").margin == pytest.approx(
        student_quantile(0.975, 2) * math.sqrt(1 / 3)
    )


def test_an_opponent_met_once_joins_the_one_met_least():
    most = [unit("anna", "bo", 1, points=points) for points in (1, 1, 1, 1)]
    least = [unit("anna", "cia", 1, points=points) for points in (5, 7)]
    single = [unit("anna", "dag", 1, points=6)]
    for units in ([*single, *most, *least], [*single, *least, *most]):
        margin = student_quantile(0.975, 5) * math.sqrt(2 * 3 / 2) / 7
        assert points_per_game(units, "anna").margin == pytest.approx(margin)


def test_of_one_unit_or_of_none_nothing_can_be_said():
    assert points_per_game([unit("anna", "bo", 1, points=4)], "anna").margin is None
    assert points_per_game([unit("anna", "bo", 1, points=4)] * 5, "anna").margin is None
    assert points_per_game([unit("anna", "bo", 1, points=4)], "cia") is None


def test_the_95_percent_interval_holds_the_truth_in_93_to_97_percent():
    """5,000 entrants with a known truth against three opponents, 8 pairs each, points as lopsided as those of Bräde."""
    random, held = Random(17), 0
    paid = [1, 1, 1, 2, 2, 4, 6]
    chances = {"bo": 0.7, "cia": 0.5, "dag": 0.35}
    truth = sum(17 / 7 * (2 * chance - 1) for chance in chances.values()) / 3
    for _ in range(5000):
        units = [
            unit(
                "anna",
                name,
                1,
                games=2,
                points=sum(random.choice(paid) * luck for luck in _signs(chance, random)),
            )
            for name, chance in chances.items()
            for _ in range(8)
        ]
        found = points_per_game(units, "anna")
        held += abs(found.mean - truth) <= found.margin
    assert 0.93 <= held / 5000 <= 0.97


def _signs(chance, random):
    """Two games of a pair, with luck that cancels out half of the time."""
    luck = random.random()
    again = 1 - luck if random.random() < 0.5 else random.random()
    return [1 if each < chance else -1 for each in (luck, again)]


# The unit of the statistics: how results are cut into independent pieces


def test_a_match_is_one_unit():
    assert units_of(match("anna jan, bo off, -"), 3) == (
        unit("anna", "bo", 1.5, games=3, points=3),
    )


def test_a_fixture_of_pairs_has_a_unit_for_every_two_games():
    assert units_of(match("anna jan, bo jan, bo off, bo forfeit"), 2) == (
        unit("anna", "bo", 1, games=2, points=0),
        unit("anna", "bo", 0, games=2, points=-7),
    )


def test_a_void_fixture_has_no_unit():
    assert units_of(void(Fixture(round=1, first="anna", second="bo")), 3) == ()


@pytest.mark.parametrize("games_in_unit", [0, 2])
def test_games_that_do_not_come_out_even_are_refused(games_in_unit):
    with pytest.raises(
        TournamentError, match=f"3 games cannot be cut into units of {games_in_unit}"
    ):
        units_of(match("anna jan, bo off, -"), games_in_unit)


def test_a_unit_can_be_seen_from_either_side():
    one = unit("anna", "bo", 2.5, games=3, points=4)
    assert one.seen_by("anna") == one
    assert one.seen_by("bo") == unit("bo", "anna", 0.5, games=3, points=-4)


def test_entrants_that_nothing_connects_stand_in_fields_apart():
    chain = [unit("anna", "bo", 1), unit("bo", "cia", 1), unit("dag", "cia", 0)]
    apart = [unit("eva", "finn", 1)]
    assert fields_of([*apart, *chain]) == [chain, apart]
    assert [entrants_of(field) for field in fields_of([*apart, *chain])] == [
        ["anna", "bo", "cia", "dag"],
        ["eva", "finn"],
    ]
    assert fields_of([]) == []


def test_units_are_counted_by_half_games():
    pairs = [unit("new", "old", score, games=2) for score in (0, 0.5, 1, 1, 2)] + [
        unit("old", "new", 0, games=2)
    ]
    assert halves_of(pairs, "new", 2) == (1, 1, 2, 0, 2)
    assert halves_of(pairs, "old", 2) == (2, 0, 2, 1, 1)
    with pytest.raises(TournamentError, match="a unit of 2 games among those of 3"):
        halves_of(pairs, "new", 3)

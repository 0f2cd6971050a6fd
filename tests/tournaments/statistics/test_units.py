"""The unit of the statistics: how results are cut into independent pieces."""

from __future__ import annotations

import pytest

from arena.tournaments.errors import TournamentError
from arena.tournaments.schedule import Fixture
from arena.tournaments.statistics.units import entrants_of, fields_of, halves_of, units_of
from tests.tournaments.builders import match, void
from tests.tournaments.statistics.samples import unit


def test_a_match_is_one_unit():
    assert units_of(match("anna jan, bo off, -"), 3) == (unit("anna", "bo", 1.5, games=3, points=3),)


def test_a_fixture_of_pairs_has_a_unit_for_every_two_games():
    assert units_of(match("anna jan, bo jan, bo off, bo forfeit"), 2) == (
        unit("anna", "bo", 1, games=2, points=0),
        unit("anna", "bo", 0, games=2, points=-7),
    )


def test_a_void_fixture_has_no_unit():
    assert units_of(void(Fixture(round=1, first="anna", second="bo")), 3) == ()


@pytest.mark.parametrize("games_in_unit", [0, 2])
def test_games_that_do_not_come_out_even_are_refused(games_in_unit):
    with pytest.raises(TournamentError, match=f"3 games cannot be cut into units of {games_in_unit}"):
        units_of(match("anna jan, bo off, -"), games_in_unit)


def test_a_unit_can_be_seen_from_either_side():
    one = unit("anna", "bo", 2.5, games=3, points=4)
    assert one.seen_by("anna") == one
    assert one.seen_by("bo") == unit("bo", "anna", 0.5, games=3, points=-4)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (("anna", "anna", 1, 3), "'anna' meets itself"),
        (("anna", "bo", 0, 0), "at least 1 game, found 0"),
        (("anna", "bo", 4, 3), "a score of 4 in 3 games"),
        (("anna", "bo", -1, 3), "a score of -1 in 3 games"),
        (("anna", "bo", 0.3, 3), "expected whole or half games"),
    ],
)
def test_a_unit_that_contradicts_itself_is_refused(fields, problem):
    with pytest.raises(TournamentError, match=problem):
        unit(*fields)


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
    pairs = [unit("new", "old", score, games=2) for score in (0, 0.5, 1, 1, 2)] + [unit("old", "new", 0, games=2)]
    assert halves_of(pairs, "new", 2) == (1, 1, 2, 0, 2)
    assert halves_of(pairs, "old", 2) == (2, 0, 2, 1, 1)
    with pytest.raises(TournamentError, match="a unit of 2 games among those of 3"):
        halves_of(pairs, "new", 3)

"""Where standings and ratings order two bots differently, a sentence says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.records.statistics import Field, RunStatistics, disagreements
from arena.tournaments.standings import Column, Standings, standings
from arena.tournaments.statistics.ratings import order_probabilities, rate_fields
from arena.tournaments.statistics.units import units_of
from tests.tournaments.builders import tournament

NAMES = {"anna": "Anna Ek", "bo": "Bo", "cia": "cia"}
MORE_GAMES = """
anna-bo: anna jan, anna jan, anna jan, bo jan, bo jan
anna-cia: anna jan, anna jan, anna jan, cia jan, cia jan
bo-cia: bo jan, bo jan, bo jan, bo jan, bo jan
"""
"""Anna wins both its matches narrowly, Bo wins one by far."""


def found_in(text: str, **more: tuple[Column, ...]) -> tuple[Standings, RunStatistics]:
    """The standings and the ratings of some matches of five games."""
    entrants, schedule, results = tournament(text.strip())
    units = tuple(unit for result in results for unit in units_of(result, 5))
    fields = tuple(
        Field(ratings=each, order=order_probabilities(each, seed=1, draws=10)) for each in rate_fields(units)
    )
    found = RunStatistics(
        entrants=tuple(entrants),
        names=NAMES,
        unit="match",
        games_in_unit=5,
        units=units,
        fields=fields,
        points={},
        conduct={},
    )
    return standings(entrants, schedule, results, names=NAMES, **more), found


def test_more_games_but_fewer_matches() -> None:
    [told] = disagreements(*found_in(MORE_GAMES))
    assert told == (
        "Anna Ek stands above Bo by match points, 2 against 1, but Bo is rated higher: "
        "ratings count games, of which it won 70.0 % against 60.0 %"
    )


def test_what_a_format_compares_first_is_named_first() -> None:
    columns = (Column(heading="rounds won", numbers={"anna": 2, "bo": 1, "cia": 0}),)
    [told] = disagreements(*found_in(MORE_GAMES, columns=columns))
    assert "by rounds won, 2 against 1, but" in told


def test_stronger_opponents() -> None:
    """Bo has won no larger share of its games than cia, but against anna, who beats cia's only opponent."""
    text = """
anna-bo: anna jan, anna jan, anna jan, bo jan, bo jan
anna-dag: anna jan, anna jan, anna jan, anna jan, anna jan
cia-dag: cia jan, cia jan, cia jan, dag jan, dag jan
"""
    table, found = found_in(text)
    [told] = disagreements(table, replace(found, names=NAMES | {"dag": "dag"}))
    assert told == (
        "cia stands above Bo by match points, 1 against 0, but Bo is rated higher: "
        "ratings weigh the opponents, and those of Bo were stronger"
    )


def test_a_tie_that_was_broken_names_the_step() -> None:
    """Level on match points: the standings go on with game points, the ratings do not look at points."""
    text = """
anna-bo: anna jan, anna jan, anna jan, bo off, bo off
anna-bo: bo off, bo off, bo off, -, -
"""
    [told] = disagreements(*found_in(text))
    assert told.startswith("Anna Ek stands above Bo by game points, but Bo is rated higher: ratings count games")


@pytest.mark.parametrize("text", ["anna-bo: anna jan, -, -, -, -", "anna-bo: anna jan, bo jan, -, -, -", "anna-bo:"])
def test_nothing_is_said_where_both_agree_or_a_place_is_shared(text: str) -> None:
    assert disagreements(*found_in(text)) == []

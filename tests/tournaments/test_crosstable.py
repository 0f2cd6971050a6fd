"""The cross-table of M4's standings: everybody against everybody, in order of place."""
# ruff: noqa: N802 - clause ids keep their spelling in the names of tests

from __future__ import annotations

import pytest
from hypothesis import given

from arena.tournaments.crosstable import Outcome, crosstable
from arena.tournaments.errors import TournamentError
from arena.tournaments.standings import standings
from tests.tournaments.builders import any_tournament, match, tournament

TEXT = """
    anna-bo: anna off, bo jan
    bo-cia: bo crown, cia crown
    cia-anna: anna tower, cia off
    bo-anna: bo forced-jan, -
    cia-bo: void
    anna-cia:
"""


def summary(meetings):
    return [(one.fixture, one.seat, one.points_for, one.points_against, one.outcome) for one in meetings]


def test_M4_the_crosstable_stands_in_order_of_place():
    names, schedule, results = tournament(TEXT)
    table = crosstable(standings(names, schedule, results), results)
    assert table.entrants == ("bo", "anna", "cia")
    assert summary(table.meetings("bo", "anna")) == [
        ("r1-anna-v-bo", 2, 4, 1, Outcome.WON),
        ("r4-bo-v-anna", 1, 6, 0, Outcome.WON),
    ]
    assert summary(table.meetings("anna", "bo")) == [
        ("r1-anna-v-bo", 1, 1, 4, Outcome.LOST),
        ("r4-bo-v-anna", 2, 0, 6, Outcome.LOST),
    ]
    assert summary(table.meetings("cia", "bo")) == [
        ("r2-bo-v-cia", 2, 2, 2, Outcome.DRAWN),
        ("r5-cia-v-bo", 1, 0, 0, Outcome.VOID),
    ]
    assert table.meetings("anna", "anna") == ()


def test_M5_annulled_matches_stay_visible_as_such():
    names, schedule, results = tournament(TEXT + "dag-anna: dag jan\nbo-dag:\ncia-dag:\n")
    table = crosstable(standings(names, schedule, results, withdrawn={"dag"}), results)
    assert table.entrants[-1] == "dag"
    assert [one.outcome for one in table.meetings("anna", "dag")] == [Outcome.ANNULLED]


def test_M4_a_stranger_in_the_results_is_refused():
    names, schedule, results = tournament(TEXT)
    with pytest.raises(TournamentError, match="zoe is not in the standings"):
        crosstable(standings(names, schedule, results), [match("anna jan", "anna", "zoe")])


@given(any_tournament())
def test_M4_rows_of_the_crosstable_add_up_to_the_standings(drawn):
    names, schedule, results = drawn
    table = standings(names, schedule, results)
    square = crosstable(table, results)
    for row, cells in zip(table.rows, square.cells, strict=True):
        meetings = [one for cell in cells for one in cell]
        counts = [sum(one.outcome is kind for one in meetings) for kind in (Outcome.WON, Outcome.LOST)]
        assert counts == [row.won, row.lost]
        assert sum(one.points_for for one in meetings) == row.points_for
        assert sum(one.points_against for one in meetings) == row.points_against

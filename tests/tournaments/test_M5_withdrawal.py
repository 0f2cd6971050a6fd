"""M5: the results of a withdrawn entrant stand from half of its matches on; below that they are annulled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments import TournamentError
from arena.tournaments.standings import Withdrawal, standings
from arena.words import say
from tests.fixtures.tournament_builders import any_tournament, tournament

TWO_OF_FOUR = """
    anna-cia: cia jan
    bo-cia: bo jan
    dag-cia:
    eva-cia:
    anna-bo: anna off
    dag-eva: dag off
"""
ONE_OF_FOUR = TWO_OF_FOUR.replace("bo-cia: bo jan", "bo-cia:")


def row_of(table, name):
    return next(row for row in table.rows if row.entrant == name)


def test_M5_at_half_of_its_matches_the_results_stand():
    table = standings(*tournament(TWO_OF_FOUR), withdrawn={"cia"})
    cia = row_of(table, "cia")
    assert cia.withdrawal is Withdrawal.STANDS
    assert (cia.place, cia.played, cia.won, cia.lost) == (2, 2, 1, 1)
    assert row_of(table, "anna").played == 2
    assert tuple(map(say, table.notes)) == (
        "cia withdrew after 2 of 4 matches: at least half, so its results stand",
    )


def test_M5_below_half_all_its_matches_are_annulled_for_everybody():
    table = standings(*tournament(ONE_OF_FOUR), withdrawn={"cia"})
    assert tuple(map(say, table.notes)) == (
        "cia withdrew after 1 of 4 matches: fewer than half, so its results are annulled",
    )
    cia = table.rows[-1]
    assert (cia.entrant, cia.place, cia.withdrawal) == ("cia", None, Withdrawal.ANNULLED)
    assert (cia.played, cia.match_points, cia.points_for, cia.best_games) == (0, 0, 0, ())
    anna = row_of(table, "anna")
    assert (anna.played, anna.won, anna.lost, anna.points_against) == (1, 1, 0, 0)
    assert table.counted == {"r5-anna-v-bo", "r6-dag-v-eva"}


def test_M5_an_odd_number_of_matches_needs_more_than_half_rounded_down():
    two_of_five = TWO_OF_FOUR + "finn-cia:\n"
    assert (
        standings(*tournament(two_of_five), withdrawn={"cia"}).rows[-1].withdrawal
        is Withdrawal.ANNULLED
    )


def test_M5_unplayed_matches_count_for_nobody():
    table = standings(*tournament(TWO_OF_FOUR), withdrawn={"cia"})
    assert row_of(table, "dag").played == 1
    assert sum(row.match_points for row in table.rows) == 4


def test_M5_a_void_match_is_neither_due_nor_played():
    text = TWO_OF_FOUR.replace("bo-cia: bo jan", "bo-cia: void").replace("eva-cia:\n", "")
    table = standings(*tournament(text), withdrawn={"cia"})
    assert tuple(map(say, table.notes)) == (
        "cia withdrew after 1 of 2 matches: at least half, so its results stand",
    )


def test_M5_two_withdrawn_entrants_are_judged_apart():
    text = """
        anna-bo: anna jan
        cia-anna: anna jan
        bo-cia:
        bo-dag:
        cia-dag: cia jan
        anna-dag: anna jan
        dag-eva:
        eva-anna: void
    """
    table = standings(*tournament(text), withdrawn=["bo", "cia"])
    assert row_of(table, "bo").withdrawal is Withdrawal.ANNULLED
    assert row_of(table, "cia").withdrawal is Withdrawal.STANDS
    assert row_of(table, "anna").played == 2


def test_M5_nobody_else_is_marked():
    table = standings(*tournament(ONE_OF_FOUR), withdrawn={"cia"})
    assert [row.withdrawal for row in table.rows[:-1]] == [Withdrawal.NONE] * 4


def test_M5_only_an_entrant_can_withdraw():
    with pytest.raises(TournamentError, match="'zoe' withdrew but is not an entrant"):
        standings(*tournament(ONE_OF_FOUR), withdrawn={"zoe"})


@given(any_tournament(), st.data())
def test_M5_annulling_is_the_same_as_never_having_entered(drawn, data):
    names, schedule, results = drawn
    gone = data.draw(st.sets(st.sampled_from(names), max_size=len(names) - 1))
    table = standings(names, schedule, results, withdrawn=gone)
    annulled = {row.entrant for row in table.rows if row.withdrawal is Withdrawal.ANNULLED}

    def without(fixtures):
        return [each for each in fixtures if not annulled & {each.first, each.second}]

    rest = standings(
        [name for name in names if name not in annulled], without(schedule), without(results)
    )
    placed = [
        (row.place, row.entrant, row.match_points) for row in table.rows if row.place is not None
    ]
    assert placed == [(row.place, row.entrant, row.match_points) for row in rest.rows]
    assert table.tie_breaks == rest.tie_breaks

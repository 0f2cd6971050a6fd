"""M4: how standings are ordered, beyond the worked examples of docs/tie-breaks.md, and the cross-table beside them."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given

from arena.tournaments import TournamentError
from arena.tournaments.crosstable import crosstable
from arena.tournaments.results import format_points
from arena.tournaments.schedule import Fixture
from arena.tournaments.standings import standings
from arena.tournaments.tie_breaks import TieStep
from arena.words import say
from tests.english import english
from tests.fixtures.tournament_builders import any_tournament, tournament


def table_of(text, **options):
    return standings(*tournament(text), **options)


def order_of(table):
    return [(row.place, row.entrant) for row in table.rows]


def sentences(table):
    return [say(tie.sentence) for tie in table.tie_breaks]


def test_M4_match_points_come_first_and_need_no_tie_break():
    table = table_of("""
        anna-bo: anna off
        anna-cia: anna off
        bo-cia: bo forced-jan
    """)
    assert order_of(table) == [(1, "anna"), (2, "bo"), (3, "cia")]
    assert [row.match_points for row in table.rows] == [2, 1, 0]
    assert table.tie_breaks == ()


def test_M4_a_drawn_match_is_worth_half_a_match_point_each():
    table = table_of("anna-bo: anna jan, bo jan")
    assert [(row.drawn, row.match_points) for row in table.rows] == [(1, Fraction(1, 2))] * 2


def test_M4_then_the_best_won_game_of_the_tournament():
    table = table_of("""
        anna-cia: anna jan, anna crown
        bo-cia: bo forced-jan
    """)
    assert order_of(table) == [(1, "bo"), (2, "anna"), (3, "cia")]
    assert sentences(table) == ["bo above anna: best won game, forced jan (6) against jan (4)"]
    assert table.tie_breaks[0].step is TieStep.BEST_GAME


HANDSOME_OR_MONK = """
    anna-cia: anna crown, anna off, anna off
    bo-cia: bo off+, bo off+
"""


def test_M4_the_best_won_games_are_compared_by_value_or_by_rank():
    by_value, by_rank = table_of(HANDSOME_OR_MONK), table_of(HANDSOME_OR_MONK, best_game="rank")
    assert sentences(by_value) == [
        "bo above anna: second best won game, bearing off with monk (2) against bearing off (1)"
    ]
    assert sentences(by_rank) == [
        "anna above bo: best won game, single crown (2, rank 4) against bearing off with monk (2, rank 5)"
    ]


def test_M4_endings_that_differ_but_count_the_same_are_named_by_their_points():
    table = table_of("""
        anna-dag: anna crown, anna crown
        bo-dag: bo tower, bo off+
        cia-dag: cia off+, cia off, cia off
    """)
    assert order_of(table)[:3] == [(1, "anna"), (1, "bo"), (3, "cia")]
    assert sentences(table)[1].startswith(
        "anna and bo above cia: second best won game, 2 points against bearing off (1); anna, bo and cia "
    )


FOUR_LEVEL = """
    anna-cia: anna jan
    anna-dag: anna jan
    bo-anna: bo jan
    bo-dag: bo jan
    cia-bo: cia jan
    dag-cia: dag jan
    eva-anna: eva jan
    eva-bo: eva jan
    cia-eva: cia jan
    dag-eva: dag jan
    finn-anna: finn jan
    finn-bo: finn jan
    finn-cia: finn jan
    finn-dag: finn jan
    eva-finn: eva jan
"""


def test_M4_direct_encounter_is_asked_again_among_those_it_left_level():
    table = table_of(FOUR_LEVEL)
    assert [row.entrant for row in table.rows] == ["finn", "eva", "bo", "anna", "dag", "cia"]
    assert sentences(table) == [
        "bo above anna: direct encounter, 1 against 0",
        (
            "anna above dag: direct encounter, 2 against 1 in the matches among anna, bo, cia and dag; "
            "they were level on match points (2), game points (8) and best won games"
        ),
        "dag above cia: direct encounter, 1 against 0",
    ]
    assert [tie.place for tie in table.tie_breaks] == [3, 4, 5]
    assert [tie.group for tie in table.tie_breaks][1] == ("anna", "bo", "cia", "dag")


def test_M4_direct_encounter_adds_up_all_meetings_of_the_cycles():
    table = table_of("""
        anna-bo: anna jan
        bo-anna: -
        bo-cia: bo jan
        cia-anna: -
        cia-bo: -
        anna-cia: cia off
        cia-dag: cia jan, cia jan
    """)
    assert "anna above bo: direct encounter, 1½ against ½" in sentences(table)


def test_M4_direct_encounter_is_left_out_while_the_tied_have_not_met():
    table = table_of("""
        anna-cia: anna jan
        bo-dag: bo jan
        cia-dag: -
        anna-bo:
        cia-eva: cia off
    """)
    assert sentences(table)[0] == "anna above bo: Sonneborn-Berger, 1½ against ½; they have not met"


def test_M4_three_of_whom_two_have_met_are_not_parted_by_that_match():
    table = table_of("""
        anna-cia: anna jan
        bo-dag: bo jan
        cia-eva: cia jan
    """)
    assert order_of(table) == [(1, "anna"), (2, "bo"), (2, "cia"), (4, "dag"), (4, "eva")]
    assert sentences(table) == [
        (
            "anna above bo and cia: Sonneborn-Berger, 1 against 0; anna, bo and cia were level on match points (1), "
            "game points (4) and best won games; direct encounter was left out, "
            "since not every pair has met equally often"
        ),
        (
            "bo and cia share place 2: level on match points (1), game points (4), best won games and "
            "Sonneborn-Berger (0); direct encounter (among anna, bo and cia) was left out, "
            "since not every pair has met equally often"
        ),
        (
            "dag and eva share place 4: level on match points (0), game points (0), best won games and "
            "Sonneborn-Berger (0); direct encounter was left out, since they have not met"
        ),
    ]


def test_M4_before_the_first_match_all_share_the_first_place():
    table = table_of("anna-bo:")
    assert order_of(table) == [(1, "anna"), (1, "bo")]
    assert sentences(table) == [
        "anna and bo share place 1: none of them has a match that counts yet"
    ]


def test_M4_a_row_adds_up_its_games():
    table = table_of(
        "anna-bo: anna jan, bo crown, anna forfeit, -, bo crown+, anna jan, bo forfeit"
    )
    anna = table.rows[0]
    assert anna.entrant == "anna"
    assert (anna.points_for, anna.points_against, anna.forfeits) == (14, 11, 1)
    assert [game.points for game in anna.best_games] == [4, 4]


def test_M4_a_void_match_counts_for_neither():
    table = table_of("""
        anna-bo: void
        anna-cia: anna jan
    """)
    assert {row.entrant: row.played for row in table.rows} == {"anna": 1, "bo": 0, "cia": 1}
    assert table.counted == {"r2-anna-v-cia"}


def test_M4_everything_that_does_not_fit_together_is_listed():
    names, schedule, results = tournament("""
        anna-bo: anna jan
        bo-cia: bo jan
    """)
    strange = replace(results[0], fixture="r9-anna-v-bo")
    swapped = replace(results[1], first="cia", second="bo")
    with pytest.raises(TournamentError) as caught:
        standings(
            [*names, "bo"],
            [*schedule, schedule[0], Fixture(round=3, first="anna", second="zoe")],
            [*results, results[0], strange, swapped],
        )
    assert sorted(english(caught.value.problems)) == [
        "'bo' is entered 2 times",
        "fixture r1-anna-v-bo: is scheduled 2 times",
        "fixture r1-anna-v-bo: is settled 2 times",
        "fixture r2-bo-v-cia: is settled 2 times",
        "fixture r2-bo-v-cia: the result is of round 2, cia against bo",
        "fixture r3-anna-v-zoe: 'zoe' is not an entrant",
        "fixture r9-anna-v-bo: is not in the schedule",
    ]


@pytest.mark.parametrize(
    ("points", "text"),
    [
        (0, "0"),
        (Fraction(1, 2), "½"),
        (3, "3"),
        (Fraction(5, 2), "2½"),
        (Fraction(11, 4), "2¾"),
        (10, "10"),
    ],
)
def test_M4_match_points_are_written_as_people_write_them(points, text):
    assert format_points(points) == text


@pytest.mark.parametrize("points", [-1, Fraction(1, 3), Fraction(1, 8)])
def test_M4_only_whole_quarters_are_written(points):
    with pytest.raises(ValueError, match="whole quarters"):
        format_points(points)


# The cross-table of M4's standings: everybody against everybody, in order of place


TEXT = """
    anna-bo: anna off, bo jan
    bo-cia: bo crown, cia crown
    cia-anna: anna tower, cia off
    bo-anna: bo forced-jan, -
    cia-bo: void
    anna-cia:
"""


def test_M4_the_crosstable_stands_in_order_of_place():
    names, schedule, results = tournament(TEXT)
    bo, anna, cia = crosstable(standings(names, schedule, results), results)
    assert bo[1] == [(4, 1, "won"), (6, 0, "won")]
    assert anna[0] == [(1, 4, "lost"), (0, 6, "lost")]
    assert cia[0] == [(2, 2, "drawn"), (0, 0, "void")]
    assert anna[1] == []


def test_M5_annulled_matches_stay_visible_as_such():
    names, schedule, results = tournament(TEXT + "dag-anna: dag jan\nbo-dag:\ncia-dag:\n")
    square = crosstable(standings(names, schedule, results, withdrawn={"dag"}), results)
    assert [one.outcome for one in square[1][3]] == ["annulled"]


@given(any_tournament())
def test_M4_rows_of_the_crosstable_add_up_to_the_standings(drawn):
    names, schedule, results = drawn
    table = standings(names, schedule, results)
    square = crosstable(table, results)
    for row, cells in zip(table.rows, square, strict=True):
        meetings = [one for cell in cells for one in cell]
        counts = [sum(one.outcome == kind for one in meetings) for kind in ("won", "lost")]
        assert counts == [row.won, row.lost]
        assert sum(one.points_for for one in meetings) == row.points_for
        assert sum(one.points_against for one in meetings) == row.points_against

"""B9: winning by an overfilled bar."""

import pytest

from tests.fixtures.drawn_boards import (
    CLASSIC,
    FISKE,
    VASA,
    Reached,
    goes_on,
    in_both,
    only,
    refused,
    respelled,
    results,
    wins,
)

ROOM_FOR_THREE = "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3"
HIT_AND_STRIKE = "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3"


@in_both
@pytest.mark.parametrize("moves", ["3/7*", "3/8*"])
def test_B9_1_one_more_than_the_room_is_a_jan(game, moves):
    """The rule book's example: a fourth on the bar for three points wins, and the other die lapses."""
    wins(game, ROOM_FOR_THREE, "5-4", moves, "jan", 4)
    refused(
        game, ROOM_FOR_THREE, "5-4", f"{moves} 1/{5 if moves == '3/8*' else 6}", "game_over", "B9.1"
    )


@in_both
def test_B9_1_as_many_as_the_room_are_no_jan(game):
    goes_on(game, "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:8 14:1 16:1 bar:2", "5-4", "3/7* 1/6")


@in_both
@pytest.mark.parametrize(("roll", "moves"), [("3-1", "11/14*"), ("5-1", "11/16*")])
def test_B9_1_a_hit_in_the_opponents_Q1_adds_as_much_room(game, roll, moves):
    """The rule book's example: with a hit on 14 or 16 the bar grows to four, but so does the room."""
    position = "1:13 11:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3"
    goes_on(game, position, roll, f"{moves} 1/2")


@in_both
def test_B9_1_points_closed_by_the_other_side_count_as_room(game):
    """I hold all of 14-18; five of its points are room for its bar all the same."""
    walled_in = "6:1 14:2 15:2 16:2 17:2 18:2 20:4 | opp 7:1 13:10 bar:4"
    goes_on(game, walled_in, "2-1", "6/7* 20/22")
    wins(game, "6:1 14:2 15:2 16:2 17:2 18:2 20:4 | opp 7:1 13:9 bar:5", "2-1", "6/7*", "jan", 4)


def test_B9_2_forced_jan_if_the_overfilling_hit_is_a_strike():
    """The rule book's example: a hit and then a strike is a forced jan, a strike and then a hit a jan."""
    wins(VASA, HIT_AND_STRIKE, "6-5", "bar/6* bar/5*", "forced_jan", 6)
    wins(VASA, HIT_AND_STRIKE, "6-5", "bar/5* bar/6*", "jan", 4)


def test_B9_2_the_same_board_with_two_endings_is_two_results():
    after = respelled(VASA, "1:3 5:1 6:1 20:10 | opp 2:2 3:2 4:2 13:3 bar:6")
    assert results(VASA, HIT_AND_STRIKE, "6-5") == {
        Reached(after, "forced_jan", 6),
        Reached(after, "jan", 4),
    }


def test_B9_2_in_classic_the_same_roll_allows_one_order_only():
    """6 is free until it is taken, so only the forced jan can be played (B5.4)."""
    only(CLASSIC, HIT_AND_STRIKE, "6-5", "bar/6* bar/5*")
    wins(CLASSIC, HIT_AND_STRIKE, "6-5", "bar/6* bar/5*", "forced_jan", 6)
    refused(CLASSIC, HIT_AND_STRIKE, "6-5", "bar/5* bar/6*", "entry_closed", "B5.4")


def test_B9_3_in_fiske_there_is_no_jan():
    goes_on(FISKE, ROOM_FOR_THREE, "5-4", "3/7* 1/6")
    goes_on(FISKE, "6:1 20:14 | opp 7:1 9:8 bar:6", "2-1", "6/7* 20/22")

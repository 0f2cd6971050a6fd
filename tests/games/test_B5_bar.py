"""B5: entering from the bar, and when a closed point may be struck on the way in."""

import pytest

from tests.fixtures.drawn_boards import (
    CLASSIC,
    EASY_REENTRY,
    FISKE,
    VASA,
    goes_on,
    in_both,
    must_pass,
    only,
    refused,
    same,
)

outnumbering_strikes = pytest.mark.parametrize(
    "game", [VASA, EASY_REENTRY], ids=["vasa", "B11.2-easy_reentry"]
)
ONE_FREE_POINT = "bar:3 1:3 6:1 20:8 | opp 2:2 3:2 4:2 13:9"
THREE_FOR_TWO_POINTS = "bar:3 20:12 | opp 3:2 4:2 5:2 6:2 13:7"
ALL_CLOSED = "1:2 2:2 3:2 4:2 5:2 6:2"
ENTRY_CLAUSE = {"vasa": "B5.5", "classic+easy_reentry": "B5.5", "classic": "B5.4"}


@in_both
def test_B5_1_a_checker_on_the_bar_comes_first(game):
    waiting = "bar:1 20:14 | opp 13:15"
    refused(game, waiting, "6-2", "20/22 bar/6", "bar_first", "B5.1")
    refused(game, waiting, "6-2", "20/off bar/2", "bar_first", "B5.1")


@in_both
def test_B5_1_a_side_that_cannot_enter_all_enters_as_many_as_it_can(game):
    """One of two enters; the die that enters nobody is lost, although other checkers could use it."""
    position = "bar:2 20:13 | opp 5:2 13:13"
    only(game, position, "6-5", "bar/6")
    refused(game, position, "6-5", "bar/6 6/11", "bar_first", "B5.1")


@in_both
def test_B5_2_no_entry_on_an_own_checker(game):
    refused(game, "bar:1 5:1 20:13 | opp 13:15", "5-4", "bar/5", "entry_own_point", "B5.2")
    must_pass(game, "bar:1 5:1 20:13 | opp 13:15", "5-5")


@pytest.mark.parametrize(
    ("game", "bar"),
    [(CLASSIC, 1), (CLASSIC, 2), (VASA, 1), (EASY_REENTRY, 1)],
    ids=["classic-1", "classic-2", "vasa-1", "easy_reentry-1"],
)
def test_B5_3_an_opposing_blot_leaves_its_point_free(game, bar):
    """The blot on 5 is no obstacle: 5 is free, and nothing may be struck."""
    position = f"bar:{bar} 1:3 20:{12 - bar} | opp 2:2 3:2 4:2 6:2 5:1 13:6"
    must_pass(game, position, "4-2")
    refused(game, position, "4-2", "bar/4", "entry_closed", ENTRY_CLAUSE[game.name])


def test_B5_4_no_free_point_lets_strike():
    """The rule book's example: bar/5 fills the last free point, and then the 2 strikes."""
    after = "bar:1 1:3 2:1 5:1 6:1 20:8 | opp 3:2 4:2 13:9 bar:2"
    only(CLASSIC, ONE_FREE_POINT, "5-2", "bar/5 bar/2*")
    goes_on(CLASSIC, ONE_FREE_POINT, "5-2", "bar/5 bar/2*", after=after)


def test_B5_4_while_a_point_is_free_nothing_is_struck():
    """The rule book's example: 5 stays free, 4 and 2 are closed, and the turn is a pass."""
    must_pass(CLASSIC, ONE_FREE_POINT, "4-2")
    refused(CLASSIC, ONE_FREE_POINT, "4-2", "bar/4", "entry_closed", "B5.4")


def test_B5_4_counts_free_points_and_not_the_bar():
    only(CLASSIC, THREE_FOR_TWO_POINTS, "6-2", "bar/2")
    must_pass(CLASSIC, THREE_FOR_TWO_POINTS, "6-5")


@outnumbering_strikes
def test_B5_5_more_on_the_bar_than_free_points_lets_strike(game):
    """The rule book's example: three on the bar, two free points, both dice of 6-2 in either order."""
    only(game, THREE_FOR_TWO_POINTS, "6-2", "bar/6* bar/2")
    same(game, THREE_FOR_TWO_POINTS, "6-2", "bar/6* bar/2", "bar/2 bar/6*")


@outnumbering_strikes
def test_B5_5_is_counted_anew_before_every_die(game):
    """The rule book's example: after one strike of 6-5 two face two points, so the higher strikes and the 5 is lost."""
    only(game, THREE_FOR_TWO_POINTS, "6-5", "bar/6*")
    refused(game, THREE_FOR_TWO_POINTS, "6-5", "bar/6* bar/5", "entry_closed", "B5.5")
    refused(game, THREE_FOR_TWO_POINTS, "6-5", "bar/5*", "lower_die", "B3.4")


@outnumbering_strikes
def test_B5_5_strikes_although_a_point_is_free(game):
    """One free point is no shelter when three wait: in classic the same 4-2 is a pass."""
    goes_on(game, ONE_FREE_POINT, "4-2", "bar/4* bar/2*")


@pytest.mark.parametrize("roll", ["6-5", "4-3", "2-1", "3-3"])
def test_B5_6_in_vasa_the_last_checker_may_not_strike(roll):
    must_pass(VASA, f"bar:1 off:14 | opp {ALL_CLOSED} 13:3", roll)
    refused(
        VASA,
        f"bar:1 off:14 | opp {ALL_CLOSED} 13:3",
        roll,
        f"bar/{roll[0]}",
        "entry_closed",
        "B5.6",
    )


@pytest.mark.parametrize("game", [CLASSIC, EASY_REENTRY], ids=["classic", "B11.2-easy_reentry"])
def test_B5_6_in_classic_the_last_checker_strikes_when_nothing_is_free(game):
    """B5.4 holds to the letter, although B6.2 lets the opponent build just such a wall."""
    only(game, f"bar:1 off:14 | opp {ALL_CLOSED} 13:3", "6-5", "bar/6* 6/11", "bar/5* 5/11")
    must_pass(game, "bar:1 off:14 | opp 1:2 2:2 3:2 4:2 5:2 13:5", "5-4")


@pytest.mark.parametrize("roll", ["6-5", "4-3", "2-1"])
def test_B5_7_in_fiske_nobody_strikes(roll):
    must_pass(FISKE, f"bar:5 20:10 | opp {ALL_CLOSED} 13:3", roll)
    refused(
        FISKE,
        f"bar:5 20:10 | opp {ALL_CLOSED} 13:3",
        roll,
        f"bar/{roll[0]}",
        "entry_closed",
        "B5.7",
    )


def test_B5_8_a_strike_can_be_owed():
    """Entering on 5 alone leaves out the strike with the 2 and is one die short (B3.3)."""
    refused(CLASSIC, ONE_FREE_POINT, "5-2", "bar/5", "fewer_dice", "B3.3")
    refused(VASA, THREE_FOR_TWO_POINTS, "6-2", "bar/2", "fewer_dice", "B3.3")
    refused(VASA, THREE_FOR_TWO_POINTS, "6-5", "pass", "fewer_dice", "B3.3")


def test_B5_8_a_strike_sends_everything_on_the_point_to_the_bar():
    position = "bar:3 20:12 | opp 3:2 4:2 5:2 6:4 13:5"
    goes_on(
        VASA,
        position,
        "6-2",
        "bar/6* bar/2",
        after="bar:1 2:1 6:1 20:12 | opp 3:2 4:2 5:2 13:5 bar:4",
    )

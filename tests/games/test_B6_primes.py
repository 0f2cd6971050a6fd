"""B6: how long a prime may be, and when it may be struck."""

import pytest

from tests.fixtures.drawn_boards import CLASSIC, FISKE, VASA, goes_on, must_pass, only, refused

FIVE_AND_TWO_ENDS = "13:1 14:2 15:2 16:2 17:2 18:2 19:1 24:3 | opp 1:15"
SIX_CLOSED = "1:13 5:1 6:1 | opp 7:2 8:2 9:2 10:2 11:2 12:5"


def test_B6_1_in_classic_no_prime_of_six_even_between_two_dice():
    """The rule book's example: 13/19 first would close 14-19; 14/19 first opens 14 and makes it legal."""
    refused(CLASSIC, FIVE_AND_TWO_ENDS, "6-5", "13/19 14/19", "prime_too_long", "B6.1")
    after = "14:1 15:2 16:2 17:2 18:2 19:3 24:3 | opp 1:15"
    goes_on(CLASSIC, FIVE_AND_TWO_ENDS, "6-5", "14/19 13/19", after=after)
    goes_on(VASA, FIVE_AND_TWO_ENDS, "6-5", "13/19 14/19", after=after)


@pytest.mark.parametrize(
    ("position", "is_closed"),
    [
        ("1:2 12:3 19:1 20:1 21:2 22:2 23:2 24:2 | opp 10:15", True),
        ("1:1 12:4 19:1 20:1 21:2 22:2 23:2 24:2 | opp 10:15", False),
    ],
    ids=["closed-home", "single-checker-at-home"],
)
def test_B6_1_in_classic_a_closed_home_belongs_to_the_prime(position, is_closed):
    """The prime goes on from 24 to 1 on the opponent's path: 20-24 and a closed home would be six."""
    if is_closed:
        refused(CLASSIC, position, "5-1", "19/20 12/17", "prime_too_long", "B6.1")
    else:
        goes_on(CLASSIC, position, "5-1", "19/20 12/17")


@pytest.mark.parametrize("off", [0, 13, 14])
def test_B6_2_in_classic_the_limit_is_lifted_when_the_opponent_has_14_off(off):
    theirs = {0: "1:15", 13: "1:2 off:13", 14: "1:1 off:14"}[off]
    position = f"12:3 18:1 19:1 20:2 21:2 22:2 23:2 24:2 | opp {theirs}"
    if off == 14:
        goes_on(CLASSIC, position, "5-1", "18/19 12/17")
    else:
        refused(CLASSIC, position, "5-1", "18/19 12/17", "prime_too_long", "B6.1")
    goes_on(VASA, position, "5-1", "18/19 12/17")


@pytest.mark.parametrize("moves", ["6/7* 1/3", "5/7* 1/2", "6/8* 1/2", "6/8* 5/6"])
def test_B6_3_in_vasa_a_prime_of_six_may_be_struck_anywhere(moves):
    """The rule book's example: 7-12 are six closed points, and 6/7*, 5/7* and 6/8* strike."""
    goes_on(VASA, SIX_CLOSED, "2-1", moves)


def test_B6_3_in_vasa_a_closed_point_outside_the_prime_is_not_struck():
    refused(
        VASA,
        "2:1 24:14 | opp 3:2 8:2 9:2 10:2 11:2 12:2 13:3",
        "1-1",
        "2/3",
        "closed_point",
        "B4.1",
    )


def test_B6_3_in_vasa_the_prime_is_measured_anew_before_every_die():
    """The rule book's example: after 6/7* five remain, 8-12, and 7/9 is not legal; 1/3 is."""
    refused(VASA, SIX_CLOSED, "2-1", "6/7* 7/9", "closed_point", "B4.1")
    goes_on(
        VASA,
        SIX_CLOSED,
        "2-1",
        "6/7* 1/3",
        after="1:12 3:1 5:1 7:1 | opp 8:2 9:2 10:2 11:2 12:5 bar:2",
    )


@pytest.mark.parametrize("game", [VASA, CLASSIC], ids=["vasa", "classic"])
def test_B6_3_five_closed_points_are_never_struck(game):
    """The rule book's example: with opp 7-11 there is no strike at all."""
    five = "1:13 5:1 6:1 | opp 7:2 8:2 9:2 10:2 11:2 24:5"
    for moves in ("6/7 1/3", "5/7 1/2", "6/8 1/2"):
        refused(game, five, "2-1", moves, "closed_point", "B4.1")


def test_B6_3_in_vasa_an_entering_checker_strikes_a_long_prime_whatever_is_free():
    """The rule book's example: bar/4* although 1 and 2 are free."""
    only(VASA, "bar:1 24:14 | opp 3:2 4:2 5:2 6:2 7:2 8:2 13:3", "4-4", "bar/4*")
    must_pass(VASA, "bar:1 24:14 | opp 3:2 4:2 5:2 6:2 7:2 13:5", "4-4")


def test_B6_4_in_fiske_there_is_no_limit_and_no_strike():
    goes_on(FISKE, "13:1 14:2 15:2 16:2 17:2 18:2 19:1 24:3 | opp 1:15", "6-5", "13/19 14/19")
    must_pass(FISKE, "6:1 off:14 | opp 7:2 8:2 9:2 10:2 11:2 12:2 13:3", "2-1")
    refused(FISKE, SIX_CLOSED, "2-1", "6/7 1/3", "closed_point", "B4.1")
    must_pass(FISKE, "bar:1 20:14 | opp 3:2 4:2 5:2 6:2 7:2 8:2 13:3", "4-3")

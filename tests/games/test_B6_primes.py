"""B6: how long a prime may be, and when it may be struck."""

import pytest

from arena.games import Illegal, Legal, load_game
from tests.games.boards import CLASSIC, FISKE, VASA, goes_on, must_pass, only, refused

FIVE_AND_TWO_ENDS = "13:1 14:2 15:2 16:2 17:2 18:2 19:1 24:3 | opp 1:15"
SIX_CLOSED = "1:13 5:1 6:1 | opp 7:2 8:2 9:2 10:2 11:2 12:5"


def test_B6_1_in_classic_no_prime_of_six_even_between_two_dice():
    """The rule book's example: 13/19 first would close 14-19; 14/19 first opens 14 and makes it legal."""
    refused(CLASSIC, FIVE_AND_TWO_ENDS, "6-5", "13/19 14/19", "prime_too_long", "B6.1")
    after = "14:1 15:2 16:2 17:2 18:2 19:3 24:3 | opp 1:15"
    goes_on(CLASSIC, FIVE_AND_TWO_ENDS, "6-5", "14/19 13/19", after=after)
    goes_on(VASA, FIVE_AND_TWO_ENDS, "6-5", "13/19 14/19", after=after)


def test_B6_1_in_classic_five_are_allowed():
    five = "12:2 14:1 15:2 16:2 17:2 18:2 20:4 | opp 1:15"
    goes_on(CLASSIC, five, "2-1", "12/14 20/21")
    six = "12:2 14:1 15:2 16:2 17:2 18:2 19:2 22:2 | opp 1:15"
    refused(CLASSIC, six, "2-1", "12/14 22/23", "prime_too_long", "B6.1")


def test_B6_1_in_classic_a_gap_filled_joins_two_primes():
    gap = "12:1 13:1 15:2 16:2 17:1 18:2 19:2 20:2 24:2 | opp 1:15"
    refused(CLASSIC, gap, "5-4", "12/17 13/17", "prime_too_long", "B6.1")
    refused(CLASSIC, gap, "5-4", "13/17", "prime_too_long", "B6.1")


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


def test_B6_1_in_classic_the_own_head_is_in_no_longer_prime():
    """12 and 13 are the two ends of the opponent's path: 13-17 beside a closed head are five, not six."""
    goes_on(CLASSIC, "12:3 13:2 14:2 15:2 16:2 17:1 18:1 24:2 | opp 1:15", "5-1", "12/17 18/19")


def test_B6_1_holds_for_an_entering_checker_as_well():
    """Shown under a house ruleset that lets a checker enter on an own one: bar/6 would close 1-6."""
    house = load_game({"base": "classic", "name": "house-free-stacking-5", "stacking": "anywhere"})
    position = house.parse_position("bar:1 1:2 2:2 3:2 4:2 5:2 6:1 24:3 | opp 13:15")
    verdict = house.judge(position, (6, 5), [(0, 6), (6, 11)])
    assert isinstance(verdict, Illegal)
    assert (verdict.code, verdict.clause) == ("prime_too_long", "B6.1")
    assert isinstance(house.judge(position, (6, 5), [(0, 5), (5, 11)]), Legal)


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


def test_B6_3_in_vasa_the_prime_is_measured_anew_before_every_die():
    """The rule book's example: after 6/7* five remain, 8-12, and 7/9 is not legal; 1/3 is."""
    refused(VASA, SIX_CLOSED, "2-1", "6/7* 7/9", "closed_point", "B4.1")
    goes_on(VASA, SIX_CLOSED, "2-1", "6/7* 1/3", after="1:12 3:1 5:1 7:1 | opp 8:2 9:2 10:2 11:2 12:5 bar:2")


def test_B6_3_in_vasa_a_prime_of_seven_is_still_long_after_one_strike():
    """7-13 without 7 are six, so 8 may be struck too; then five are left and safe."""
    seven = "5:1 6:1 20:13 | opp 7:2 8:2 9:2 10:2 11:2 12:2 13:3"
    goes_on(VASA, seven, "1-1", "6/7* 7/8* 5/6 6/7")
    refused(VASA, seven, "1-1", "6/7* 7/8* 8/9 5/6", "closed_point", "B4.1")


def test_B6_3_in_vasa_a_strike_in_the_middle_breaks_the_prime():
    position = "4:1 20:14 | opp 7:2 8:2 9:2 10:2 11:2 12:2 13:3"
    refused(VASA, position, "6-1", "4/10* 10/11", "closed_point", "B4.1")
    goes_on(VASA, position, "6-1", "4/10* 20/21")


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


def test_B6_3_in_vasa_entry_and_move_may_strike_one_after_the_other():
    """bar/3* leaves 4-9, still six in a row, and 3/4* strikes again."""
    position = "bar:1 20:14 | opp 3:2 4:2 5:2 6:2 7:2 8:2 9:2 13:1"
    goes_on(VASA, position, "3-1", "bar/3* 3/4*")
    refused(VASA, position, "3-3", "bar/3* 3/6* 6/9 20/23", "closed_point", "B4.1")


def test_B6_3_in_vasa_a_closed_home_belongs_to_its_prime():
    """8-12 and the opponent's closed home, my 13, are six: home may be struck like the rest."""
    closed_home = "7:1 20:14 | opp 8:2 9:2 10:2 11:2 12:2 13:5"
    goes_on(VASA, closed_home, "6-1", "7/13* 13/14")
    goes_on(VASA, closed_home, "6-1", "7/8* 8/14")
    refused(VASA, "7:1 20:14 | opp 8:2 9:2 10:2 11:2 12:6 13:1", "6-1", "7/8", "closed_point", "B4.1")


def test_B6_3_in_vasa_the_prime_is_followed_from_24_to_1():
    """My 20-24 with my closed home are a prime of six, and the opponent may strike any of them."""
    theirs = "7:1 23:14 | opp 8:2 9:2 10:2 11:2 12:2 13:5"
    goes_on(VASA, theirs, "5-1", "7/12* 23/24")
    refused(VASA, theirs, "5-1", "7/12* 12/13", "closed_point", "B4.1")


def test_B6_3_in_vasa_the_owners_head_is_in_no_longer_prime():
    """The opponent's head, my 24, and its points 1-5 on my path do not touch: five, and no strike on entry."""
    position = "bar:1 20:14 | opp 1:2 2:2 3:2 4:2 5:2 24:2 13:3"
    must_pass(VASA, position, "5-5")
    refused(VASA, position, "5-5", "bar/5", "entry_closed", "B5.5")


def test_B6_3_B9_2_a_strike_on_a_long_prime_makes_a_forced_jan():
    """Under a house ruleset: in vasa too many of the checkers stay in the rest of the prime to overfill the bar."""
    house = load_game({"base": "vasa", "name": "house-free-stacking", "stacking": "anywhere"})
    position = house.parse_position("10:1 20:14 | opp 13:3 14:2 15:2 16:2 17:2 18:2 24:2")
    verdict = house.judge(position, (3, 3), [(10, 13)])
    assert isinstance(verdict, Legal)
    assert (verdict.ending.name, verdict.ending.points) == ("forced_jan", 6)


@pytest.mark.parametrize("roll", ["2-1", "6-6", "5-4"])
def test_B6_3_B5_6_in_vasa_the_last_checker_strikes_no_prime(roll):
    last = "6:1 off:14 | opp 7:2 8:2 9:2 10:2 11:2 12:2 13:3"
    must_pass(VASA, last, roll)
    goes_on(VASA, "6:1 20:1 off:13 | opp 7:2 8:2 9:2 10:2 11:2 12:2 13:3", "2-1", "6/8* 20/21")


def test_B6_3_in_classic_a_prime_is_never_struck():
    """Only B5.4 strikes in classic: a wall built under B6.2 stands."""
    must_pass(CLASSIC, "6:1 off:14 | opp 7:2 8:2 9:2 10:2 11:2 12:2 13:3", "2-1")
    must_pass(CLASSIC, "bar:1 off:14 | opp 3:2 4:2 5:2 6:2 7:2 8:2 13:3", "4-3")


def test_B6_4_in_fiske_there_is_no_limit_and_no_strike():
    goes_on(FISKE, "13:1 14:2 15:2 16:2 17:2 18:2 19:1 24:3 | opp 1:15", "6-5", "13/19 14/19")
    must_pass(FISKE, "6:1 off:14 | opp 7:2 8:2 9:2 10:2 11:2 12:2 13:3", "2-1")
    refused(FISKE, SIX_CLOSED, "2-1", "6/7 1/3", "closed_point", "B4.1")
    must_pass(FISKE, "bar:1 20:14 | opp 3:2 4:2 5:2 6:2 7:2 8:2 13:3", "4-3")

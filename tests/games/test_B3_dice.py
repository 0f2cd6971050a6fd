"""B3: the duties that the dice impose on a side."""

import pytest

from tests.games.boards import CLASSIC, VASA, goes_on, in_both, must_pass, only, refused, same, turn, wins

ONE_RUNNER = "8:1 24:14 | opp 13:15"
ONE_USES_BOTH = "9:1 10:1 24:13 | opp 13:15"
ONE_OR_THE_OTHER = "6:1 24:14 | opp 13:15"
LAST_CHECKER = "19:1 off:14 | opp 13:15"


@in_both
def test_B3_1_a_die_is_not_shared(game):
    refused(game, ONE_RUNNER, "6-4", "8/11 11/18", "no_such_die", "B3.1")
    refused(game, ONE_RUNNER, "6-4", "8/18", "no_such_die", "B3.1")
    refused(game, "14:2 24:13 | opp 1:15", "6-4", "14/20 14/20", "no_such_die", "B3.1")


@in_both
def test_B3_1_one_checker_may_take_both_dice_in_either_order(game):
    only(game, ONE_RUNNER, "6-4", "8/14 14/18")
    same(game, ONE_RUNNER, "6-4", "8/14 14/18", "8/12 12/18")


@in_both
def test_B3_1_every_landing_on_the_way_must_be_legal(game):
    one_way = "6:1 24:14 | opp 8:2 13:13"
    only(game, one_way, "4-2", "6/10 10/12")
    refused(game, one_way, "4-2", "6/8 8/12", "closed_point", "B4.1")
    neither_way = "6:1 24:14 | opp 8:2 10:2 13:11"
    must_pass(game, neither_way, "4-2")
    refused(game, neither_way, "4-2", "6/12", "no_such_die", "B3.1")


@in_both
def test_B3_1_moves_are_judged_in_the_order_listed(game):
    turn(game, ONE_RUNNER, "6-4", "8/14 14/18")
    refused(game, ONE_RUNNER, "6-4", "14/18 8/14", "no_checker", "B3.1")


@in_both
def test_B3_1_moves_do_not_name_their_dice(game):
    """It is enough that one way of giving the dice to the listed moves makes them legal: here 20/off with the 6."""
    goes_on(game, "20:1 24:13 off:1 | opp 13:15", "6-3", "20/off 24/off", after="24:12 off:3 | opp 13:15")


@in_both
def test_B3_2_a_double_is_four_moves(game):
    only(game, ONE_RUNNER, "1-1", "8/9 9/10 10/11 11/12")
    refused(game, ONE_RUNNER, "1-1", "8/9 9/10 10/11", "fewer_dice", "B3.3")
    refused(game, ONE_RUNNER, "1-1", "8/9 9/10 10/11 11/12 12/13", "too_many_moves", "B3.1")


@in_both
@pytest.mark.parametrize(
    "moves",
    ["14/16 15/17 16/18 17/19", "14/16 16/18 15/17 17/19", "14/16 16/18 18/20 15/17", "14/16 16/18 18/20 20/22"],
    ids=["by-turns", "two-twice", "three-and-one", "one-checker"],
)
def test_B3_2_the_four_moves_of_a_double_may_be_shared_out(game, moves):
    goes_on(game, "14:1 15:1 23:13 | opp 13:15", "2-2", moves)


@in_both
def test_B3_3_a_die_must_not_be_wasted_by_the_choice_of_the_first_move(game):
    """The rule book's example: 10/11 with the 1 would leave the 2 unplayable, so 10/12 with 9/10 is the turn."""
    only(game, ONE_USES_BOTH, "2-1", "10/12 9/10")
    same(game, ONE_USES_BOTH, "2-1", "10/12 9/10", "9/11 11/12")
    refused(game, ONE_USES_BOTH, "2-1", "10/11", "fewer_dice", "B3.3")
    refused(game, ONE_USES_BOTH, "2-1", "10/11 11/13", "closed_point", "B4.1")
    refused(game, ONE_USES_BOTH, "2-1", "10/11 9/11", "own_point", "B4.3")
    refused(game, ONE_USES_BOTH, "2-1", "10/11 24/off", "not_home", "B7.1")


@in_both
def test_B3_3_a_side_may_not_stop_early(game):
    refused(game, ONE_RUNNER, "6-4", "pass", "fewer_dice", "B3.3")
    refused(game, ONE_RUNNER, "6-4", "8/14", "fewer_dice", "B3.3")


@in_both
@pytest.mark.parametrize(
    ("roll", "moves"), [("6-6", "1/7"), ("4-4", "1/5 5/9 1/5"), ("3-3", "1/4 4/7 7/10 1/4")], ids=["6-6", "4-4", "3-3"]
)
def test_B3_3_as_many_dice_of_a_double_as_can_be_used(game, roll, moves):
    only(game, "1:15 | opp 13:15", roll, moves)


@in_both
def test_B3_4_of_two_dice_that_exclude_each_other_the_higher_is_played(game):
    """The rule book's example: after 6/12 there is no 1 and after 6/7 no 6, so only 6/12 is legal."""
    only(game, ONE_OR_THE_OTHER, "6-1", "6/12")
    refused(game, ONE_OR_THE_OTHER, "6-1", "6/7", "lower_die", "B3.4")
    refused(game, ONE_OR_THE_OTHER, "6-1", "6/12 12/13", "closed_point", "B4.1")


@in_both
def test_B3_4_the_lower_die_is_played_where_the_higher_cannot_be(game):
    """With 12 closed as well the 6 cannot be used at all, and 6/7 is the turn."""
    only(game, "6:1 24:14 | opp 12:2 13:13", "6-1", "6/7")


@in_both
def test_B3_4_either_die_may_bear_off_the_last_checker(game):
    wins(game, "24:1 off:14 | opp 13:15", "6-5", "24/off", "bearing_off", 1)
    only(game, "24:1 off:14 | opp 13:15", "6-5", "24/off")


@in_both
def test_B3_5_without_a_legal_move_the_turn_is_a_pass(game):
    shut_out = "bar:1 24:14 | opp 1:2 2:2 13:11"
    must_pass(game, shut_out, "2-1")
    verdict = refused(game, shut_out, "2-1", "bar/2", "entry_closed", "B5.4" if game is CLASSIC else "B5.5")
    assert verdict.legal_turns == 1
    assert verdict.message.endswith("no die can be used, so the only legal turn is to pass.")


# B3.6: the duties are worked out over all ways of playing the roll, winning ones included.


@in_both
def test_B3_6_a_win_with_one_die_is_legal_beside_longer_turns(game):
    """19/off wins at once with the 6, and 19/20 20/off wins with both dice."""
    only(game, LAST_CHECKER, "6-1", "19/off")
    same(game, LAST_CHECKER, "6-1", "19/off", "19/20 20/off")


@in_both
def test_B3_6_a_win_with_the_lower_die_alone_is_legal(game):
    """3/7* with the 4 of a 5-4 wins, although both dice could be played."""
    room_for_three = "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3"
    wins(game, room_for_three, "5-4", "3/7*", "jan", 4)
    goes_on(game, room_for_three, "5-4", "1/6 1/5")


@in_both
def test_B3_6_a_winning_turn_must_be_possible_move_by_move(game):
    """The exemption waives no die: with a 5-4 the last checker on 19 needs both, one after the other."""
    refused(game, LAST_CHECKER, "5-4", "19/off", "die_too_small", "B7.2")
    wins(game, LAST_CHECKER, "5-4", "19/24 24/off", "bearing_off", 1)


@in_both
def test_B3_6_if_only_a_win_uses_both_dice_a_shorter_turn_is_illegal(game):
    """9/11 11/12* wins with both dice, so 10/11, which does not win, is one die short."""
    position = "9:1 10:1 24:13 | opp 12:1 13:9 bar:5"
    only(game, position, "2-1", "10/12*", "9/11 11/12*")
    wins(game, position, "2-1", "10/12*", "jan", 4)
    wins(game, position, "2-1", "9/11 11/12*", "jan", 4)
    refused(game, position, "2-1", "10/11", "fewer_dice", "B3.3")


@in_both
def test_B3_6_if_only_a_win_uses_the_higher_die_the_lower_is_illegal(game):
    """6/12* wins with the 6, so 6/7 falls short of B3.4."""
    position = "6:1 24:14 | opp 12:1 13:9 bar:5"
    only(game, position, "6-1", "6/12*")
    refused(game, position, "6-1", "6/7", "lower_die", "B3.4")


def test_B3_6_in_vasa_a_win_that_wastes_nothing_forbids_the_wasteful_turn():
    """23/off 24/off wins with no waste, so 23/24 24/off, which goes on, wastes one too many."""
    position = "23:1 24:1 off:13 | opp 13:15"
    only(VASA, position, "2-1", "23/off 24/off")
    refused(VASA, position, "2-1", "23/24 24/off", "waste", "B7.6")
    only(CLASSIC, position, "2-1", "23/off 24/off", "23/24 24/off")


def test_B3_6_in_classic_a_handsome_game_is_no_exemption():
    """In classic 19/20 alone uses one die too few, although a single crown would stand."""
    one_short = "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15"
    refused(CLASSIC, one_short, "4-1", "19/20", "fewer_dice", "B3.3")
    wins(VASA, one_short, "4-1", "19/20", "single_crown", 2)

"""B3: the duties that the dice impose on a side."""

from tests.fixtures.drawn_boards import (
    CLASSIC,
    goes_on,
    in_both,
    must_pass,
    only,
    refused,
    same,
    wins,
)

ONE_RUNNER = "8:1 24:14 | opp 13:15"
ONE_USES_BOTH = "9:1 10:1 24:13 | opp 13:15"
ONE_OR_THE_OTHER = "6:1 24:14 | opp 13:15"
LAST_CHECKER = "19:1 off:14 | opp 13:15"


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
def test_B3_2_a_double_is_four_moves(game):
    only(game, ONE_RUNNER, "1-1", "8/9 9/10 10/11 11/12")
    refused(game, ONE_RUNNER, "1-1", "8/9 9/10 10/11", "fewer_dice", "B3.3")
    refused(game, ONE_RUNNER, "1-1", "8/9 9/10 10/11 11/12 12/13", "too_many_moves", "B3.1")


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
def test_B3_4_of_two_dice_that_exclude_each_other_the_higher_is_played(game):
    """The rule book's example: after 6/12 there is no 1 and after 6/7 no 6, so only 6/12 is legal."""
    only(game, ONE_OR_THE_OTHER, "6-1", "6/12")
    refused(game, ONE_OR_THE_OTHER, "6-1", "6/7", "lower_die", "B3.4")
    refused(game, ONE_OR_THE_OTHER, "6-1", "6/12 12/13", "closed_point", "B4.1")


@in_both
def test_B3_5_without_a_legal_move_the_turn_is_a_pass(game):
    shut_out = "bar:1 24:14 | opp 1:2 2:2 13:11"
    must_pass(game, shut_out, "2-1")
    verdict = refused(
        game, shut_out, "2-1", "bar/2", "entry_closed", "B5.4" if game is CLASSIC else "B5.5"
    )
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
def test_B3_6_if_only_a_win_uses_both_dice_a_shorter_turn_is_illegal(game):
    """9/11 11/12* wins with both dice, so 10/11, which does not win, is one die short."""
    position = "9:1 10:1 24:13 | opp 12:1 13:9 bar:5"
    only(game, position, "2-1", "10/12*", "9/11 11/12*")
    wins(game, position, "2-1", "10/12*", "jan", 4)
    wins(game, position, "2-1", "9/11 11/12*", "jan", 4)
    refused(game, position, "2-1", "10/11", "fewer_dice", "B3.3")

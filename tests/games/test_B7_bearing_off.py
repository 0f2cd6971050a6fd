"""B7: bearing off."""

import pytest

from tests.fixtures.drawn_boards import CLASSIC, VASA, goes_on, in_both, only, refused, same, wins

WORKED_EXAMPLE = "19:1 20:1 21:2 22:11 | opp 13:15"
WASTE = "20:1 24:3 off:11 | opp 13:15"
LOST_IN_ONE_ORDER = "19:1 20:3 off:11 | opp 13:13 24:2"


@in_both
def test_B7_1_all_checkers_in_play_must_stand_in_Q4(game):
    straggler = "18:1 19:1 20:13 | opp 13:15"
    refused(game, straggler, "6-1", "19/off 18/19", "not_home", "B7.1")
    goes_on(game, straggler, "6-1", "18/19 19/off")


@in_both
@pytest.mark.parametrize("die", range(1, 7))
@pytest.mark.parametrize("point", range(19, 25))
def test_B7_2_a_checker_on_p_needs_25_minus_p(game, point, die):
    last = f"{point}:1 off:14 | opp 13:15"
    if die >= 25 - point:
        wins(game, last, f"{die}-{die}", f"{point}/off", "bearing_off", 1)
    else:
        refused(game, last, f"{die}-{die}", f"{point}/off", "die_too_small", "B7.2")


@pytest.mark.parametrize(
    "moves", ["19/off 22/off", "19/off 20/23", "22/off 22/off", "20/off 21/24", "19/22 22/off"]
)
def test_B7_3_in_classic_any_checker_the_die_covers_is_borne_off_or_moved(moves):
    goes_on(CLASSIC, WORKED_EXAMPLE, "6-3", moves)


def test_B7_4_in_vasa_only_the_rearmost_is_borne_off():
    refused(VASA, WORKED_EXAMPLE, "6-3", "20/off 19/22", "not_rearmost", "B7.4")
    refused(VASA, WORKED_EXAMPLE, "6-3", "19/off 22/off", "not_rearmost", "B7.4")


def test_B7_4_in_vasa_a_die_that_fits_nothing_is_lost_in_that_order():
    """The rule book's example: 5 first is lost, but 19/22 and then 20/off uses both dice, so it is the turn."""
    only(VASA, LOST_IN_ONE_ORDER, "5-3", "19/22 20/off")
    refused(VASA, LOST_IN_ONE_ORDER, "5-3", "20/off 19/22", "not_rearmost", "B7.4")
    refused(VASA, LOST_IN_ONE_ORDER, "5-3", "19/24 20/23", "closed_point", "B4.1")
    refused(VASA, LOST_IN_ONE_ORDER, "5-3", "20/23", "fewer_dice", "B3.3")


def test_B7_5_in_vasa_the_worked_example():
    """19/off with the 6, and the 3, too small for 20, moves 20/23 or 21/24."""
    only(VASA, WORKED_EXAMPLE, "6-3", "19/off 20/23", "19/off 21/24")
    refused(VASA, WORKED_EXAMPLE, "6-3", "19/off 22/off", "not_rearmost", "B7.4")
    refused(VASA, WORKED_EXAMPLE, "6-3", "19/22 20/off", "waste", "B7.6")


def test_B7_6_in_vasa_only_the_least_waste_is_legal():
    """The rule book's example: 20/off 24/off wastes four, 20/24 24/off five."""
    only(VASA, WASTE, "6-4", "20/off 24/off")
    refused(VASA, WASTE, "6-4", "20/24 24/off", "waste", "B7.6")


def test_B7_6_in_classic_waste_is_no_matter():
    """The rule book's example: in classic both turns are legal."""
    goes_on(CLASSIC, WASTE, "6-4", "20/off 24/off")
    goes_on(CLASSIC, WASTE, "6-4", "20/24 24/off")


def test_B7_6_B3_6_in_vasa_a_winning_turn_is_never_refused_for_its_waste():
    """20/24 24/off wins with a waste of five pips although 20/off wins with one."""
    last = "20:1 off:14 | opp 13:15"
    wins(VASA, last, "6-4", "20/off", "bearing_off", 1)
    same(VASA, last, "6-4", "20/off", "20/24 24/off")


@in_both
def test_B7_7_the_fifteenth_checker_off_wins_at_once(game):
    wins(game, "24:1 off:14 | opp 13:15", "2-1", "24/off", "bearing_off", 1)
    wins(game, "23:1 24:1 off:13 | opp 13:15", "2-1", "23/off 24/off", "bearing_off", 1)
    wins(game, "23:2 24:1 off:12 | opp 13:15", "6-6", "23/off 23/off 24/off", "bearing_off", 1)


@in_both
def test_B7_7_no_move_follows_the_last_checker(game):
    refused(game, "24:1 off:14 | opp 13:15", "2-1", "24/off 24/off", "game_over", "B7.7")
    refused(
        game,
        "23:2 24:1 off:12 | opp 13:15",
        "6-6",
        "23/off 23/off 24/off 24/off",
        "game_over",
        "B7.7",
    )

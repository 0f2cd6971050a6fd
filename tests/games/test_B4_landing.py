"""B4: where a checker may land."""

import pytest

from tests.fixtures.drawn_boards import FISKE, VASA, goes_on, in_both, refused

LOCKED = "1:12 7:1 9:1 11:1 | opp 13:15"


@in_both
@pytest.mark.parametrize(
    ("position", "moves"),
    [
        ("6:1 24:14 | opp 8:2 13:13", "6/8"),
        ("6:1 24:14 | opp 8:7 13:8", "6/8"),
        ("11:1 24:14 | opp 13:15", "11/13"),
        ("22:15 | opp 13:13 24:2", "22/24"),
    ],
    ids=["two", "many", "their-home", "their-head"],
)
def test_B4_1_nobody_lands_on_a_closed_point(game, position, moves):
    refused(game, position, "2-1", moves, "closed_point", "B4.1")


@in_both
def test_B4_2_landing_on_a_blot_sends_it_to_the_bar(game):
    position = "14:1 24:14 | opp 13:14 16:1"
    goes_on(game, position, "2-1", "14/16* 16/17", after="17:1 24:14 | opp 13:14 bar:1")
    goes_on(game, position, "2-1", "14/15 15/17", after="17:1 24:14 | opp 13:14 16:1")


@in_both
@pytest.mark.parametrize("point", range(2, 12))
def test_B4_3_no_two_checkers_on_2_to_11(game, point):
    position = f"{point - 1}:1 {point}:1 13:13 | opp 24:15"
    refused(game, position, "3-1", f"{point - 1}/{point}", "own_point", "B4.3")


@in_both
@pytest.mark.parametrize("point", range(12, 25))
def test_B4_3_any_number_on_12_to_24(game, point):
    on = "off" if point == 24 else point + 1
    moves = f"{point - 1}/{point}" + f" {point}/{on}" * 3
    goes_on(game, f"{point - 1}:1 {point}:13 off:1 | opp 1:15", "1-1", moves)


@in_both
def test_B4_3_two_may_not_meet_even_between_two_dice(game):
    """The rule book's example: 3/5 first is illegal even if the 1 then took one of the two on to 6."""
    position = "3:1 5:1 24:13 | opp 13:15"
    refused(game, position, "2-1", "3/5 5/6", "own_point", "B4.3")
    goes_on(game, position, "2-1", "5/6 3/5", after="5:1 6:1 24:13 | opp 13:15")


# B4.3 [F]: the two sides begin locked; the landing on the head unlocks.


def test_B4_3_in_fiske_landing_on_the_head_unlocks_from_the_next_die():
    """The rule book's example: 11/12 lets 7/9 join the checker on 9; the other order is illegal."""
    goes_on(FISKE, LOCKED, "2-1", "11/12 7/9", after="1:12 9:2 12:1 unlocked | opp 13:15")
    refused(FISKE, LOCKED, "2-1", "7/9 11/12", "own_point", "B4.3")
    refused(VASA, LOCKED, "2-1", "11/12 7/9", "own_point", "B4.3")


@in_both
def test_B4_4_home_is_closed_as_long_as_two_remain(game):
    """The opponent's home, my 13, cannot be landed on with two there; the last one is a blot."""
    refused(game, "11:1 24:14 | opp 9:13 13:2", "2-1", "11/13", "closed_point", "B4.1")
    goes_on(
        game,
        "11:1 24:14 | opp 9:14 13:1",
        "2-1",
        "11/13* 13/14",
        after="14:1 24:14 | opp 9:14 bar:1",
    )

"""B4: where a checker may land."""

import pytest

from arena.games import Legal
from arena.games.tables.notation import parse_moves
from tests.games.boards import FISKE, VASA, board, dice, goes_on, in_both, refused, same

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
def test_B4_1_jumping_is_never_forbidden(game):
    goes_on(game, "6:1 24:14 | opp 7:2 8:2 9:2 10:2 11:2 13:5", "6-5", "6/12 12/17")
    goes_on(game, "6:1 7:1 8:1 9:1 10:1 11:1 24:9 | opp 13:15", "6-5", "6/12 7/12")


@in_both
def test_B4_2_landing_on_a_blot_sends_it_to_the_bar(game):
    position = "14:1 24:14 | opp 13:14 16:1"
    goes_on(game, position, "2-1", "14/16* 16/17", after="17:1 24:14 | opp 13:14 bar:1")
    goes_on(game, position, "2-1", "14/15 15/17", after="17:1 24:14 | opp 13:14 16:1")


@in_both
def test_B4_2_one_turn_may_hit_several_blots(game):
    position = "14:1 24:14 | opp 13:12 15:1 16:1 17:1"
    goes_on(game, position, "1-1", "14/15* 15/16* 16/17* 17/18", after="18:1 24:14 | opp 13:12 bar:3")


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


def test_B4_3_in_fiske_passing_the_head_does_not_unlock():
    refused(FISKE, "1:12 7:1 9:1 10:1 | opp 11:15", "4-2", "10/14 7/9", "own_point", "B4.3")


def test_B4_3_in_fiske_the_unlocking_lasts_for_the_rest_of_the_game():
    position = play(board(FISKE, LOCKED), "2-1", "11/12 12/14")
    assert not is_legal(position, "2-2", "1/3 1/3")
    position = play(position, "2-2", "1/3 3/5 5/7 1/3")
    assert is_legal(position, "2-1", "7/9 9/10")
    assert is_legal(play(play(position, "2-1", "1/3 1/2"), "1-1", "3/4 4/5 5/6 7/8"), "2-1", "7/9 9/10")


def test_B4_3_in_fiske_the_unlocking_makes_two_results():
    """10/12/13 and 10/11/13 place the checkers alike, but only one of them unlocks."""
    literal = "1:1 10:1 24:13 | opp 9:15"
    alike = {}
    for way in ("10/12 12/13", "10/11 11/13"):
        verdict = FISKE.judge(board(FISKE, literal), dice("2-1"), parse_moves(way))
        assert isinstance(verdict, Legal)
        alike[way] = verdict.position
    assert [FISKE.format_position(position) for position in alike.values()] == [
        "1:1 13:1 24:13 unlocked | opp 9:15",
        "1:1 13:1 24:13 | opp 9:15",
    ]
    assert set(alike.values()) <= {one.position for one in FISKE.legal_turns(board(FISKE, literal), (2, 1))}
    same(VASA, literal, "2-1", *alike)


@in_both
def test_B4_4_no_checker_enters_at_home_while_one_stands_there(game):
    for at_home in (1, 2):
        position = f"bar:1 1:{at_home} 24:{14 - at_home} | opp 13:15"
        refused(game, position, "1-1", "bar/1", "entry_own_point", "B5.2")


@in_both
def test_B4_4_an_empty_home_takes_one_checker(game):
    goes_on(game, "bar:2 24:13 | opp 13:15", "1-1", "bar/1", after="bar:1 1:1 24:13 | opp 13:15")
    refused(game, "bar:2 24:13 | opp 13:15", "1-1", "bar/1 bar/1", "entry_own_point", "B5.2")


@in_both
def test_B4_4_home_is_closed_as_long_as_two_remain(game):
    """The opponent's home, my 13, cannot be landed on with two there; the last one is a blot."""
    refused(game, "11:1 24:14 | opp 9:13 13:2", "2-1", "11/13", "closed_point", "B4.1")
    goes_on(game, "11:1 24:14 | opp 9:14 13:1", "2-1", "11/13* 13/14", after="14:1 24:14 | opp 9:14 bar:1")


def test_B4_4_in_fiske_home_is_an_ordinary_point_after_the_unlocking():
    refused(FISKE, "bar:1 1:12 11:1 24:1 | opp 13:15", "1-1", "bar/1", "entry_own_point", "B5.2")
    unlocked = play(board(FISKE, "1:12 11:1 24:2 | opp 13:14 23:1"), "2-1", "11/12 12/14")
    hit = play(unlocked, "2-1", "1/2* 1/3")
    assert is_legal(hit, "1-1", "bar/1 1/2 2/3 3/4")


def play(position, roll, moves):
    """The position after a legal turn under the clauses of [F], seen by the next side."""
    verdict = FISKE.judge(position, dice(roll), parse_moves(moves.replace("*", "")))
    assert isinstance(verdict, Legal), f"{moves}: {verdict.message}\n{FISKE.draw(position)}"
    return FISKE.flip(verdict.position)


def is_legal(position, roll, moves):
    return isinstance(FISKE.judge(position, dice(roll), parse_moves(moves)), Legal)

"""B11: the options of classic."""

import pytest

from arena.games import Legal
from arena.games.tables.reading import parse_moves
from tests.fixtures.drawn_boards import (
    CLASSIC,
    DOUBLE_SIX,
    EASY_REENTRY,
    ONE_DIE,
    board,
    dice,
    goes_on,
    literal_of,
    only,
    refused,
    wins,
)

START = "1:15 | opp 13:15"
SIX_CHECKERS = "1/7 1/7 1/7 1/7 1/7 1/7"
STACK_MADE = "1:15 | opp 13:9 19:6"
"""The first player has just played the six-checker turn; his 1 is my 13 and his 7 my 19."""
ONE_SHORT = "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15"
"""A 1 completes the single crown."""


# B11.1: double_six


def test_B11_1_a_first_roll_of_6_6_may_move_six_checkers_as_the_whole_turn():
    """Six moves 1/7, which is more than the dice have, or the ordinary 6-6, of which one six can be used: B3.3 is no duty to take the longer turn, nor does it ask more of it."""
    only(DOUBLE_SIX, START, "6-6", "1/7", SIX_CHECKERS)
    goes_on(DOUBLE_SIX, START, "6-6", SIX_CHECKERS, after="1:9 7:6 | opp 13:15")
    goes_on(DOUBLE_SIX, START, "6-6", "1/7", after="1:14 7:1 | opp 13:15")


@pytest.mark.parametrize(
    ("position", "roll"),
    [
        ("1:14 5:1 | opp 13:15", "6-6"),
        ("1:14 7:1 | opp 13:15", "6-6"),
        ("1:9 7:6 | opp 13:15", "6-6"),
        ("1:9 24:6 | opp 13:15", "6-6"),
        (START, "5-5"),
        (START, "6-5"),
    ],
    ids=["one-has-moved", "one-is-on-7", "stack-is-there", "six-have-passed", "5-5", "6-5"],
)
def test_B11_1_any_other_roll_leaves_the_six_at_home(position, roll):
    refused(DOUBLE_SIX, position, roll, SIX_CHECKERS, "no_double_six", "B11.1")


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_B11_1_the_stack_is_hit_like_a_blot_and_all_of_it_goes_to_the_bar(number):
    """What is left of the stack, up to five, fits on the bar; on any other point as many would be closed."""
    others = f"1:{6 - number} 13:9"
    after = f"20:1 24:14 | opp {others} bar:{number}"
    goes_on(
        DOUBLE_SIX, f"17:1 24:14 | opp {others} 19:{number}", "2-1", "17/19* 19/20", after=after
    )
    refused(
        DOUBLE_SIX,
        f"10:1 24:14 | opp 12:{number} 13:{15 - number}",
        "2-1",
        "10/12",
        "closed_point",
        "B4.1",
    )


def test_B11_1_a_hit_on_six_is_a_plain_jan():
    """Six on the bar for the five points beside his home: jan, not forced jan, although six stood there (B9.2)."""
    wins(DOUBLE_SIX, "1:14 17:1 | opp 13:9 19:6", "2-1", "17/19*", "jan", 4)
    refused(DOUBLE_SIX, "1:14 17:1 | opp 13:9 19:6", "2-1", "17/19* 1/2", "game_over", "B9.1")


def test_B11_1_an_answer_of_6_6_sends_the_stack_just_made_home():
    """Before he plays, and whichever way he plays it."""
    goes_on(DOUBLE_SIX, STACK_MADE, "6-6", SIX_CHECKERS, after="1:9 7:6 | opp 13:15")
    goes_on(DOUBLE_SIX, STACK_MADE, "6-6", "1/7", after="1:14 7:1 | opp 13:15")
    only(DOUBLE_SIX, STACK_MADE, "6-6", "1/7", SIX_CHECKERS)


def test_B11_1_any_other_answer_leaves_the_stack_where_it_is():
    """Another roll, though the answer is the second player's first; or a 6-6 that is not his first."""
    goes_on(DOUBLE_SIX, STACK_MADE, "6-5", "1/7 1/6", after="1:13 6:1 7:1 | opp 13:9 19:6")
    goes_on(
        DOUBLE_SIX, STACK_MADE, "5-5", "1/6 6/11 1/6 11/16", after="1:13 6:1 16:1 | opp 13:9 19:6"
    )
    later = "1:14 5:1 | opp 13:9 19:6"
    goes_on(DOUBLE_SIX, later, "6-6", "1/7 5/11 11/17 17/23", after="1:13 7:1 23:1 | opp 13:9 19:6")


# B11.2: easy_reentry; the clause it puts in place of B5.4 has its tests in test_B5_bar.py


def test_B11_2_strikes_on_entry_follow_B5_5():
    """The rule book's example of B5.5; in classic two free points forbid the strike."""
    three_for_two_points = "bar:3 24:12 | opp 3:2 4:2 5:2 6:2 13:7"
    goes_on(EASY_REENTRY, three_for_two_points, "6-2", "bar/6* bar/2")
    goes_on(CLASSIC, three_for_two_points, "6-2", "bar/2")
    refused(CLASSIC, three_for_two_points, "6-2", "bar/6 bar/2", "entry_closed", "B5.4")


# B11.3: one_die


@pytest.mark.parametrize(
    ("mine", "die", "name", "moves"),
    [
        ("19:1 20:2 21:3 22:3 23:3 24:3", 1, "single_crown", "19/20"),
        ("17:1 22:4 23:5 24:5", 5, "double_crown", "17/22"),
        ("21:1 22:2 23:5 24:7", 1, "staircase", "21/22"),
        ("18:1 24:14", 6, "tower", "18/24"),
    ],
)
def test_B11_3_one_die_short_of_a_handsome_game_a_side_may_call_for_one(mine, die, name, moves):
    position = board(ONE_DIE, f"{mine} | opp 13:15")
    assert ONE_DIE.dice_to_call(position) == (1, 2)
    assert ONE_DIE.dice_to_roll(position) == 2, "who calls for nothing rolls two"
    wins(ONE_DIE, f"{mine} | opp 13:15", str(die), moves, name, 2)
    wins(ONE_DIE, f"{mine} | opp 12:14 bar:1", str(die), moves, name, 3)


@pytest.mark.parametrize(
    "literal",
    [
        START,
        "17:1 24:14 | opp 13:15",
        "18:1 19:1 20:1 21:3 22:3 23:3 24:3 | opp 13:15",
        "19:1 20:2 21:3 22:3 23:3 24:2 off:1 | opp 13:15",
        "20:4 21:2 22:3 23:3 24:3 | opp 13:15",
    ],
    ids=["start", "seven-short", "two-checkers-short", "one-is-off", "one-die"],
)
def test_B11_3_a_single_die_must_complete_the_pattern(literal):
    is_short_by_one = literal.startswith("20:4")  # 20/21 completes the crown
    assert ONE_DIE.dice_to_call(board(ONE_DIE, literal)) == ((1, 2) if is_short_by_one else ())


@pytest.mark.parametrize(
    ("die", "moves"), [(1, "20/21"), (2, "19/21"), (3, "20/23"), (4, "20/24"), (5, "19/24")]
)
def test_B11_3_a_turn_that_does_not_complete_it_binds_for_as_many_turns_as_the_die_showed(
    die, moves
):
    """Be it for the number of the die or by choice: the 1 here may be played 20/21."""
    after = judged(ONE_DIE, board(ONE_DIE, ONE_SHORT), str(die), moves)
    assert literal_of(ONE_DIE, after).split(" | ")[0].endswith(f" one-die:{die}")
    assert ONE_DIE.to_plain(after)["one_die"] == [die, 0]


def test_B11_3_the_turns_bound_are_counted_and_then_over():
    """A 2 was called: this side rolls one die in each of its next two turns, then two again; the other side two."""
    position = ONE_DIE.flip(judged(ONE_DIE, board(ONE_DIE, ONE_SHORT), "2", "19/21"))
    seen = []
    for roll, moves in [
        ("6-5", "1/7 1/6"),
        ("1", "20/21"),
        ("2-1", "1/3 1/2"),
        ("3", "20/23"),
        ("5-4", "2/7 3/7"),
    ]:
        seen.append((ONE_DIE.dice_to_roll(position), ONE_DIE.to_plain(position)["one_die"]))
        position = (
            ONE_DIE.flip(judged(ONE_DIE, position, roll, moves)) if len(seen) < 5 else position
        )
    assert seen == [(2, [0, 2]), (1, [2, 0]), (2, [0, 1]), (1, [1, 0]), (2, [0, 0])]
    assert ONE_DIE.dice_to_roll(ONE_DIE.flip(position)) == 2


def judged(game, position, roll, moves):
    """The position after a legal turn, seen by the side that played it."""
    verdict = game.judge(position, dice(roll), parse_moves(moves.replace("*", "")))
    assert isinstance(verdict, Legal), f"{moves}: {verdict.message}\n{game.draw(position)}"
    return verdict.position

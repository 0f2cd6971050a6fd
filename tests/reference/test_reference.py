"""The reference on the rule book's worked examples, so that the second opinion can be trusted."""

import pytest

from tests.reference.boards import Position, Rules, mirror
from tests.reference.tables import RULES, judge, start, turns, with_options

VASA, CLASSIC, FISKE, BACKGAMMON = (RULES[n] for n in ("vasa", "classic", "fiske", "backgammon"))
EASY_REENTRY = with_options("classic", ["easy_reentry"])
DOUBLE_SIX = with_options("classic", ["double_six"])
GAMMONS = with_options("backgammon", ["gammons"])


def board(mine: str, theirs: str, **extra: list[bool]) -> Position:
    """`"bar:3 1:3 24:9"` for each side, every point in the mover's numbering; fifteen checkers a side."""
    position: Position = {"points": [0] * 24, "bar": [0, 0], "off": [0, 0], **extra}
    for who, sign, text in ((0, 1, mine), (1, -1, theirs)):
        total = 0
        for word in text.split():
            place, count = word.split(":")
            total += int(count)
            if place in ("bar", "off"):
                position[place][who] = int(count)
            else:
                assert position["points"][int(place) - 1] == 0, f"{place} is taken"
                position["points"][int(place) - 1] = sign * int(count)
        assert total == 15, f"{total} checkers in {text!r}"
    return position


def played(rules: Rules, position: Position, dice: list[int]) -> list[list[list[int]]]:
    """The moves of every legal turn, each sorted, since the order of listing is a matter of taste."""
    return sorted(sorted(turn["moves"]) for turn in turns(rules, position, dice))


def endings(rules: Rules, position: Position, dice: list[int]) -> set[tuple[str | None, int]]:
    return {(turn["ending"], turn["points"]) for turn in turns(rules, position, dice)}


# ----------------------------------------------------------------------------- B1-B4


@pytest.mark.parametrize("point, other", [(1, 13), (6, 18), (12, 24)])
def test_b1_1_each_point_has_its_number_for_the_opponent(point: int, other: int) -> None:
    assert mirror(VASA, point) == other
    assert mirror(VASA, other) == point


def test_b1_2_fifteen_checkers_start_at_home() -> None:
    assert start(VASA) == board("1:15", "13:15")


@pytest.mark.parametrize("rules", [VASA, CLASSIC])
def test_b3_4_the_higher_die_must_be_used_if_only_one_can(rules: Rules) -> None:
    position = board("off:14 3:1", "12:2 13:13")
    assert played(rules, position, [4, 5]) == [[[3, 8]]]


def test_b3_5_no_move_is_one_turn_without_moves() -> None:
    assert played(FISKE, board("bar:1 24:14", "1:2 2:2 13:11"), [2, 1]) == [[]]


def test_b3_6_a_turn_that_wins_with_one_die_is_legal_beside_longer_ones() -> None:
    position = board("off:14 19:1", "13:15")
    assert judge(VASA, position, [6, 1], [[19, 25]])
    assert judge(VASA, position, [6, 1], [[19, 20], [20, 25]])


def test_b4_3_the_lock_opens_with_the_very_next_die() -> None:
    position = board("1:12 6:1 7:1 8:1", "13:15")
    assert judge(FISKE, position, [6, 1], [[6, 12], [7, 8]])
    assert not judge(FISKE, position, [6, 1], [[7, 8], [6, 12]])
    assert not judge(VASA, position, [6, 1], [[6, 12], [7, 8]])


def test_b4_4_home_takes_no_checker_while_one_stands_there() -> None:
    one_at_home = board("bar:1 1:1 24:13", "2:2 13:13")
    assert played(VASA, one_at_home, [1, 2]) == [[]]
    assert not judge(FISKE, one_at_home, [1, 2], [[0, 1], [1, 3]])
    unlocked = one_at_home | {"unlocked": [True, False]}
    assert judge(FISKE, unlocked, [1, 2], [[0, 1], [1, 3]])


# ----------------------------------------------------------------------------- B5


NO_FREE_POINT_SOON = board("bar:3 1:3 6:1 24:8", "2:2 3:2 4:2 13:9")
THREE_FOR_TWO_POINTS = board("bar:3 24:12", "3:2 4:2 5:2 6:2 13:7")


def test_b5_4_five_enters_and_then_two_strikes() -> None:
    assert played(CLASSIC, NO_FREE_POINT_SOON, [5, 2]) == [[[0, 2], [0, 5]]]
    assert judge(CLASSIC, NO_FREE_POINT_SOON, [5, 2], [[0, 5], [0, 2]])
    assert not judge(CLASSIC, NO_FREE_POINT_SOON, [5, 2], [[0, 2], [0, 5]])


def test_b5_4_nothing_enters_while_a_point_is_free() -> None:
    assert played(CLASSIC, NO_FREE_POINT_SOON, [4, 2]) == [[]]


@pytest.mark.parametrize("rules", [VASA, EASY_REENTRY])
def test_b5_5_more_on_the_bar_than_free_points_must_strike(rules: Rules) -> None:
    assert played(rules, THREE_FOR_TWO_POINTS, [6, 2]) == [[[0, 2], [0, 6]]]


@pytest.mark.parametrize("rules", [VASA, EASY_REENTRY])
def test_b5_5_after_one_strike_the_five_is_lost(rules: Rules) -> None:
    assert played(rules, THREE_FOR_TWO_POINTS, [6, 5]) == [[[0, 6]]]


@pytest.mark.parametrize("rules, entered", [(VASA, []), (CLASSIC, [[0, 3]]), (EASY_REENTRY, [[0, 3]])])
def test_b5_6_with_fourteen_off_only_classic_strikes(rules: Rules, entered: list[list[int]]) -> None:
    # All of Q1 is closed, which is a prime of six as well: neither B5.5 nor B6.3 helps in vasa.
    position = board("bar:1 off:14", "1:2 2:2 3:2 4:2 5:2 6:2 24:3")
    firsts = [turn["moves"][:1] for turn in turns(rules, position, [3, 3])]
    assert firsts == [entered]


def test_b5_7_nobody_strikes_in_fiske() -> None:
    assert played(FISKE, board("bar:5 24:10", "1:2 2:2 3:2 4:2 5:2 6:2 13:3"), [6, 5]) == [[]]


# ----------------------------------------------------------------------------- B6


@pytest.mark.parametrize("opponent, legal", [("13:15", False), ("off:14 13:1", True)])
def test_b6_1_b6_2_a_sixth_closed_point_needs_an_opponent_with_fourteen_off(opponent: str, legal: bool) -> None:
    position = board("12:3 18:1 19:1 20:2 21:2 22:2 23:2 24:2", opponent)
    assert judge(CLASSIC, position, [5, 1], [[18, 19], [12, 17]]) is legal
    assert judge(VASA, position, [5, 1], [[18, 19], [12, 17]])


def test_b6_1_a_closed_home_is_part_of_the_run() -> None:
    position = board("1:2 12:3 19:1 20:1 21:2 22:2 23:2 24:2", "13:15")
    assert not judge(CLASSIC, position, [5, 1], [[19, 20], [12, 17]])


def test_b6_3_a_run_of_six_may_be_struck_until_it_is_shorter() -> None:
    position = board("12:2 24:13", "14:2 15:2 16:2 17:2 18:2 19:2 20:1 22:2")
    # Either die strikes 15 or 16; then at most four in a row are left, and the other die finds nothing.
    assert played(VASA, position, [4, 3]) == [[[12, 16]]]  # B3.4
    assert played(CLASSIC, position, [4, 3]) == [[]]


def test_b6_3_a_closed_home_is_struck_like_the_rest_of_its_run() -> None:
    position = board("10:1 24:14", "13:3 14:2 15:2 16:2 17:2 18:2 20:2")
    assert endings(VASA, position, [3, 3]) == {("forced_jan", 6)}  # B9.2: three on the bar, one point to enter
    assert endings(CLASSIC, position, [3, 3]) == {(None, 0)}


# ----------------------------------------------------------------------------- B7


def test_b7_5_nineteen_goes_off_and_the_three_moves_inside() -> None:
    position = board("19:1 20:1 21:2 22:11", "13:15")
    assert played(VASA, position, [6, 3]) == [[[19, 25], [20, 23]], [[19, 25], [21, 24]]]
    assert not judge(VASA, position, [6, 3], [[19, 25], [22, 25]])
    assert not judge(VASA, position, [6, 3], [[19, 22], [20, 25]])  # B7.6: wastes a point
    assert judge(CLASSIC, position, [6, 3], [[19, 25], [22, 25]])  # B7.3


def test_b7_6_a_win_without_waste_forbids_the_wasteful_turn() -> None:
    position = board("off:13 23:1 24:1", "13:15")
    assert endings(VASA, position, [2, 1]) == {("bearing_off", 1)}
    assert not judge(VASA, position, [2, 1], [[23, 24], [24, 25]])
    assert judge(CLASSIC, position, [2, 1], [[23, 24], [24, 25]])


# ----------------------------------------------------------------------------- B8, B9


ONE_SHORT_OF_THE_CROWN = "19:1 20:2 21:3 22:3 23:3 24:3"


def test_b8_3_a_handsome_game_ends_the_game_at_once() -> None:
    position = board(ONE_SHORT_OF_THE_CROWN, "bar:1 13:14")
    assert judge(VASA, position, [2, 1], [[19, 20]])
    assert ("single_crown", 3) in endings(VASA, position, [2, 1])  # B10.1: with monk
    assert (None, 0) in endings(VASA, position, [2, 1])


def test_b8_2_in_classic_it_has_to_stand_after_the_last_die() -> None:
    position = board(ONE_SHORT_OF_THE_CROWN, "13:15")
    assert not judge(CLASSIC, position, [2, 1], [[19, 20]])
    assert endings(CLASSIC, position, [2, 1]) == {(None, 0)}
    two_short = board("18:1 19:1 20:1 21:3 22:3 23:3 24:3", "13:15")
    assert ("single_crown", 2) in endings(CLASSIC, two_short, [2, 1])


@pytest.mark.parametrize(
    "name, text",
    [
        ("single_crown", "19:1 20:2 21:3 22:3 23:3 24:3"),
        ("double_crown", "21:1 22:4 23:5 24:5"),
        ("staircase", "21:1 22:2 23:5 24:7"),
        ("tower", "23:1 24:14"),
    ],
)
@pytest.mark.parametrize("rules", [VASA, FISKE])
def test_b8_1_the_four_handsome_games(rules: Rules, name: str, text: str) -> None:
    assert (name, 2) in endings(rules, board(text, "13:15"), [6, 1])


def test_b9_1_a_jan_in_the_middle_of_a_turn_lets_the_other_die_lapse() -> None:
    six_on_the_bar_for_six_points = board("10:1 12:14", "bar:5 13:1 19:9")
    assert endings(VASA, six_on_the_bar_for_six_points, [3, 6]) == {(None, 0)}
    full = board("10:1 12:14", "bar:5 13:1 14:1 19:8")
    assert judge(VASA, full, [3, 6], [[10, 13]])
    assert ("jan", 4) in endings(VASA, full, [3, 6])
    assert not judge(VASA, full, [3, 6], [[10, 13], [12, 18]])


def test_b9_3_fiske_knows_no_jan() -> None:
    position = board("10:1 12:14", "bar:5 13:1 14:1 19:8", unlocked=[True, True])
    assert endings(FISKE, position, [3, 6]) == {(None, 0)}


# ----------------------------------------------------------------------------- B11, G


def test_b11_1_six_checkers_leave_home_with_the_first_six_six() -> None:
    assert played(DOUBLE_SIX, start(DOUBLE_SIX), [6, 6]) == [[[1, 7]], [[1, 7]] * 6]
    after = board("1:9 7:6", "13:15", stack=[True, False])
    assert after in [turn["position"] for turn in turns(DOUBLE_SIX, start(DOUBLE_SIX), [6, 6])]


def test_b11_1_a_second_six_six_sends_the_first_stack_home() -> None:
    position = board("1:15", "13:9 19:6", stack=[False, True])
    assert [turn["position"] for turn in turns(DOUBLE_SIX, position, [6, 6])] == [
        board("1:14 7:1", "13:15", stack=[False, False]),
        board("1:9 7:6", "13:15", stack=[True, False]),
    ]


def test_b11_1_an_ordinary_six_six_stays() -> None:
    position = board("1:15", "13:14 19:1", stack=[False, False])
    assert {turn["position"]["points"][18] for turn in turns(DOUBLE_SIX, position, [6, 6])} == {-1}


def test_b11_1_b9_2_hitting_the_whole_stack_is_a_plain_jan() -> None:
    position = board("1:14 16:1", "13:9 19:6", stack=[False, True])
    assert ("jan", 4) in endings(DOUBLE_SIX, position, [3, 1])


def test_g3_a_winning_turn_must_use_both_dice_in_backgammon() -> None:
    position = board("off:14 19:1", "24:15")
    assert not judge(BACKGAMMON, position, [6, 1], [[19, 25]])
    assert judge(BACKGAMMON, position, [6, 1], [[19, 20], [20, 25]])


@pytest.mark.parametrize(
    "theirs, ending",
    [
        ("off:1 1:14", ("bearing_off", 1)),
        ("1:15", ("gammon", 2)),
        ("1:14 19:1", ("backgammon", 3)),
        ("1:14 bar:1", ("backgammon", 3)),
    ],
)
def test_g6_gammons(theirs: str, ending: tuple[str, int]) -> None:
    position = board("off:14 24:1", theirs)
    assert endings(GAMMONS, position, [6, 1]) == {ending}
    assert endings(BACKGAMMON, position, [6, 1]) == {("bearing_off", 1)}

"""T6, T7: throne and king in the two versions of Brandubh."""

import pytest

from arena.games.brandubh.ruleset import RULESETS
from tests.games.brandubh_boards import IN_THE_OPEN, ONE, TWO, ends, goes_on, house, in_both

HELD_ON_TWO_SIDES = """
    7   x . . . . . x
    6   . . . . . . .
    5   . . . . . . .
    4   . . . + . . .
    3   . . b K . b .
    2   . . . . . . .
    1   x . . . . . x
        a b c d e f g   Black to move
"""


ON_THRONE = """
    7   x . . . . . x
    6   . . . . . . .
    5   . . . . . . .
    4   . . b K . b .
    3   . . . . . . .
    2   . . w . . . .
    1   x . . . . . x
        a b c d e f g   Black to move
"""


WARRIOR_BESIDE_EMPTY_THRONE = """
    7   x . . . . . x
    6   . . K . . . .
    5   . . . . . . .
    4   . . . + . . .
    3   . . . w . . .
    2   b . . . . . .
    1   x . . . . . x
        a b c d e f g   Black to move
"""


BLACK_BESIDE_EMPTY_THRONE = """
    7   x . . . . . x
    6   . . K . . . .
    5   . . . . . . .
    4   . . . + b . b
    3   . . . . . . .
    2   . . . . . w .
    1   x . . . . . x
        a b c d e f g   White to move
"""


def test_T6_in_brandubh_1_two_enemies_capture_the_king_anywhere():
    ends(ONE, HELD_ON_TWO_SIDES, "f3-e3", "king_captured", takes="d3")
    ends(ONE, ON_THRONE, "f4-e4", "king_captured", takes="d4")
    ends(ONE, IN_THE_OPEN, "e5-d5", "king_captured", takes="c5")


def test_T6_in_brandubh_1_the_throne_is_hostile_to_nobody():
    goes_on(ONE, WARRIOR_BESIDE_EMPTY_THRONE, "a2-d2")
    goes_on(ONE, BLACK_BESIDE_EMPTY_THRONE, "f2-f4")
    goes_on(
        ONE, HELD_ON_TWO_SIDES.replace("b K .", ". K .").replace("2   . . .", "2   b . ."), "a2-d2"
    )


def test_T7_in_brandubh_2_the_empty_throne_is_hostile_to_both_colours():
    """The rule book's example: a warrior on d3 is captured by one move to d2; a black one on e4 by one to f4."""
    goes_on(TWO, WARRIOR_BESIDE_EMPTY_THRONE, "a2-d2", takes="d3")
    goes_on(TWO, BLACK_BESIDE_EMPTY_THRONE, "f2-f4", takes="e4")


@in_both
def test_T7_the_throne_with_the_king_on_it_is_not_hostile_to_his_own(game):
    drawing = WARRIOR_BESIDE_EMPTY_THRONE.replace("6   . . K", "6   . . .").replace("+", "K")
    goes_on(game, drawing, "a2-d2")


def test_T7_beside_the_throne_two_opposite_enemies_do_not_capture_the_king():
    """The rule book's example on the left."""
    goes_on(TWO, HELD_ON_TWO_SIDES, "f3-e3")


@pytest.mark.parametrize("move", ["a2-d2", "a3-c3", "f3-e3"])
def test_T7_beside_the_throne_the_king_is_captured_on_the_other_three_sides(move):
    """The rule book's example on the right, whichever of the three arrives last."""
    origin, target = move.split("-")
    captors = {"c3", "d2", "e3"} - {target} | {origin}
    rank_3 = " ".join(
        "K" if file == "d" else "b" if file + "3" in captors else "." for file in "abcdefg"
    )
    rank_2 = " ".join("b" if file + "2" in captors else "." for file in "abcdefg")
    drawing = f"""
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . . + . . .
        3   {rank_3}
        2   {rank_2}
        1   x . . . . . x
            a b c d e f g   Black to move
    """
    ends(TWO, drawing, move, "king_captured", takes="d3")


def test_T7_on_the_throne_the_king_is_captured_on_all_four_sides():
    goes_on(TWO, ON_THRONE, "f4-e4")
    three = """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . b . . .
        4   . . b K b . .
        3   . . . . . . .
        2   . . . . . b .
        1   x . . . . . x
            a b c d e f g   Black to move
    """
    goes_on(TWO, three, "f2-d2")
    four = three.replace("3   . . . . . . .", "3   . . . . . b .")
    ends(TWO, four, "f3-d3", "king_captured", takes="d4")
    goes_on(TWO, four.replace("5   . . . b", "5   . . . w"), "f3-d3")


def test_T7_anywhere_else_two_opposite_enemies_capture_the_king():
    ends(TWO, IN_THE_OPEN, "e5-d5", "king_captured", takes="c5")


def test_T6_T7_are_fields_of_the_ruleset_and_can_be_mixed():
    half = house(ONE, throne_hostile=True)
    goes_on(half, WARRIOR_BESIDE_EMPTY_THRONE, "a2-d2", takes="d3")
    ends(half, HELD_ON_TWO_SIDES, "f3-e3", "king_captured", takes="d3")
    against_throne = HELD_ON_TWO_SIDES.replace("b K .", ". K .").replace("2   . . .", "2   b . .")
    ends(half, against_throne, "a2-d2", "king_captured", takes="d3")
    ends(house(TWO, king_on_throne="two_opposite"), ON_THRONE, "f4-e4", "king_captured", takes="d4")
    goes_on(house(ONE, king_on_throne="all_four"), ON_THRONE, "f4-e4")
    differing = {name for name, value in ONE.ruleset.items() if TWO.ruleset[name] != value}
    assert differing == {"name", "throne_hostile", "king_on_throne", "king_beside_throne"}
    assert [*RULESETS] == ["brandubh-1", "brandubh-2"]

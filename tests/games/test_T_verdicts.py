"""T: the verdict on an illegal turn."""

from typing import Any, NamedTuple

import pytest

from arena.games import GameError, Illegal
from tests.fixtures.verdict_codes import BRANDUBH_CODES
from tests.games.brandubh_boards import ONE, board, in_both

MIDDLE = """
    7   x . . b . . x
    6   . . . b . . .
    5   . . . . . . .
    4   b . . + . K b
    3   w . . w . . .
    2   . . . . . . .
    1   x . . b . . x
        a b c d e f g   White to move
"""

ENDED = """
    7   K . . b . . x
    6   . . . b . . .
    5   . . . . . . .
    4   b . . + . . b
    3   w . . w . . .
    2   . . . . . . .
    1   x . . b . . x
        a b c d e f g   Black to move
"""

BLACK_IS_GONE = """
    7   x . . . . . x
    6   . . . . . . .
    5   . . . . . . .
    4   . . . + . K .
    3   . . . . . . .
    2   . . . . . . .
    1   x . . . . . x
        a b c d e f g   Black to move
"""

ONE_MOVE_LEFT = """
    7   x . . . . . x
    6   . . . . . . .
    5   . . . . . . .
    4   . . . + . K .
    3   . w . . . . .
    2   w . . . . . .
    1   x b w . . . x
        a b c d e f g   Black to move
"""


class Case(NamedTuple):
    code: str
    clause: str
    drawing: str
    moves: Any
    message: str


CASES = [
    Case(
        "unreadable_moves",
        "T1",
        MIDDLE,
        "f4-f1",
        "'f4-f1' is not a list of one move [from, to] such as",
    ),
    Case("unreadable_moves", "T1", MIDDLE, ["f4", "f1"], "['f4', 'f1'] is not a list of one move"),
    Case("unreadable_moves", "T1", MIDDLE, [[1, 7]], "[[1, 7]] is not a list of one move"),
    Case(
        "unreadable_moves", "T1", MIDDLE, [["f4", "f1", "f2"]], "[['f4', 'f1', 'f2']] is not a list"
    ),
    Case("unreadable_moves", "T1", MIDDLE, [["f4"] * 50], "... is not a list of one move"),
    Case("unreadable_moves", "T1", MIDDLE, None, "None is not a list of one move"),
    Case(
        "game_over",
        "T8",
        ENDED,
        [["d1", "c1"]],
        "the game has ended (king escaped), and no move may follow",
    ),
    Case(
        "game_over",
        "T9",
        BLACK_IS_GONE,
        [],
        "the game has ended (no move), and no move may follow",
    ),
    Case("not_one_move", "T1", MIDDLE, [], "no move was given, and passing is not allowed"),
    Case(
        "not_one_move",
        "T1",
        MIDDLE,
        [["f4", "f1"], ["f1", "g1"]],
        "2 moves were given, and a turn is one",
    ),
    Case(
        "no_such_square", "T2", MIDDLE, [["f4", "f8"]], "'f8' is not a square; squares are a1 to g7"
    ),
    Case(
        "no_such_square", "T2", MIDDLE, [["F4", "f1"]], "'F4' is not a square; squares are a1 to g7"
    ),
    Case(
        "no_such_square",
        "T2",
        MIDDLE,
        [["x" * 99, "f1"]],
        "... is not a square; squares are a1 to g7",
    ),
    Case("empty_square", "T2", MIDDLE, [["c2", "c3"]], "c2-c3 begins on c2, which is empty"),
    Case("empty_square", "T2", MIDDLE, [["d4", "d5"]], "d4-d5 begins on d4, which is empty"),
    Case(
        "not_yours",
        "T1",
        MIDDLE,
        [["d1", "c1"]],
        "d1-c1 moves a black warrior, and White is to move",
    ),
    Case(
        "not_yours",
        "T1",
        ONE_MOVE_LEFT,
        [["f4", "f1"]],
        "f4-f1 moves the king, and Black is to move",
    ),
    Case(
        "not_yours",
        "T1",
        ONE_MOVE_LEFT,
        [["c1", "d1"]],
        "c1-d1 moves a white warrior, and Black is to move",
    ),
    Case(
        "same_square",
        "T1",
        MIDDLE,
        [["f4", "f4"]],
        "f4-f4 does not leave its square, and passing is not allowed",
    ),
    Case(
        "not_straight",
        "T2",
        MIDDLE,
        [["f4", "g5"]],
        "f4-g5 is neither along a row nor along a column",
    ),
    Case("blocked", "T2", MIDDLE, [["d3", "d7"]], "d3-d7 is blocked on d6 by a black warrior"),
    Case("blocked", "T2", MIDDLE, [["d3", "d6"]], "d3-d6 is blocked on d6 by a black warrior"),
    Case("blocked", "T2", MIDDLE, [["a3", "g3"]], "a3-g3 is blocked on d3 by a white warrior"),
    Case("blocked", "T2", MIDDLE, [["a3", "a7"]], "a3-a7 is blocked on a4 by a black warrior"),
    Case(
        "reserved_square",
        "T2",
        MIDDLE,
        [["d3", "d4"]],
        "d3-d4 stops on the throne, which is reserved for the king",
    ),
    Case(
        "reserved_square",
        "T2",
        MIDDLE,
        [["a3", "a1"]],
        "a3-a1 stops in a corner, which is reserved for the king",
    ),
]


@in_both
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.clause}-{case.code}")
def test_T_the_verdict_names_code_clause_and_reason(game, case):
    position = board(case.drawing)
    verdict = game.judge(position, (), case.moves)
    assert isinstance(verdict, Illegal)
    assert (verdict.code, verdict.clause) == (case.code, case.clause)
    assert case.message in verdict.message
    assert len(verdict.message) < 200
    number = len(game.legal_turns(position, ()))
    assert verdict.legal_turns == number
    advice = {0: "no move is legal any more.", 1: "only b1-b2 is legal."}
    assert verdict.message.partition("; ")[2] or number == 0
    assert advice.get(number, f"; {number} moves are legal, the nearest is ") in verdict.message
    assert verdict.message.endswith(".")


def test_T_every_code_has_a_case():
    assert {case.code for case in CASES} == set(BRANDUBH_CODES)


@pytest.mark.parametrize(
    ("moves", "nearest"),
    [
        ([["f4", "g5"]], "f4-f5"),
        ([["d3", "d4"]], "d3-d5"),
        ([["a3", "a7"]], "a3-b3"),
        ([["c3", "c2"]], "d3-c3"),
        ([["f4", "f1"], ["f1", "g1"]], "f4-f1"),
        ([["d6", "d5"]], "d3-d5"),
    ],
)
def test_T_the_nearest_legal_move_is_of_the_same_piece_or_ends_near(moves, nearest):
    verdict = ONE.judge(board(MIDDLE), (), moves)
    found = verdict.message.rpartition(" is ")[2].removesuffix(".")
    listed = [one.moves for one in ONE.legal_turns(board(MIDDLE), ())]
    assert [tuple(found.split("-"))] in listed
    assert found == nearest


@in_both
def test_T_there_are_no_dice(game):
    """A roll is a mistake of the caller, not of a bot."""
    with pytest.raises(GameError, match="without dice, found the roll 6-1"):
        game.legal_turns(game.start(), (6, 1))
    with pytest.raises(GameError, match="without dice, found the roll 6-1"):
        game.judge(game.start(), (6, 1), [["d1", "c1"]])

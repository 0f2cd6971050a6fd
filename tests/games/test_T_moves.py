"""T1, T2: turns and moves of Brandubh."""

import pytest

from tests.games.brandubh_boards import board, goes_on, in_both, played, refused, targets

START = """
    7   x . . b . . x
    6   . . . b . . .
    5   . . . w . . .
    4   b b w K w b b
    3   . . . w . . .
    2   . . . b . . .
    1   x . . b . . x
        a b c d e f g   Black to move
"""


KING_OFF_THRONE = """
    7   x . . . . . x
    6   . . . K . . .
    5   . . . . . . .
    4   . w . + . . .
    3   . . . . . . .
    2   . . . w . b .
    1   x . . . . . x
        a b c d e f g   White to move
"""


@in_both
def test_T1_black_begins_on_the_board_of_the_rule_book(game):
    assert game.start() == board(START)
    assert game.start().to_move == "black"
    assert game.dice_to_roll(game.start()) == 0
    assert game.opening == "alternate"


@in_both
def test_T1_sides_take_turns(game):
    (verdict,) = played(game, "d1-c1")
    assert game.flip(verdict.position).to_move == "white"
    again = game.judge(game.flip(verdict.position), (), [["c1", "b1"]])
    assert (again.code, again.clause) == ("not_yours", "T1")


@in_both
@pytest.mark.parametrize(
    "moves", [[], [["d1", "c1"], ["d2", "c2"]], [["d1", "d1"]]], ids=["pass", "two", "to-and-to"]
)
def test_T1_a_turn_is_one_move_and_never_a_pass(game, moves):
    verdict = game.judge(game.start(), (), moves)
    assert verdict.clause == "T1"
    assert verdict.legal_turns == 40


@in_both
def test_T2_every_piece_moves_like_a_rook(game):
    assert targets(game, START, "d1") == "b1 c1 e1 f1"
    assert targets(game, START, "a4") == "a2 a3 a5 a6"
    assert targets(game, KING_OFF_THRONE, "d6") == "a6 b6 c6 d3 d4 d5 d7 e6 f6 g6"


@in_both
def test_T2_nothing_is_jumped_over(game):
    refused(game, START, "d1-d2", "blocked", "T2")
    refused(game, START, "d1-d3", "blocked", "T2")
    refused(game, START, "b4-c4", "blocked", "T2")
    assert targets(game, START, "d2") == "a2 b2 c2 e2 f2 g2"


@in_both
def test_T2_only_along_a_row_or_column(game):
    refused(game, START, "d1-e2", "not_straight", "T2")
    refused(game, START, "d1-f2", "not_straight", "T2")


@in_both
def test_T2_warriors_cross_the_empty_throne_but_do_not_stop_there(game):
    assert targets(game, KING_OFF_THRONE, "b4") == "a4 b1 b2 b3 b5 b6 b7 c4 e4 f4 g4"
    assert targets(game, KING_OFF_THRONE, "d2") == "a2 b2 c2 d1 d3 d5 e2"
    goes_on(game, KING_OFF_THRONE, "b4-g4")
    refused(game, KING_OFF_THRONE, "b4-d4", "reserved_square", "T2")

"""T8-T10: how a game of Brandubh ends."""

import pytest

from arena.games import GameError
from tests.games.brandubh_boards import (
    IN_THE_OPEN,
    ONE,
    board,
    ends,
    goes_on,
    house,
    in_both,
    move_on,
    played,
)

CASES = {
    "T9-white-without-a-legal-move-is-a-draw": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . . + . . .
        3   . . . . . . .
        2   . . . . . b .
        1   x . b K b . x
            a b c d e f g   Black to move: f2-d2, no_move
    """,
    # The king stops in g7 and takes g6 against g5 with the same move.
    "T10-captures-come-before-the-escape": """
        7   x . . K . . x
        6   . . . . . . b
        5   . . . . . . w
        4   b . . + . . .
        3   . . . . . . .
        2   . . . . . . .
        1   x . . . . . x
            a b c d e f g   White to move: d7-g7 takes g6, king_escaped
    """,
}
"""Boards with the move that is played on them, what it takes, and the ending it brings about."""


@in_both
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_move_on_a_board(game, case):
    move_on(game, case)


ESCAPES = """
    7   x . . . . K x
    6   . . . . . . .
    5   . . . . . . .
    4   . . . + . . .
    3   . . . . . . .
    2   . . . b . . .
    1   x . . . . . x
        a b c d e f g   White to move
"""


@in_both
@pytest.mark.parametrize("move", ["f7-g7", "f7-a7"])
def test_T8_white_wins_when_the_king_stops_in_a_corner(game, move):
    ends(game, ESCAPES, move, "king_escaped")


@in_both
def test_T8_black_wins_when_the_king_is_captured(game):
    ends(game, IN_THE_OPEN, "e5-d5", "king_captured", takes="c5")
    assert game.points_forfeit == 1
    dear = house(game, points_win=3)
    ending = dear.judge(board(IN_THE_OPEN), (), [["e5", "d5"]]).ending
    assert ending.points == 3


TO_AND_FRO = "d1-c1 d3-c3 c1-d1 c3-d3"


@in_both
def test_T9_the_third_occurrence_of_a_placement_is_a_draw(game):
    """The starting position counts: after to and fro twice it stands for the third time."""
    *before, last = played(game, f"{TO_AND_FRO} {TO_AND_FRO}")
    assert all(one.ending is None for one in before)
    assert last.position == game.start()
    assert (last.ending.name, last.ending.clause, last.ending.points) == ("repetition", "T9", 0)
    assert last.ending.is_drawn
    assert len(game.legal_turns(last.position, ())) == 0
    verdict = game.judge(last.position, (), [["d1", "c1"]])
    assert (verdict.code, verdict.clause) == ("game_over", "T9")


@in_both
def test_T9_the_side_to_move_belongs_to_the_placement(game):
    """The same board with the other side to move, reached by a round of three moves, does not count."""
    other_side = played(game, "d1-b1 d3-c3 b1-c1 c3-d3 c1-d1")[-1].position
    start = game.start()
    assert (other_side.black, other_side.white, other_side.king) == (
        start.black,
        start.white,
        start.king,
    )
    assert other_side != start
    third_of_the_board = played(game, "d3-b3 d1-c1 b3-c3 c1-d1 c3-d3", other_side)[-1]
    assert third_of_the_board.position == start
    assert third_of_the_board.ending is None


@in_both
def test_T9_a_position_in_its_plain_form_has_come_up_once(game):
    second = played(game, TO_AND_FRO)[-1].position
    anew = game.from_plain(game.to_plain(second))
    assert anew == second
    assert played(game, TO_AND_FRO, anew)[-1].ending is None
    assert played(game, TO_AND_FRO, second)[-1].ending is not None


def test_T9_the_number_of_occurrences_is_a_field():
    with pytest.raises(GameError, match="repetitions = 1 would draw every game at its start"):
        house(ONE, repetitions=1)
    assert played(house(ONE, repetitions=2), TO_AND_FRO)[-1].ending is not None
    assert played(house(ONE, repetitions=0), " ".join([TO_AND_FRO] * 5))[-1].ending is None


@in_both
def test_T9_a_draw_by_agreement_is_allowed_by_the_ruleset_and_never_seen_on_the_board(game):
    """The offer goes with a move and the match keeps it; here it is one field."""
    assert game.ruleset["draw_by_agreement"] is True


@in_both
def test_T10_captures_come_before_the_question_for_a_legal_move(game):
    """Arriving on c2 captures d2 and makes room for the king; arriving on d3 captures nothing."""
    drawing = """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . . + . . .
        3   . . . b . . .
        2   b . . w b . .
        1   x . b K b . x
            a b c d e f g   Black to move
    """
    goes_on(game, drawing, "a2-c2", takes="d2")
    without_capture = drawing.replace("3   . . . b", "3   b . . .").replace(
        "2   b . .", "2   . . b"
    )
    ends(game, without_capture, "a3-d3", "no_move")

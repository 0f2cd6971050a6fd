"""T3-T5: captures of warriors, the part the king and the corners take in them, and the edge."""

import pytest

from tests.games.brandubh_boards import BEFORE_CAPTURE, board, goes_on, in_both, move_on, played

CASES = {
    # The rule book's example: White plays c6-c3 between b3 and d3 and nothing happens.
    "T3-stepping-in-between-is-safe": """
        7   x . . . . . x
        6   . . w . . . .
        5   . . . . . . .
        4   . . . K . . .
        3   . b . b . . .
        2   . . . . . . .
        1   x . . . . . x
            a b c d e f g   White to move: c6-c3
    """,
    "T3-up-to-three-are-captured-by-one-move": """
        7   x . . . . . x
        6   . . . b . . .
        5   . . . . . . .
        4   K . . + . . .
        3   . b w . w b .
        2   . . . w . . .
        1   x . . b . . x
            a b c d e f g   Black to move: d6-d3 takes c3 d2 e3
    """,
    "T4-the-king-captures-by-moving": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . . K . . b
        3   . w b . b w .
        2   . . . . . . .
        1   x . . . . . x
            a b c d e f g   White to move: d4-d3 takes c3 e3
    """,
    "T4-a-warrior-captures-against-the-king": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . . K . . b
        3   . . . b . . .
        2   . . . . . w .
        1   x . . . . . x
            a b c d e f g   White to move: f2-d2 takes d3
    """,
    "T5-a-corner-is-hostile-to-the-king": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . . + . . .
        3   . . b . . . .
        2   . . . . . w .
        1   x K . . . . x
            a b c d e f g   Black to move: c3-c1 takes b1, king_captured
    """,
}
"""Boards with the move that is played on them, what it takes, and the ending it brings about."""


@in_both
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_move_on_a_board(game, case):
    move_on(game, case)


@in_both
def test_T3_a_warrior_between_two_enemies_is_captured(game):
    """The rule book's example, along a row: f3-d3 takes c3."""
    goes_on(game, BEFORE_CAPTURE, "f3-d3", takes="c3")
    goes_on(game, BEFORE_CAPTURE, "f3-e3")


STEPPED_IN = """
    7   x . . . . . x
    6   . . . . . b .
    5   . . . . . . .
    4   . . . K . . .
    3   . b w b . . .
    2   . . . . . . .
    1   x . . . . . x
        a b c d e f g   Black to move
"""


@in_both
def test_T3_having_stepped_in_is_safe_until_an_enemy_leaves_and_comes_again(game):
    goes_on(game, STEPPED_IN, "f6-f3")
    away, quiet, back = played(game, "b3-b2 d4-d5 b2-b3", board(STEPPED_IN))
    assert (away.ending, quiet.ending, back.ending) == (None, None, None)
    assert board(STEPPED_IN).white == quiet.position.white
    assert back.position.white == 0


@in_both
@pytest.mark.parametrize(
    ("move", "takes"),
    [("c3-c1", "b1"), ("g4-g5", "g6")],
    ids=["white-taken-along-the-edge", "up-the-edge"],
)
def test_T5_a_corner_is_hostile_to_whites_warriors(game, move, takes):
    drawing = """
        7   x . . . . . x
        6   . . . . . . w
        5   . . . . . . .
        4   . . . K . . b
        3   . . b . . . .
        2   . . . . . . .
        1   x w . . . . x
            a b c d e f g   Black to move
    """
    goes_on(game, drawing, move, takes=takes)


@in_both
def test_T5_the_edge_is_not_hostile(game):
    drawing = """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . b + . . K
        3   . . . . . . .
        2   . . . . . . .
        1   x . w . . . x
            a b c d e f g   Black to move
    """
    goes_on(game, drawing, "c4-f4")

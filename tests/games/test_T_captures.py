"""T3-T5: captures of warriors, the part the king and the corners take in them, and the edge."""

import pytest

from tests.games.brandubh_boards import BEFORE_CAPTURE, board, goes_on, in_both, move_on, played

CASES = {
    "T3-white-captures-in-the-same-way": """
        7   x . . . . . x
        6   . . . . w . .
        5   . . . . . . .
        4   b . . + . . .
        3   . . . K . . .
        2   . . . . b . .
        1   x . . . w . x
            a b c d e f g   White to move: e6-e3 takes e2
    """,
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
    "T3-only-from-opposite-sides": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . b . K . . .
        3   . b w . . . .
        2   . . . . b . .
        1   x . . . . . x
            a b c d e f g   Black to move: e2-c2
    """,
    "T3-two-in-a-row-protect-each-other": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . . K . . .
        3   b w w . . . .
        2   . . . b . . .
        1   x . . . . . x
            a b c d e f g   Black to move: d2-d3
    """,
    "T3-captured-warriors-do-not-help-to-capture": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . w . . .
        4   . . . K . . .
        3   w b w . w b .
        2   . . . b . . .
        1   x . . . . . x
            a b c d e f g   Black to move: d2-d3 takes c3 e3
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
    "T4-the-king-may-return-to-the-throne": """
        7   x . . K . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . w b + . . .
        3   . . . . . . .
        2   . . . . . b .
        1   x . . . . . x
            a b c d e f g   White to move: d7-d4 takes c4
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
    "T5-stepping-between-a-corner-and-an-enemy-is-safe": """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . b .
        4   . . . + . . .
        3   . . . . . . .
        2   . . . . . . .
        1   x . . . K . x
            a b c d e f g   Black to move: f5-f1
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
def test_T3_an_arrival_beside_one_that_stepped_in_takes_it_only_along_its_own_line(game):
    """Arriving on c2 below c3 does not take it: c4 above is empty, and b3 and d3 were there before."""
    goes_on(game, STEPPED_IN.replace(". . . . . b .", ". . . . . . .").replace("2   . .", "2   b ."), "a2-c2")


@in_both
@pytest.mark.parametrize(
    ("move", "takes"), [("c3-c1", "b1"), ("g4-g5", "g6")], ids=["white-taken-along-the-edge", "up-the-edge"]
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
@pytest.mark.parametrize(("move", "takes"), [("c3-c1", "b1"), ("d4-g4 g4-g5", "g6")], ids=["by-warrior", "by-king"])
def test_T5_a_corner_is_hostile_to_black(game, move, takes):
    drawing = """
        7   x . . . . . x
        6   . . . . . . b
        5   . . . . . . .
        4   . . . K . . .
        3   b . w . . . .
        2   . . . . . . .
        1   x b . . . . x
            a b c d e f g   White to move
    """
    if " " not in move:
        goes_on(game, drawing, move, takes=takes)
        return
    first, second = move.split()
    *_, last = played(game, f"{first} a3-a4 {second}", board(drawing))
    assert game.to_plain(last.position)["board"][1] == "......."


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
    drawing = """
        7   x . . . . . x
        6   . . . . . . .
        5   . . . . . . .
        4   . . b K . . .
        3   . . . . . . .
        2   . . . . . . .
        1   x . w . . . x
            a b c d e f g   Black to move
    """
    goes_on(game, drawing, "c4-c2")

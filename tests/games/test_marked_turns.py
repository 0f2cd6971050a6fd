"""What a turn hits, strikes and brings about stands in its text (B4.2, B5, B6.3, B8, B9): the position tells."""

import pytest

from tests.games.boards import BACKGAMMON, CLASSIC, DOUBLE_SIX, VASA

MARKED = [
    (VASA, "1:14 5:1 | opp 7:1 13:14", (6, 5), "1/7* 1/6", (1, 0)),
    (VASA, "1:13 5:1 6:1 | opp 7:2 8:2 9:2 10:2 11:2 12:5", (2, 1), "6/7** 1/3", (0, 1)),
    (CLASSIC, "bar:3 1:3 6:1 20:8 | opp 2:2 3:2 4:2 13:9", (5, 2), "bar/5 bar/2**", (0, 1)),
    (VASA, "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15", (4, 1), "19/20, single crown", (0, 0)),
    (VASA, "24:2 off:13 | opp 13:15", (3, 3), "24/off(2), bearing off", (0, 0)),
    (VASA, "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3", (5, 4), "3/8*, jan", (1, 0)),
    (VASA, "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3", (6, 5), "bar/6* bar/5**, forced jan", (1, 1)),
    (VASA, "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3", (6, 5), "bar/5** bar/6*, jan", (1, 1)),
    (DOUBLE_SIX, "1:15 | opp 13:15", (6, 6), "1/7(6)", (0, 0)),
    (BACKGAMMON, "24:2 13:5 8:3 6:5 | opp 22:1 12:5 17:4 19:5", (1, 1), "6/5(2) 24/23(2)", (0, 0)),
    (BACKGAMMON, "24:2 13:5 8:3 6:5 | opp 22:1 12:5 17:4 19:5", (2, 2), "24/22*(2) 6/4(2)", (1, 0)),
]


@pytest.mark.parametrize(("game", "literal", "dice", "text", "hits"), MARKED, ids=[case[3] for case in MARKED])
def test_a_turn_names_what_it_hits_strikes_and_brings_about(game, literal, dice, text, hits):
    position = game.parse_position(literal)
    moves = game.parse_turn(text)
    verdict = game.judge(position, dice, moves)
    assert game.format_turn(moves, position, verdict.ending) == text
    assert game.count_hits(position, moves) == hits
    plain = game.format_turn(moves)
    assert "*" not in plain
    assert "," not in plain
    assert game.parse_turn(plain) == moves


def test_a_rejection_names_hits_in_the_turn_it_proposes():
    position = CLASSIC.parse_position("bar:3 1:3 6:1 20:8 | opp 2:2 3:2 4:2 13:9")
    assert "the only legal turn is bar/5 bar/2**." in CLASSIC.judge(position, (5, 2), []).message

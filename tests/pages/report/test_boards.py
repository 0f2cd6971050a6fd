"""Positions as the page has them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.games import load_game
from arena.pages.boards import board_of, position_text
from arena.pages.contents import Board


@pytest.mark.parametrize(
    ("ruleset", "literal", "viewer", "text"),
    [
        ("vasa", "1:13 5:2 | opp 13:15", 1, "m...b.......O..............."),
        ("vasa", "1:13 5:2 | opp 13:15", 2, "o...........M...B..........."),
        ("vasa", "bar:2 24:10 | opp bar:1 12:9", 1, "...........I...........jbAcE"),
        ("backgammon", "24:2 13:13 | opp 1:15", 1, "b..........m...........O...."),
        ("fiske", "1:14 12:1 unlocked | opp 13:15", 2, "o...........N..........A....01"),
    ],
)
def test_positions_are_seen_from_seat_1(ruleset: str, literal: str, viewer: Any, text: str) -> None:
    rules = load_game(ruleset)
    assert position_text(rules, board_of(rules), rules.parse_position(literal), viewer) == text


def test_a_choice_of_dice_is_remembered() -> None:
    """B11.3: for how many turns more a side rolls one die."""
    rules = load_game("classic", ["one_die"])
    board = board_of(rules)
    assert board.remembers == ["one_die"]
    position = rules.parse_position("1:15 one-die:3 | opp 13:15")
    assert position_text(rules, board, position, 1)[28:] == "30"
    assert position_text(rules, board, position, 2)[28:] == "03"


def test_games_of_other_packages_draw_themselves() -> None:
    rules: Any = SimpleNamespace(
        ruleset={"family": "nim"}, colours=None, draw=lambda heap: f"{heap} left", flip=lambda heap: -heap
    )
    board = board_of(rules)
    assert board == Board(kind="text")
    assert [position_text(rules, board, 7, 1), position_text(rules, board, 7, 2)] == ["7 left", "-7 left"]

"""Positions as pages have them, and the game that a report opens with."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from arena.games import load_game
from arena.games.result import Cause, Result, Seat
from arena.matches.facts import GameEnded
from arena.pages.boards import board_of, pips, position_text
from arena.pages.contents import Board, MatchPage, ReplayedGame, ShownStep
from arena.pages.report.matches import most_remarkable
from arena.pages.run_page import page_without_record
from arena.words import say

VASA = load_game("vasa")
BOARD = board_of(VASA)
START = position_text(VASA, BOARD, VASA.start(), 1)


def game(
    number: int, ending: str, *literals: str, winner: Seat = 1, cause: Cause | None = None
) -> ReplayedGame:
    """A game with a step for each position, all from the view of seat 1."""
    positions = [
        position_text(VASA, BOARD, VASA.parse_position(literal), 1) for literal in literals
    ]
    steps = [
        ShownStep("turn", str(turn), 1, "12", "", 0, 0, text)
        for turn, text in enumerate(positions, 1)
    ]
    result = Result(winner=winner, ending=ending, clause="", points=1, cause=cause)
    ended = GameEnded(at_ms=0, game=number, turns=len(steps), result=result, score=(0, 0))
    return ReplayedGame(number=number, starter=1, opening="", start=START, steps=steps, ended=ended)


def match(*games: ReplayedGame, **more: Any) -> MatchPage:
    return replace(page_without_record("r1-anna-v-bo", None, is_counted=True), shown=games, **more)


DULL = game(1, "jan", "1:15 | opp 13:15", "1:14 2:1 | opp 13:15")
FORCED = game(2, "forced_jan", "1:15 | opp 13:15")
TURNED = game(3, "jan", "1:15 | opp 24:5 off:10", "off:15 | opp 13:15")
CLOSE = game(
    4, "bearing_off", "off:14 24:1 | opp 12:1 off:14", "off:15 | opp 12:1 off:14", winner=1
)
FORFEITED = game(5, "forfeit", *["1:15 | opp 13:15"] * 9, cause="time")


@pytest.mark.parametrize(
    ("games", "number", "why"),
    [
        ([DULL, TURNED, CLOSE, FORCED], 2, "it ends in a forced jan, the rarest and most valuable win"),
        ([DULL, CLOSE, TURNED], 3, "it has the biggest turnaround: the winner was 295 pips behind"),
        ([DULL, CLOSE, FORFEITED], 4, "it has the closest finish: the loser had 1 pip left"),
        ([game(1, "jan", "1:15 | opp 13:15"), game(2, "jan", *["1:15 | opp 13:15"] * 3), FORFEITED], 2,
         "it is the longest game here that was won over the board: 3 turns"),
    ],
)  # fmt: skip
def test_the_most_remarkable_game_comes_first(
    games: list[ReplayedGame], number: int, why: str
) -> None:
    found = most_remarkable([match(*games)], BOARD)
    assert (found.link, found.game, say(found.why)) == ("r1-anna-v-bo", number, why)


def test_nothing_is_remarkable_where_nothing_was_won_over_the_board() -> None:
    open_game = ReplayedGame(number=1, starter=1, opening="", start=START, steps=DULL.steps)
    assert most_remarkable([], BOARD) is None
    assert (
        most_remarkable(
            [match(FORFEITED, open_game), match(FORCED, void="both bots are gone")], BOARD
        )
        is None
    )


def test_other_games_have_a_longest_one() -> None:
    found = most_remarkable([match(DULL, TURNED)], Board(kind="brandubh"))
    assert found.game == 1


@pytest.mark.parametrize(
    ("ruleset", "literal", "expected"),
    [
        ("vasa", "1:15 | opp 13:15", (360, 360)),
        ("vasa", "bar:1 24:2 | opp 12:1 bar:2", (27, 51)),
        ("backgammon", "24:2 13:5 8:3 6:5 | opp 1:2 12:5 17:3 19:5", (167, 167)),
    ],
)
def test_pips_are_what_is_left_to_go(ruleset: str, literal: str, expected: tuple[int, int]) -> None:
    rules = load_game(ruleset)
    board = board_of(rules)
    assert pips(position_text(rules, board, rules.parse_position(literal), 1), board) == expected


@pytest.mark.parametrize(
    ("ruleset", "literal", "viewer", "text"),
    [
        ("vasa", "1:13 5:2 | opp 13:15", 1, "m...b.......O..............."),
        ("vasa", "1:13 5:2 | opp 13:15", 2, "o...........M...B..........."),
        ("vasa", "bar:2 24:10 | opp bar:1 12:9", 1, "...........I...........jbAcE"),
        ("backgammon", "24:2 13:13 | opp 1:15", 1, "b..........m...........O...."),
        ("classic one_die", "1:15 one-die:3 | opp 13:15", 1, "o...........O...............30"),
        ("classic one_die", "1:15 one-die:3 | opp 13:15", 2, "o...........O...............03"),
        ("fiske", "1:14 12:1 unlocked | opp 13:15", 2, "o...........N..........A....01"),
    ],
)
def test_positions_are_seen_from_seat_1(ruleset: str, literal: str, viewer: Any, text: str) -> None:
    name, *options = ruleset.split()
    rules = load_game(name, options)
    assert position_text(rules, board_of(rules), rules.parse_position(literal), viewer) == text


def test_games_of_other_packages_draw_themselves() -> None:
    rules: Any = SimpleNamespace(
        ruleset={"family": "nim"},
        colours=None,
        draw=lambda heap: f"{heap} left",
        flip=lambda heap: -heap,
    )
    board = board_of(rules)
    assert board == Board(kind="text")
    assert [position_text(rules, board, 7, 1), position_text(rules, board, 7, 2)] == [
        "7 left",
        "-7 left",
    ]

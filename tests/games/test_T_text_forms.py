"""T: positions and moves as plain data and as text, there and back."""

from random import Random
from typing import Any

import pytest

from arena.games import GameError
from arena.games.brandubh.notation import format_moves, parse_moves
from arena.games.interface import text_of
from tests.english import english
from tests.games.brandubh_boards import AS_NAMED, ONE, TWO, board, in_both, played
from tests.reference import brandubh as reference

START_ROWS = ["...b...", "...b...", "...w...", "bbwkwbb", "...w...", "...b...", "...b..."]
START_PLAIN = {"board": START_ROWS, "to_move": "black"}


@in_both
def test_T_a_turn_for_a_person(game):
    assert game.format_turn([["d1", "c1"]]) == game.format_turn((("d1", "c1"),)) == "d1-c1"


@in_both
def test_T_the_start_in_every_form(game):
    start = game.start()
    assert game.to_plain(start) == START_PLAIN
    assert game.from_plain(START_PLAIN) == start
    literal = "...b.../...b.../...w.../bbwkwbb/...w.../...b.../...b... black"
    assert game.format_position(start) == literal
    assert game.parse_position(literal) == start


def test_T_every_form_has_an_inverse():
    rng = Random(11)
    for _ in range(500):
        pieces, to_move = reference.random_placement(rng)
        plain = reference.plain(pieces, to_move)
        position = ONE.from_plain(plain)
        assert ONE.to_plain(position) == plain
        assert ONE.parse_position(ONE.format_position(position)) == position
        assert board(ONE.draw(position)) == position
        for turn in list(TWO.legal_turns(position, ()))[:5]:
            assert TWO.from_plain(TWO.to_plain(turn.position)) == turn.position
            assert parse_moves(format_moves(turn.moves)) == turn.moves
            assert TWO.parse_turn(TWO.format_turn(turn.moves, position, turn.ending)) == turn.moves


@pytest.mark.parametrize(
    ("literal", "text", "pieces"),
    [
        ("...b.../......./.bwk.../......./......./......./....... black", "d7-d6", 0),
        ("......./......./.bw.b../...k.../......./......./....... black", "e5-d5xc5", 1),
        ("......./......./bw.wb../......./..b..../......./...k... black", "c3-c5xb5/d5", 2),
        ("......./......./...b.../..k.b../......./..b..../....... white", "c4-b4", 0),
        (
            "...b.../...k.../.b...../......./......./......./....... black",
            "b5-d5xd6, king captured",
            1,
        ),
    ],
)
def test_T_a_move_names_what_it_captures(literal, text, pieces):
    position = ONE.parse_position(literal)
    moves = ONE.parse_turn(text)
    assert ONE.count_hits(position, moves) == (pieces, 0)
    verdict = ONE.judge(position, (), moves)
    assert ONE.format_turn(moves, position, verdict.ending) == text


@pytest.mark.parametrize(
    "text", ["d1-c1", "D1-C1", "d1c1", "d1 c1", "d1/c1", "d1\u2013c1", " d1-c1xc2 "]
)
def test_T_a_move_is_read_in_the_forms_of_other_programs(text):
    assert ONE.parse_turn(text) == [("d1", "c1")]


def test_T_a_board_after_a_move_marks_what_has_changed():
    before = ONE.parse_position("......./......./.bw.b../...k.../......./......./....... black")
    after = ONE.judge(before, (), [["e5", "d5"]]).position
    assert text_of(ONE.picture(after, before=before)).splitlines()[2:4] == [
        "5   .  b (*)(b)( ) .  .",
        "4   .  .  .  K  .  .  .",
    ]


def test_T_a_board_without_a_king_is_a_position():
    """It is that of a game which Black has won, so that a record can show it (T8)."""
    rows = [row.replace("k", ".") for row in START_ROWS]
    assert ONE.to_plain(ONE.from_plain({"board": rows, "to_move": "white"}))["board"] == rows


@pytest.mark.parametrize(
    ("plain", "problems"),
    [
        ([], ["a position is an object with board and to_move, not list"]),
        ({}, ["to_move must be 'black' or 'white', found None", "board must be a list of 7 strings"]),
        (START_PLAIN | {"to_move": "Black", "dice": []}, ["unknown field 'dice' in a position", "found 'Black'"]),
        (START_PLAIN | {"to_move": ["black"]}, ["to_move must be 'black' or 'white', found ['black']"]),
        (START_PLAIN | {"board": "bbwkwbb"}, ["board must be a list of 7 strings, rank 7 first, found 'bbwkwbb'"]),
        (START_PLAIN | {"board": START_ROWS[1:]}, ["board must be a list of 7 strings, rank 7 first"]),
        (START_PLAIN | {"board": ["...b..", 7, *START_ROWS[2:]]}, ["rank 7 must be a string of 7", "rank 6 must be"]),
        (START_PLAIN | {"board": ["..Kb..?", *START_ROWS[1:]]}, ["c7 holds 'K'; expected", "g7 holds '?'; expected"]),
        (START_PLAIN | {"board": ["b..b..w", *START_ROWS[1:3], "..kww..", *START_ROWS[4:]]},
         ["d4 holds a warrior, and only the king may stop there", "a7 holds a warrior", "g7 holds a warrior",
          "at most 4 w on the board, found 5"]),
        (START_PLAIN | {"board": [".bbbbb.", *START_ROWS[1:6], "..kwk.."]},
         ["at most 8 b on the board, found 11", "at most 4 w on the board, found 5",
          "at most 1 k on the board, found 3"]),
    ],
)  # fmt: skip
def test_T_every_problem_of_a_position_is_listed(plain: Any, problems: list[str]):
    with pytest.raises(GameError) as caught:
        ONE.from_plain(plain)
    assert len(english(caught.value.problems)) == len(problems), english(caught.value.problems)
    for problem in problems:
        assert any(problem in one for one in english(caught.value.problems)), problem


def test_T_literals_and_moves_that_cannot_be_read_are_refused():
    with pytest.raises(GameError, match="seven rows joined by '/', a space and black or white"):
        ONE.parse_position("...b.../...b.../...w.../bbwkwbb/...w.../...b.../...b...")
    with pytest.raises(GameError, match="to_move must be 'black' or 'white', found 'blue'"):
        ONE.parse_position("...b.../...b.../...w.../bbwkwbb/...w.../...b.../...b... blue")
    with pytest.raises(
        GameError, match="'d1' is not a move such as d1-c1 or d1-c1xc2; 'd1-h1' is not a move"
    ):
        parse_moves("d1 d1-c1 d1-h1")
    with pytest.raises(
        GameError, match="'jan' is not an ending; after a comma write one of king captured"
    ):
        parse_moves("d1-c1, jan")


def test_T_after_a_turn_the_position_is_the_other_sides_and_flip_changes_nothing():
    (verdict,) = played(ONE, "d1-c1")
    assert verdict.position.to_move == "white"
    assert ONE.flip(verdict.position) == verdict.position
    assert ONE.draw(ONE.flip(verdict.position)) == ONE.draw(verdict.position)


@in_both
def test_T_legal_turns_are_worked_out_when_looked_at(game):
    turns = game.legal_turns(game.start(), ())
    assert len(turns) == len(list(turns)) == 40
    assert turns.moves(0) == [list(move) for move in turns[0].moves]
    assert turns[39].moves[0] == tuple(turns.moves(39)[0])
    with pytest.raises(IndexError):
        turns[40]


@in_both
def test_T_the_ruleset_is_plain_data(game):
    assert AS_NAMED[game.ruleset["name"]] is game
    assert game.name == game.ruleset["name"]
    assert game.ruleset["family"] == "brandubh"
    assert all(isinstance(value, str | int | bool) for value in game.ruleset.values())

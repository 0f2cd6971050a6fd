"""Positions of backgammon in the forms of other programs: each reader is the inverse of its writer."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import GameError, load_game
from arena.games.position_ids.forms import format_ids, game_of_id, read_position
from arena.words import say

MONEY = load_game("backgammon")
ONE_POINT = load_game("backgammon", ["no_gammons"])
VASA = load_game("vasa")
START = "24:2 13:5 8:3 6:5 | opp 19:5 17:3 12:5 1:2"
FORMS = ("literal", "gnubg", "xgid", "fibs")
OPENING = "-b----E-C---eE---c-e----B-"
BOARD = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"


@st.composite
def positions(draw: st.DrawFn) -> dict[str, Any]:
    """A position on the wire: each point of one side at most, the other checkers on the bar or off."""
    points = [0] * 24
    rest = [15, 15]
    for place in draw(st.permutations(range(24))):
        side = draw(st.integers(0, 1))
        count = draw(st.integers(0, min(5, rest[side])))
        points[place] = count if side == 0 else -count
        rest[side] -= count
    bar = [draw(st.integers(0, most)) for most in rest]
    return {"points": points, "bar": bar, "off": [rest[0] - bar[0], rest[1] - bar[1]]}


rolls = st.one_of(st.just(()), st.tuples(st.integers(1, 6), st.integers(1, 6)))


@given(positions(), rolls, st.sampled_from([MONEY, ONE_POINT]))
def test_every_form_is_read_as_it_was_written(
    plain: dict[str, Any], dice: tuple[int, ...], game: Any
) -> None:
    position = game.from_plain(plain)
    ids = format_ids(game, position, dice)
    assert tuple(ids) == FORMS
    for form, text in ids.items():
        read = read_position(game, f" {text}\n")
        assert read.position == position, form
        assert read.left_out == (), form
        if form != "literal":
            assert read.dice == dice, form
            meant = game_of_id(text)
            assert meant is not None
            assert meant.name == game.name, form


@pytest.mark.parametrize(
    ("text", "literal", "dice"),
    [
        ("4HPwATDgc/ABMA", START, ()),
        ("4HPwATDgc/ABMA:cIkFAAAAAAAE", START, (3, 1)),  # as GNU Backgammon writes it
        (f"XGID={OPENING}:0:0:1:31:0:0:0:0:10", START, (3, 1)),
        (f"xgid={OPENING}:0:0:1:31:0:0:0:0:10", START, (3, 1)),
        (f"{OPENING}:0:0:1:31:0:0:0:0:10", START, (3, 1)),
        (f"XGID={OPENING}:0:0:-1:00:0:0:0:0:10", START, ()),
        ("cH8dCAB7BQAAAA", "4:1 3:1 2:4 1:2 off:7 | opp 20:3 19:7 18:1 17:3 11:1", ()),
        # the side above is to move, from its own view: two on the bar, one on its point 6
        (
            "XGID=b-----------------a----A--:0:0:-1:52:0:0:0:0:10",
            "7:1 bar:2 off:12 | opp 2:1",
            (5, 2),
        ),
        # X plays the negative colour upwards, and is called "me" here; it is the turn of O
        (
            f"board:me:other:9999:0:0:{BOARD}:1:0:0:6:5:1:1:1:0:-1:1:25:0:0:0:0:0:0:0:0:0",
            START,
            (6, 5),
        ),
    ],
)
def test_ids_of_other_programs(text: str, literal: str, dice: tuple[int, ...]) -> None:
    read = read_position(MONEY, text)
    assert MONEY.format_position(read.position) == MONEY.format_position(
        MONEY.parse_position(literal)
    )
    assert (read.dice, read.left_out) == (dice, ())


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (f"XGID={OPENING}:1:-1:1:31:3:2:1:7:10", ["cube", "match", "rule"]),
        (f"XGID={OPENING}:0:0:1:31:0:0:3:0:10", ["rule", "rule"]),
        ("4HPwATDgc/ABMA:cIkFAAAAAAAA", ["rule"]),  # Jacoby
        ("4HPwATDgc/ABMA:EYHqACAAGAAE", ["cube", "match"]),  # GNU Backgammon's own, of a match
        (
            f"board:me:other:5:2:1:{BOARD}:1:6:5:0:0:2:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0",
            ["cube", "match"],
        ),
    ],
)
def test_a_cube_and_a_score_are_told(text: str, codes: list[str]) -> None:
    left_out = read_position(MONEY, text).left_out
    assert [part.code for part in left_out] == [f"position_id.{code}" for code in codes]


def test_the_score_is_told_from_the_view_of_the_side_to_move() -> None:
    for turn, score in (("1", "3-2"), ("-1", "2-3")):
        _, match = read_position(MONEY, f"XGID={OPENING}:2:0:{turn}:31:3:2:0:7:10").left_out
        assert score in say(match)
    _, match = read_position(MONEY, "4HPwATDgc/ABMA:EYHqACAAGAAE").left_out
    assert "2-3 in a match to 7" in say(match)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4HPwATDgc/ABM", "'4HPwATDgc/ABM' cannot be read"),  # one character is missing
        ("4HPwATDgc/ABMB", "cannot be read"),  # bits beyond the position
        ("////////////AA", "cannot be read"),  # more than 15 checkers
        ("4HPwATDgc/ABMA:cIkF", "cannot be read"),
        ("4HPwATDgc/ABMA:cIkHAAAAAAAE", "cannot be read"),  # a die of 7
        ("4HPwATDgc/ABMA:cBkFAAAAAAAE", "to be answered"),  # a double is offered
        ("4HPwATDgc/ABMA:cIoFAAAAAAAE", "the game is over"),
        (f"XGID={OPENING}:0:0:1:D:0:0:0:0:10", "to be answered"),
        (f"XGID={OPENING}:0:0:1:37:0:0:0:0:10", "XGID: "),
        (f"XGID={OPENING}:0:0:1:31:0:0:0:0", "XGID: "),
        (f"XGID={OPENING[:-1]}:0:0:1:31:0:0:0:0:10", "XGID: "),
        ("XGID=-b----E-C---eE---c-e---CB-:0:0:1:31:0:0:0:0:10", "checkers must be 15 in all"),
        ("XGID=Ab----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "XGID: "),  # a bar of the other
        (f"board:a:b:1:0:0:{BOARD}:1:6:5:0:0:1:1:1:0:1:-1:0:25:1:0:0:0:0:0:0:0", "FIBS: "),  # off
        (f"board:a:b:1:0:0:{BOARD}:0:6:5:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0", "over"),
        (f"board:a:b:1:0:0:{BOARD}:1:6:5:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:0", "answered"),
        (f"board:a:b:1:0:0:{BOARD}:1:6:5:0:0:1:1:1:0:1:-2:0:25:0:0:0:0:0:0:0:0", "FIBS: "),
        (f"board:a:b:1:0:0:{BOARD}:1:6:x:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0", "FIBS: "),
        ("board:a:b:1:0:0", "FIBS: "),
        ("24:2 13:17", "'13:17' is not slot:count"),
    ],
)
def test_what_cannot_be_a_position_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(GameError, match=reason.replace("(", r"\(")):
        read_position(MONEY, text)


@given(st.text("AEPabcz/+-:=0", min_size=1, max_size=60))
def test_no_text_makes_a_reader_fail_in_another_way(text: str) -> None:
    for begin in ("", "XGID=", "board:", "4HPwATDgc/ABMA:"):
        with suppress(GameError):
            read_position(MONEY, begin + text)


def test_other_games_have_their_literal_alone() -> None:
    assert format_ids(VASA, VASA.start()) == {"literal": "1:15 | opp 13:15"}
    assert read_position(VASA, "1:15 | opp 13:15").position == VASA.start()
    assert game_of_id("1:15 | opp 13:15") is None
    with pytest.raises(GameError, match="the ruleset is vasa"):
        read_position(VASA, "4HPwATDgc/ABMA")
    locked = load_game(
        {"base": "backgammon", "name": "locked", "stacking": VASA.ruleset["stacking"]}
    )
    assert "xgid" in format_ids(locked, locked.start())

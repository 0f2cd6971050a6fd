"""`arena hint`: what a position is worth and which turns are best, for people and for programs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.games import load_game
from arena.services.hints import OverError, hint
from tests.fixtures.command_line import Arena

OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
START = "24:2 13:5 8:3 6:5 | opp 19:5 17:3 12:5 1:2"


def answer(arena: Arena, *words: object) -> dict[str, Any]:
    result = arena("hint", *words, "--json")
    assert result.exit_code == 0, result.stderr
    reply: dict[str, Any] = json.loads(result.stdout)
    return reply


def test_an_xgid_from_a_forum_gets_its_best_turn(arena: Arena) -> None:
    """Every book of backgammon makes the five-point with 3-1."""
    reply = answer(arena, OPENING)
    assert reply["ruleset"] == "backgammon"
    assert reply["left_out"] == []
    best, *others = reply["turns"]
    assert (best["text"], best["moves"], best["loss"]) == ("8/5 6/5", [[17, 20], [19, 20]], 0)
    assert len(others) == 4
    for turn in others:
        assert turn["loss"] == pytest.approx(1000 * (best["points"] - turn["points"]), abs=2)
    assert sum(reply["wins"].values()) + sum(reply["losses"].values()) == pytest.approx(1, abs=0.01)
    assert reply["wins"]["gammon"] > 0.05


def test_the_dice_of_the_option_go_before_those_of_the_id(arena: Arena) -> None:
    assert answer(arena, OPENING, "--dice", "4-2")["turns"][0]["text"] == "8/4 6/4"
    assert answer(arena, "4HPwATDgc/ABMA")["turns"] == []
    by_literal = answer(arena, START, "--ruleset", "backgammon", "--dice", "31")
    assert by_literal == answer(arena, OPENING)


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_a_literal_of_brade_is_of_vasa(arena: Arena, plies: int) -> None:
    reply = answer(arena, "1:15 | opp 13:15", "--dice", "65", "--plies", plies)
    assert (reply["ruleset"], reply["plies"]) == ("vasa", plies)
    assert {turn["text"] for turn in reply["turns"]} == {"1/7 7/12", "1/7 1/6"}
    assert "jan" in reply["wins"]
    assert reply["points"] > 0  # the side that rolls first has the better chances


def test_a_board_and_a_table_for_people(arena: Arena) -> None:
    result = arena("hint", OPENING.replace(":0:0:1:31:", ":1:1:1:31:"))
    assert result.exit_code == 0
    assert result.stderr == "the cube at 2 is left out: the arena plays without a cube\n"
    assert "┌────" in result.stdout
    assert "backgammon, backgammon-4, 2 turns ahead" in result.stdout
    assert "\nwins 5" in result.stdout
    assert "8/5 6/5" in result.stdout
    assert "blunder" in result.stdout
    monk = arena("hint", "bar:1 13:14 | opp 1:15", "--ruleset", "vasa").stdout
    assert "single crown+monk" in monk or "bearing off+monk" in monk


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((), "give a POSITION"),
        (("4HPwATDgc/ABM",), "'4HPwATDgc/ABM' cannot be read"),
        (("--lines", OPENING), "each line has its own"),
        (("--lines", "--ruleset", "backgammon"), "each line has its own"),
        ((OPENING, "--dice", "37"), "--dice is '37'; expected a roll such as 31"),
        ((OPENING, "--dice", "3"), "dice = [3]; expected a list of 2"),
        ((OPENING, "--ruleset", "vasa"), "the ruleset is vasa"),
        ((OPENING, "--ruleset", "nope"), "unknown ruleset 'nope'"),
        (("1:15 | opp 13:15", "--ruleset", "vasa+nope"), "unknown option 'nope'"),
        ((OPENING.replace(":31:", ":D:"),), "to be answered"),
        (("1:3 | opp off:15", "--ruleset", "backgammon"), "the game is over"),
        (
            (
                "...b.../...b.../...w.../bbwkwbb/...w.../...b.../...b... black",
                "--ruleset",
                "brandubh-1",
            ),
            "there is no evaluator for brandubh-1",
        ),
    ],
)
def test_what_gets_no_hint_is_told_the_reason(
    arena: Arena, words: tuple[str, ...], reason: str
) -> None:
    result = arena("hint", *words)
    assert result.exit_code == 2
    assert reason in result.stderr
    assert result.stdout == ""


def test_lines_are_answered_one_by_one(arena: Arena) -> None:
    lines = [
        {"ruleset": "backgammon", "options": ["no_gammons"], "position": OPENING},
        {"ruleset": "backgammon", "position": "4HPwATDgc/ABM"},
        {"position": OPENING},
        {
            "ruleset": "brandubh-1",
            "position": load_game("brandubh-1").to_plain(load_game("brandubh-1").start()),
        },
        {"ruleset": "vasa", "position": "1:15 | opp 13:15", "dice": [6, 5]},
    ]
    text = "\n".join(map(json.dumps, lines))
    result = CliRunner().invoke(main, ["hint", "--lines", "--plies", "1"], input=text)
    assert result.exit_code == 1
    first, wrong, nameless, other, last = map(json.loads, result.stdout.splitlines())
    assert first["turns"][0]["text"] == "8/5 6/5"
    assert wrong["error"]["code"] == "bad_position"
    assert nameless["error"]["message"] == "the line has no 'ruleset'"
    assert other["error"]["code"] == "no_hint"
    assert len(last["turns"]) == 2


def test_python_gets_the_same() -> None:
    game = load_game("backgammon")
    position = game.parse_position(START)
    assert hint(game, position, (3, 1)).turns[0].text == "8/5 6/5"
    assert hint(game, position).turns == []
    with pytest.raises(OverError):
        hint(game, game.parse_position("off:15 | opp 1:15"))
    sure = hint(game, game.parse_position("1:1 off:14 | opp 24:2 off:13"), (2, 1))
    assert sure.points == 1
    assert sure.turns[0].text == "1/off, bearing off"
    assert sure.turns[0].points == 1

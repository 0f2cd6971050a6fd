"""Brandubh at the command line: what a person sees of a match without dice, and the rules as a tool."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Arena, lay_out
from tests.records.small_run import RECORD, agreed_attempt, brandubh_attempt, opened_tournament, run_of

START = {
    "board": ["...b...", "...b...", "...w...", "bbwkwbb", "...w...", "...b...", "...b..."],
    "to_move": "black",
}


@pytest.fixture
def run_folder(here: Path) -> Path:
    """A finished run of Brandubh."""
    sitting = brandubh_attempt()
    return lay_out(here / "run", run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting))


def test_a_match_is_shown_with_colours_and_squares_and_no_dice(arena: Arena, run_folder: Path) -> None:
    result = arena("show", run_folder / RECORD)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("r1-anna-v-bo: anna (seat 1) against bo (seat 2), brandubh-1, 3 games,")
    assert "game 1: anna (Black) starts" in lines
    assert "game 2: bo (Black) starts" in lines
    assert "   1 Black bo: d1-c1   (0 ms, 200 ms left)" in lines
    assert "   2 White anna: d3-c3   (0 ms, 200 ms left)" in lines
    assert "game 2 ends after 8 turns: drawn, repetition (T9)" in lines
    assert any(
        line.startswith("   2 White bo; REJECTED (blocked, T2; 0 left): d3-d2 is blocked on d2") for line in lines
    )
    assert "game 3 ends after 1 turns: anna wins by forfeit (illegal turns), 1 point (B10.2)" in lines
    assert "  4   b b w K w b b" in lines
    assert "roll" not in result.stdout


def test_offers_and_agreements_are_shown(arena: Arena, here: Path) -> None:
    sitting = agreed_attempt()
    files = run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)
    lines = arena("show", "--no-boards", lay_out(here / "agreed", files) / RECORD).stdout.splitlines()
    first = lines.index("game 1: anna (Black) starts")
    assert lines[first + 1].startswith(
        "   1 Black anna; REJECTED (no_draw_offered, T9; 0 left): a draw was accepted, but"
    )
    assert lines[first + 2 : first + 6][0::3] == [
        "   1 Black anna: d1-c1, offers a draw   (5 ms, 200 ms left)",
        "game 1 ends after 1 turns: drawn, agreement (T9)",
    ]
    assert lines[first + 4] == "   2 White bo accepts the draw   (150 ms, 150 ms left)"
    assert arena("show", here / "agreed").stdout.endswith("anna 0 : 0 bo  over\n")


def test_the_facts_have_the_position_after_each_turn(arena: Arena, run_folder: Path) -> None:
    lines = [json.loads(line) for line in arena("show", "--json", run_folder / RECORD).stdout.splitlines()]
    played = [line for line in lines if line["event"] == "turn_played" and line["game"] == 2]
    assert played[0]["position_after"] == {
        "board": [*START["board"][:6], "..b...."],
        "to_move": "white",
    }
    assert played[0]["dice"] == []


def asked(here: Path, *questions: dict[str, Any]) -> Path:
    """A file of questions to the rules."""
    file = here / "questions"
    file.write_text("".join(json.dumps({"ruleset": "brandubh-2", "position": START} | one) + "\n" for one in questions))
    return file


def test_the_rules_list_and_judge_moves_without_dice(arena: Arena, here: Path) -> None:
    [answer] = map(json.loads, arena("rules", "turns", asked(here, {})).stdout.splitlines())
    assert len(answer["turns"]) == 40
    assert all(turn["position"]["to_move"] == "white" for turn in answer["turns"])
    result = arena(
        "rules",
        "judge",
        asked(
            here,
            {"moves": [["d1", "c1"]]},
            {"moves": [["d1", "c1"]], "dice": []},
            {"moves": [["d1", "d3"]]},
            {"moves": [["d1", "c1"]], "dice": [1]},
        ),
    )
    good, same, blocked, dice = map(json.loads, result.stdout.splitlines())
    assert result.exit_code == 1
    assert good == same
    assert (good["legal"], good["position"]["board"][6], good["ending"]) == (True, "..b....", None)
    assert (blocked["code"], blocked["clause"], blocked["legal_turns"]) == ("blocked", "T2", 40)
    assert dice["error"]["message"] == "dice = [1]; expected no dice, or an empty list"


def test_the_rules_draw_and_count(arena: Arena, here: Path) -> None:
    assert "4   b b w K w b b" in arena("rules", "show", asked(here, {})).stdout
    counted = arena("rules", "count", "--ruleset", "brandubh-1", "--depth", "3").stdout.splitlines()
    assert counted[0] == "no dice"
    assert counted[1] == "depth 1: 40 leaves, 40 distinct positions"
    assert counted[3].startswith("depth 3: 39,512 leaves, ")
    listed = arena("rules", "list").stdout
    assert "brandubh-1\n" in listed
    assert '  king_on_throne = "all_four"\n' in listed
    assert json.loads(arena("rules", "list", "--json").stdout)["brandubh-2"]["fields"]["throne_hostile"] is True

"""Brandubh with real processes: the sample bots play it, or say clearly that they do not."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.end_to_end.runs import REPOSITORY, Run, arena, assert_verified, honest, write_plan

SAMPLES = REPOSITORY / "sample_bots"


def sample(name: str) -> list[str]:
    """What starts a sample bot in Python."""
    return [sys.executable, str(SAMPLES / name / "bot.py")]


@pytest.mark.parametrize("ruleset", ["brandubh-1", "brandubh-2"])
def test_bots_that_play_from_the_list_of_legal_turns_play_brandubh(tmp_path: Path, ruleset: str) -> None:
    run = Run(tmp_path / "run")
    bots = {"chance": sample("random"), "first": sample("minimal")}
    plan = write_plan(tmp_path, bots, tournament={"ruleset": ruleset}, limits={"turns": 100})
    result = arena("run", plan, "--out", run.folder)
    assert (result.returncode, "1 of 1 matches" in result.stdout) == (0, True), result.stderr
    assert {game["cause"] for fact in run.settled().values() for game in fact["games"]} == {None}
    assert run.match("r1-chance-v-first", "turn_rejected") == []
    assert [fact["starter"] for fact in run.match("r1-chance-v-first", "game_started")] == [1, 2, 1]
    assert_verified(run.folder)
    shown = arena("show", run.folder / "matches" / "r1-chance-v-first.jsonl", "--game", "2", "--turn", "1")
    assert "   1 Black first: d1-e1" in shown.stdout
    assert json.loads(arena("standings", "--json", run.folder).stdout)["name"] == "tournament"


def test_greedy_says_that_it_plays_tables_games_only(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = {"greedy": sample("greedy"), "chance": sample("random")}
    result = arena("run", write_plan(tmp_path, bots, tournament={"ruleset": "brandubh-1"}), "--out", run.folder)
    assert result.returncode == 1, result.stderr
    assert run.forfeits("greedy") == {"r1-greedy-v-chance": [("chance", "no_show")] * 3}
    said = run.output_of("r1-greedy-v-chance", "greedy", "stderr").decode()
    assert said == "greedy plays tables games only, not brandubh-1; sample_bots/random plays everything\n"


def test_T9_two_bots_agree_on_draws(tmp_path: Path) -> None:  # noqa: N802 - clause ids keep their spelling
    run = Run(tmp_path / "run")
    bots = {"anna": honest("--draws-from", 10), "bo": honest("--draws-from", 10)}
    plan = write_plan(tmp_path, bots, tournament={"ruleset": "brandubh-2"})
    result = arena("run", plan, "--out", run.folder)
    assert result.returncode == 0, result.stderr
    fixture = "r1-anna-v-bo"
    results = [fact["result"] for fact in run.match(fixture, "game_ended")]
    endings = [(result["ending"], result["winner"], result["points"]) for result in results]
    assert endings == [("agreement", None, 0)] * 3
    agreed = run.match(fixture, "draw_agreed")
    assert [(fact["turn"], fact["info"]) for fact in agreed] == [(10, "enough")] * 3
    offers = [fact["turn"] for fact in run.match(fixture, "turn_played") if fact.get("draw_offered")]
    assert offers == [3, 6, 9] * 3
    assert_verified(run.folder)
    shown = arena("show", "--no-boards", run.folder / "matches" / f"{fixture}.jsonl").stdout
    assert shown.count(", offers a draw ") == 9
    assert shown.count(" accepts the draw ") == 3
    assert "drew: 0 points each" in run.settled()[fixture]["decision"]

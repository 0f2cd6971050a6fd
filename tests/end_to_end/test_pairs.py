"""Tournaments of duplicate pairs as an operator has them."""

from __future__ import annotations

import signal
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from arena.words import say
from tests.end_to_end.runs import (
    REPOSITORY,
    Run,
    arena,
    assert_verified,
    await_true,
    honest,
    play,
    start_arena,
    write_plan,
)

GREEDY = [sys.executable, str(REPOSITORY / "sample_bots" / "greedy" / "bot.py")]


def pairs(number: int) -> dict[str, Any]:
    """So many pairs in place of single games."""
    return {"games": None, "pairs": number}


def pairs_of(run: Run, fixture: str = "r1-anna-v-bo") -> list[tuple[int, ...]]:
    """The points of both halves of each pair: above 0 anna's, below 0 bo's."""
    games = run.settled()[fixture]["games"]
    points = [game["points"] if game["winner"] == 1 else -game["points"] for game in games]
    return list(zip(points[::2], points[1::2], strict=True))


@pytest.mark.parametrize(
    ("ruleset", "number"),
    [
        ("vasa", 6),
        ("backgammon", 6),
    ],
)
def test_two_bots_that_play_alike_end_every_pair_level(ruleset: str, number: int, tmp_path: Path) -> None:
    """The same program twice, no chance in it: what one wins in one half the other wins in the other."""
    run = play(tmp_path, {"anna": GREEDY, "bo": GREEDY}, "--quiet", tournament=pairs(number) | {"ruleset": ruleset})
    played = pairs_of(run)
    assert len(played) == number
    assert all(one == -two for one, two in played)
    assert {game["cause"] for game in run.settled()["r1-anna-v-bo"]["games"]} == {None}
    settled = run.settled()["r1-anna-v-bo"]
    assert (settled["winner"], say(settled["decision"]).startswith("anna and bo drew")) == (None, True)
    verified = arena("verify", run.folder)
    assert (verified.returncode, f"{2 * number} games" in verified.stdout) == (0, True), verified.stdout


def test_the_result_is_shown_pair_by_pair(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = [f"--bot={name}={' '.join(honest())}" for name in ("anna", "bo")]
    result = arena("run", *bots, "--pairs", "2", "--ruleset", "brandubh-1", "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert tomllib.loads((run.folder / "tournament.toml").read_text())["tournament"]["pairs"] == 2
    [opened] = run.facts("tournament_opened")
    assert (opened["terms"]["form"], opened["terms"]["games"], opened["best_game"]) == ("pairs", 4, "none")
    assert "points a pair" in result.stdout
    counts = {name: row["pairs"] for name, row in run.standings().items()}
    assert all(count["won"] + count["level"] + count["lost"] == 2 for count in counts.values())
    assert counts["anna"]["points_a_pair"] == -counts["bo"]["points_a_pair"]
    assert "over; 2 of 2 pairs: anna won" in arena("show", run.folder).stdout
    story = arena("show", run.folder / "matches" / "r1-anna-v-bo.jsonl", "--no-boards").stdout
    assert "2 pairs, " in story
    halves = [line.split()[0] for line in story.splitlines() if line[4:6] == " |"]
    assert sorted(halves[:2]) == sorted(halves[2:4]) == ["1", "2"]


def test_a_run_killed_in_the_middle_of_a_pair_is_resumed(tmp_path: Path) -> None:
    plan = write_plan(tmp_path, {name: honest("--think-ms", 3) for name in ("anna", "bo")}, tournament=pairs(1))
    run = Run(tmp_path / "run")
    line = ("run", plan, "--out", run.folder)
    with start_arena(*line) as process:
        await_true(lambda: len(run.match("r1-anna-v-bo", "turn_played")) >= 5)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=120)
    assert_verified(run.folder)
    assert arena(*line).returncode == 0
    assert_verified(run.folder)
    assert [fact["attempt"] for fact in run.facts("fixture_issued")] == [1]
    assert len(run.settled()["r1-anna-v-bo"]["games"]) == 2

"""The sample bot that batches: many games at once over one connection, with the real command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.end_to_end.runs import REPOSITORY, Run, arena, assert_verified, honest, write_plan

FOLDER = REPOSITORY / "sample_bots" / "batching"
BATCHING = [sys.executable, str(FOLDER / "bot.py")]


def batches(run: Run) -> list[int]:
    """The size of the batch of every turn, as the bot has remarked."""
    played = [fact for fixture in run.settled() for fact in run.match(fixture, "turn_played")]
    return [fact["info"]["batch"] for fact in played if fact.get("info")]


def test_its_tournament_file_is_played_as_it_stands_in_large_batches(tmp_path: Path) -> None:
    here = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    run = Run(tmp_path / "run")
    result = arena("run", FOLDER / "many.toml", "--out", run.folder, **here)
    assert result.returncode == 0, result.stderr
    assert len(run.settled()) == 20
    assert {game["cause"] for fact in run.settled().values() for game in fact["games"]} == {None}
    sizes = batches(run)
    assert max(sizes) <= 20
    assert sum(size > 1 for size in sizes) > len(sizes) / 2
    assert_verified(run.folder)


def test_with_one_match_at_a_time_it_plays_like_any_other(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    result = arena("run", write_plan(tmp_path, {"anna": honest(), "b": BATCHING}), "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert {cause for _, cause in run.forfeits("b")["r1-anna-v-b"]} == {None}
    assert set(batches(run)) == {1}
    assert run.standings()["b"]["won"] == 1

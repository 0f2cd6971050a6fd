"""Formats as an organiser has them: newcomers, pairs, interruptions, events for scripts."""

import json
import signal
import tomllib
from pathlib import Path

import pytest

from tests.fixtures.arena_runs import (
    Run,
    arena,
    assert_verified,
    honest,
    play,
    start_arena,
    stop,
    write_plan,
)
from tests.processes import await_true

HONEST = honest()


def played(run: Run) -> set[str]:
    """The ids of all settled fixtures."""
    return set(run.settled())


def test_a_newcomer_of_a_finished_round_robin_plays_what_is_missing_and_no_more(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path / "run")
    bots = {"anna": HONEST, "bo": HONEST}
    assert arena("run", write_plan(tmp_path, bots), "--out", run.folder).returncode == 0
    before = (run.folder / "tournament.jsonl").read_bytes()
    more = write_plan(tmp_path, bots | {"cia": HONEST})
    result = arena("run", more, "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert "newcomers: cia" in result.stderr
    assert played(run) == {"r1-anna-v-bo", "r2-cia-v-anna", "r3-bo-v-cia"}
    assert (run.folder / "tournament.jsonl").read_bytes().startswith(before)
    assert [fact["entrants"] for fact in run.facts("entrants_added")] == [["cia"]]
    assert set(run.standings()) == {"anna", "bo", "cia"}
    assert_verified(run.folder)
    whole = (run.folder / "tournament.jsonl").read_bytes()
    assert arena("run", run.folder).returncode == 0
    assert (run.folder / "tournament.jsonl").read_bytes() == whole


def test_newcomers_are_entered_although_the_arena_was_killed_in_the_middle_of_it(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path / "run")
    bots = {"anna": HONEST, "bo": HONEST}
    assert arena("run", write_plan(tmp_path, bots), "--out", run.folder).returncode == 0
    record = run.folder / "tournament.jsonl"
    *lines, _ = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines))
    (run.folder / "tournament.toml").write_text(
        write_plan(tmp_path, bots | {"cia": HONEST}).read_text()
    )
    result = arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    assert len(played(run)) == 3
    assert_verified(run.folder)


def test_a_knock_out_that_is_killed_goes_on_with_the_rounds_it_has_drawn(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = dict.fromkeys(("anna", "bo", "cia", "dag"), HONEST)
    plan = write_plan(tmp_path, bots, tournament={"format": "knockout-1"})
    stop(lambda: run.facts("fixture_settled"), signal.SIGKILL, "run", plan, "--out", run.folder)
    first = run.facts("round_drawn")[0]
    result = arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    rounds = run.facts("round_drawn")
    assert (rounds[0], [len(each["fixtures"]) for each in rounds]) == (first, [2, 1])
    assert len(played(run)) == 3
    assert_verified(run.folder)


def test_events_for_scripts_are_the_lines_of_the_record(tmp_path: Path) -> None:
    run = play(tmp_path, {"anna": HONEST, "bo": HONEST}, "--json")
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert events[0] == {"event": "run_begun", "folder": str(run.folder)}
    told = [event for event in events[1:] if event["event"] != "message"]
    assert told == run.facts()[:-1]
    assert told[-1]["event"] == "tournament_ended"


@pytest.mark.slow
def test_standings_that_are_followed_are_printed_until_the_tournament_is_over(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path / "run")
    process = start_arena(
        "run",
        write_plan(tmp_path, {"anna": HONEST, "bo": HONEST}, tournament={"cycles": 3}),
        "--out",
        run.folder,
    )
    await_true(lambda: run.facts("tournament_opened"))
    followed = arena("standings", run.folder, "--follow", "--json")
    process.communicate(timeout=120)
    assert (process.returncode, followed.returncode) == (0, 0), followed.stderr
    tables = [json.loads(line) for line in followed.stdout.splitlines()]
    assert tables[-1]["matches"] == 3
    counts = [table["matches"] for table in tables]
    assert counts == sorted(counts)


def test_the_result_of_a_match_of_pairs_is_shown_pair_by_pair(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = [f"--bot={name}={' '.join(honest())}" for name in ("anna", "bo")]
    result = arena("run", *bots, "--pairs", "2", "--ruleset", "brandubh-1", "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert tomllib.loads((run.folder / "tournament.toml").read_text())["tournament"]["pairs"] == 2
    [opened] = run.facts("tournament_opened")
    assert (opened["terms"]["form"], opened["terms"]["games"], opened["best_game"]) == (
        "pairs",
        4,
        "none",
    )
    assert "points a pair" in result.stdout
    counts = {name: row["pairs"] for name, row in run.standings().items()}
    assert all(count["won"] + count["level"] + count["lost"] == 2 for count in counts.values())
    assert counts["anna"]["points_a_pair"] == -counts["bo"]["points_a_pair"]
    assert "over; 2 of 2 pairs: anna won" in arena("show", run.folder).stdout
    story = arena("show", run.folder / "matches" / "r1-anna-v-bo.jsonl", "--no-boards").stdout
    assert "2 pairs, " in story
    halves = [line.split()[0] for line in story.splitlines() if line[4:6] == " |"]
    assert sorted(halves[:2]) == sorted(halves[2:4]) == ["1", "2"]

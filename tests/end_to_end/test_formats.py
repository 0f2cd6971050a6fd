"""Formats as an organiser has them: newcomers, withdrawals, interruptions, events for scripts."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.end_to_end.runs import Run, arena, assert_verified, await_true, honest, play, start_arena, write_plan

HONEST = honest()


def played(run: Run) -> set[str]:
    """The ids of all settled fixtures."""
    return set(run.settled())


def test_a_newcomer_of_a_finished_round_robin_plays_what_is_missing_and_no_more(tmp_path: Path) -> None:
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


def test_newcomers_are_entered_although_the_arena_was_killed_in_the_middle_of_it(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = {"anna": HONEST, "bo": HONEST}
    assert arena("run", write_plan(tmp_path, bots), "--out", run.folder).returncode == 0
    record = run.folder / "tournament.jsonl"
    *lines, _ = record.read_bytes().splitlines(keepends=True)
    record.write_bytes(b"".join(lines))
    (run.folder / "tournament.toml").write_text(write_plan(tmp_path, bots | {"cia": HONEST}).read_text())
    result = arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    assert len(played(run)) == 3
    assert_verified(run.folder)


def test_any_other_change_of_the_file_is_refused(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    assert arena("run", write_plan(tmp_path, {"anna": HONEST, "bo": HONEST}), "--out", run.folder).returncode == 0
    frozen = (run.folder / "tournament.toml").read_text()
    result = arena("run", write_plan(tmp_path, {"cia": HONEST, "anna": HONEST, "bo": HONEST}), "--out", run.folder)
    assert result.returncode == 2
    assert "begun with another tournament file" in result.stderr
    assert "as [[bot]] sections after the others" in result.stderr
    assert (run.folder / "tournament.toml").read_text() == frozen


def test_a_knock_out_that_is_killed_goes_on_with_the_rounds_it_has_drawn(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = dict.fromkeys(("anna", "bo", "cia", "dag"), HONEST)
    plan = write_plan(tmp_path, bots, tournament={"format": "knockout-1"})
    process = start_arena("run", plan, "--out", run.folder)
    await_true(lambda: run.facts("fixture_settled"))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    first = run.facts("round_drawn")[0]
    result = arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    rounds = run.facts("round_drawn")
    assert (rounds[0], [len(each["fixtures"]) for each in rounds]) == (first, [2, 1])
    assert len(played(run)) == 3
    assert_verified(run.folder)


def test_an_entrant_withdrawn_from_a_swiss_is_drawn_no_more(tmp_path: Path) -> None:
    bots = dict.fromkeys(("anna", "bo", "cia", "dag", "eva"), HONEST) | {"finn": ["false"]}
    changes = {"tournament": {"format": "swiss-monrad-1", "rounds": 3}, "limits": {"violations": 0}}
    run = play(tmp_path, bots, status=1, **changes)
    assert [fact["entrant"] for fact in run.facts("entrant_withdrawn")] == ["finn"]
    later = [fact["fixtures"] for fact in run.facts("round_drawn")[1:]]
    assert [sum("finn" in fixture for fixture in fixtures) for fixtures in later] == [0, 0]
    assert run.standings()["eva"]["free_rounds"] >= 1
    assert_verified(run.folder)


def test_events_for_scripts_are_the_lines_of_the_record(tmp_path: Path) -> None:
    """Standard output has one JSON object a line and nothing else."""
    run = play(tmp_path, {"anna": HONEST, "bo": HONEST}, "--json")
    events = [json.loads(line) for line in run.stdout.splitlines()]
    assert events[0] == {"event": "run_begun", "folder": str(run.folder)}
    told = [event for event in events[1:] if event["event"] != "message"]
    assert told == run.facts()[:-1]
    assert told[-1]["event"] == "tournament_ended"


def test_standings_that_are_followed_are_printed_until_the_tournament_is_over(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    process = start_arena(
        "run", write_plan(tmp_path, {"anna": HONEST, "bo": HONEST}, tournament={"cycles": 3}), "--out", run.folder
    )
    await_true(lambda: run.facts("tournament_opened"))
    followed = arena("standings", run.folder, "--follow", "--json")
    process.communicate(timeout=120)
    assert (process.returncode, followed.returncode) == (0, 0), followed.stderr
    tables = [json.loads(line) for line in followed.stdout.splitlines()]
    assert tables[-1]["matches"] == 3
    counts = [table["matches"] for table in tables]
    assert counts == sorted(counts)

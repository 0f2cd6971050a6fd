"""Runs that are stopped at bad moments, and resumed by the same command."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.end_to_end.runs import (
    REPOSITORY,
    Run,
    arena,
    assert_verified,
    await_true,
    environment,
    honest,
    is_running,
    pids_left,
    pids_marked,
    rogue,
    start_arena,
    write_plan,
)

FIELD = ("anna", "bo", "cia")
FIXTURES = 3
LONG = {"delay_ms": 60_000}


def plan_of_slow_bots(folder: Path) -> Path:
    return write_plan(folder, {name: honest("--think-ms", 3) for name in FIELD}, tournament={"at_once": 1})


def turns_under_way(run: Run) -> int:
    """How many turns of the one fixture that is being played are recorded."""
    open_fixtures = {fact["fixture"] for fact in run.facts("fixture_issued")} - run.settled().keys()
    return sum(len(run.match(fixture, "turn_played")) for fixture in open_fixtures)


def is_asked(run: Run) -> bool:
    """Whether a turn of the one fixture has been put to a bot, or is about to be."""
    return any(run.match(fact["fixture"], "game_started") for fact in run.facts("fixture_issued"))


def stop(process: subprocess.Popen[str], run: Run, moment: Callable[[], bool], number: signal.Signals) -> int:
    """Send the arena a signal at some moment; returns its exit status. The bots hang up by themselves."""
    with process:
        await_true(lambda: run.folder.exists() and (moment() or process.poll() is not None))
        assert process.poll() is None, "the run was over too soon for this test"
        process.send_signal(number)
        return process.wait(timeout=120)


def test_a_run_killed_again_and_again_is_finished_by_the_same_command(tmp_path: Path) -> None:
    plan = plan_of_slow_bots(tmp_path)
    run = Run(tmp_path / "run")
    line = ("run", plan, "--out", run.folder)
    moments: list[Callable[[], bool]] = [
        lambda: bool(run.facts("tournament_opened")),
        lambda: len(run.settled()) >= 1 and turns_under_way(run) >= 5,
        lambda: len(run.settled()) >= 2,
    ]
    kept: dict[str, bytes] = {}
    for moment in moments:
        assert stop(start_arena(*line), run, moment, signal.SIGKILL) == -signal.SIGKILL
        assert_verified(run.folder)
        kept |= {path.name: path.read_bytes() for path in (run.folder / "matches").iterdir()}

    result = arena(*line)

    assert result.returncode == 0, result.stderr
    assert len(run.facts("fixture_settled")) == len(run.settled()) == len(run.facts("fixture_issued")) == FIXTURES
    for name, record in kept.items():
        assert (run.folder / "matches" / name).read_bytes().startswith(record[: record.rfind(b"\n") + 1])
    assert sum(len(run.match(fixture, "match_resumed")) for fixture in run.settled()) in (1, 2, 3)
    assert run.facts("fixture_voided") == []
    assert all(fact["violations"] == [0, 0] for fact in run.facts("fixture_settled"))
    assert f"{FIXTURES} of {FIXTURES} matches" in result.stdout
    assert_verified(run.folder)


def test_a_launched_bot_that_is_another_build_may_not_go_on_with_the_match(tmp_path: Path) -> None:
    build = tmp_path / "build"
    build.write_text("first")
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest("--think-ms", 3), "bo": honest("--build", build)})
    moment = stop(start_arena("run", plan, "--out", run.folder), run, lambda: turns_under_way(run) >= 5, signal.SIGKILL)
    assert moment == -signal.SIGKILL
    build.write_text("second")
    assert arena("run", run.folder).returncode == 0
    [games] = run.forfeits("bo").values()
    assert games == [("anna", "no_show")] * 3
    assert_verified(run.folder)


def test_Ctrl_C_ends_with_130_leaves_no_bot_behind_and_says_how_to_go_on(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    pids.mkdir()
    run = Run(tmp_path / "run")
    with start_arena("run", plan_of_slow_bots(tmp_path), "--out", run.folder, HOME=str(pids)) as process:
        await_true(lambda: run.folder.exists() and len(run.settled()) >= 1 and turns_under_way(run) >= 5)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert messages.splitlines()[-1] == f"stopped; go on with: arena run {run.folder}"
    assert "Traceback" not in messages
    assert [pid for pid in pids_left(pids) if is_running(pid)] == []
    assert_verified(run.folder)
    settled = run.settled()

    result = arena("run", run.folder)

    assert result.returncode == 0, result.stderr
    assert {fixture: fact for fixture, fact in run.settled().items() if fixture in settled} == settled
    assert len(run.facts("fixture_settled")) == FIXTURES
    assert_verified(run.folder)


def test_the_first_signal_lets_the_turn_in_play_be_answered_and_no_other_is_put(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {name: honest("--think-ms", 600) for name in ("anna", "bo")})
    with start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: run.folder.exists() and turns_under_way(run) >= 1)
        before = turns_under_way(run)
        process.terminate()
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "the turn in play is answered" in messages
    [fixture] = [fact["fixture"] for fact in run.facts("fixture_issued")]
    lines = run.match(fixture)
    assert lines[-1]["event"] == "turn_played"
    assert len(run.match(fixture, "turn_played")) in (before + 1, before + 2)
    assert_verified(run.folder)


def test_the_second_signal_ends_the_run_at_once(tmp_path: Path) -> None:
    """A bot that never answers keeps nobody waiting."""
    run = Run(tmp_path / "run")
    plan = write_plan(
        tmp_path, {"anna": honest("--think-ms", 600_000), "bo": honest("--think-ms", 600_000)}, clock=LONG
    )
    with start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: bool(run.facts("fixture_issued")) and is_asked(run))
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        await_true(lambda: "Ctrl-C again" in process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert messages.splitlines()[-1] == f"stopped; go on with: arena run {run.folder}"
    assert_verified(run.folder)


def test_SIGTERM_ends_the_arena_and_every_program_as_Ctrl_C_does(tmp_path: Path) -> None:
    mark = str(tmp_path)
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest("--think-ms", 20), "bo": rogue("stays", mark, at_turn=1)})
    with start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: run.folder.exists() and turns_under_way(run) >= 2)
        assert len(pids_marked(mark)) >= 2
        process.terminate()
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 130
    assert messages.splitlines()[-1] == f"stopped; go on with: arena run {run.folder}"
    assert pids_marked(mark) == []
    assert_verified(run.folder)


def test_a_disk_that_is_full_stops_the_run_which_goes_on_when_there_is_room(tmp_path: Path) -> None:
    """Exit status 1 and the system's reason, no traceback; the same command then finishes the run, and it verifies."""
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {name: honest() for name in FIELD})
    limited = f"ulimit -f 16; exec {sys.executable} -m arena run {plan} --out {run.folder}"  # in KiB
    stopped = subprocess.run(
        ["bash", "-c", limited],
        cwd=REPOSITORY,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert stopped.returncode == 1, stopped.stderr
    assert "File too large" in stopped.stderr
    assert f"go on with: arena run {run.folder}" in stopped.stderr
    assert "Traceback" not in stopped.stderr

    result = arena("run", run.folder)

    assert result.returncode == 0, result.stderr
    assert len(run.settled()) == 3
    assert {cause for games in run.forfeits("anna").values() for _, cause in games} == {None}
    assert_verified(run.folder)

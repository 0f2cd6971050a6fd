"""Runs that are stopped at bad moments, and resumed by the same command."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.sameness import stopped
from tests.fixtures import arena_runs as runs
from tests.processes import await_true, children_of, pids_marked

FIELD = ("anna", "bo", "cia")
FIXTURES = 3


def plan_of_slow_bots(folder: Path) -> Path:
    return runs.write_plan(
        folder, {name: runs.honest("--think-ms", 3) for name in FIELD}, tournament={"at_once": 1}
    )


def turns_under_way(run: runs.Run) -> int:
    """How many turns of the one fixture that is being played are recorded."""
    open_fixtures = {fact["fixture"] for fact in run.facts("fixture_issued")} - run.settled().keys()
    return sum(len(run.match(fixture, "turn_played")) for fixture in open_fixtures)


@pytest.fixture
def run(tmp_path: Path) -> runs.Run:
    return runs.Run(tmp_path / "run")


def assert_told_how_to_go_on(run: runs.Run, stopped: subprocess.CompletedProcess[str]) -> None:
    assert stopped.returncode == 130
    assert stopped.stderr.splitlines()[-1] == f"stopped; go on with: arena run {run.folder}"
    assert "Traceback" not in stopped.stderr
    runs.assert_verified(run.folder)


@pytest.mark.slow
def test_a_run_killed_again_and_again_is_finished_by_the_same_command(
    run: runs.Run, tmp_path: Path
) -> None:
    line = ("run", plan_of_slow_bots(tmp_path), "--out", run.folder)
    moments: list[Callable[[], bool]] = [
        lambda: bool(run.facts("tournament_opened")),
        lambda: len(run.settled()) >= 1 and turns_under_way(run) >= 5,
        lambda: len(run.settled()) >= 2,
    ]
    kept: dict[str, bytes] = {}
    for moment in moments:
        assert runs.stop(moment, signal.SIGKILL, *line).returncode == -signal.SIGKILL
        runs.assert_verified(run.folder)
        kept |= {path.name: path.read_bytes() for path in (run.folder / "matches").iterdir()}

    result = runs.arena(*line)

    assert result.returncode == 0, result.stderr
    voided = run.facts(
        "fixture_voided"
    )  # a kill may fall between the commitments of the bots and their reveals
    assert {fact["fixture"] for fact in voided} == stopped(run)
    assert len(run.facts("fixture_settled")) == len(run.settled()) == FIXTURES
    assert len(run.facts("fixture_issued")) == FIXTURES + len(voided)
    for name, record in kept.items():
        assert (
            (run.folder / "matches" / name)
            .read_bytes()
            .startswith(record[: record.rfind(b"\n") + 1])
        )
    assert sum(len(run.match(fixture, "match_resumed")) for fixture in run.settled()) in (1, 2, 3)
    assert all(fact["violations"] == [0, 0] for fact in run.facts("fixture_settled"))
    assert f"{FIXTURES} of {FIXTURES} matches" in result.stdout
    runs.assert_verified(run.folder)


def test_ctrl_c_ends_with_130_leaves_no_program_behind_and_says_how_to_go_on(
    run: runs.Run, tmp_path: Path
) -> None:
    mark = str(tmp_path)
    bots = {"anna": runs.honest("--think-ms", 20), "bo": runs.rogue("stays", mark, at_turn=1)}
    plan = runs.write_plan(tmp_path, bots)

    def is_played() -> bool:
        return turns_under_way(run) >= 2 and len(pids_marked(mark)) >= 2

    assert_told_how_to_go_on(
        run, runs.stop(is_played, signal.SIGINT, "run", plan, "--out", run.folder)
    )
    assert pids_marked(mark) == []


def test_the_first_signal_lets_the_turn_in_play_be_answered_and_no_other_is_put(
    run: runs.Run, tmp_path: Path
) -> None:
    plan = runs.write_plan(
        tmp_path, {name: runs.honest("--think-ms", 600) for name in ("anna", "bo")}
    )
    before: list[int] = []

    def is_played() -> bool:
        before[:] = [turns_under_way(run)]
        return before[0] >= 1

    stopped = runs.stop(is_played, signal.SIGTERM, "run", plan, "--out", run.folder)
    assert "the turn in play is answered" in stopped.stderr
    [fixture] = [fact["fixture"] for fact in run.facts("fixture_issued")]
    assert run.match(fixture)[-1]["event"] == "turn_played"
    assert len(run.match(fixture, "turn_played")) in (before[0] + 1, before[0] + 2)
    assert_told_how_to_go_on(run, stopped)


@pytest.mark.slow
def test_the_second_signal_ends_the_run_at_once(run: runs.Run, tmp_path: Path) -> None:
    bots = {name: runs.honest("--think-ms", 600_000) for name in ("anna", "bo")}
    plan = runs.write_plan(tmp_path, bots, clock={"delay_ms": 60_000})
    with runs.start_arena("run", plan, "--out", run.folder) as process:
        await_true(
            lambda: any(
                run.match(fact["fixture"], "game_started") for fact in run.facts("fixture_issued")
            )
        )
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        await_true(lambda: "Ctrl-C again" in process.stderr.readline())
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(
            timeout=40
        )  # far less than the clocks of the turns in play
    assert_told_how_to_go_on(run, subprocess.CompletedProcess([], process.returncode, "", messages))


@pytest.mark.slow
def test_a_disk_that_is_full_stops_the_run_which_goes_on_when_there_is_room(
    run: runs.Run, tmp_path: Path
) -> None:
    plan = runs.write_plan(tmp_path, {name: runs.honest() for name in FIELD})
    limited = (
        f"ulimit -f 16; exec {sys.executable} -m arena run {plan} --out {run.folder}"  # in KiB
    )
    stopped = subprocess.run(
        ["bash", "-c", limited],
        cwd=runs.REPOSITORY,
        env=runs.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert stopped.returncode == 1, stopped.stderr
    assert "File too large" in stopped.stderr
    assert f"go on with: arena run {run.folder}" in stopped.stderr
    assert "Traceback" not in stopped.stderr

    result = runs.arena("run", run.folder)

    assert result.returncode == 0, result.stderr
    assert len(run.settled()) == FIXTURES
    assert {cause for games in run.forfeits("anna").values() for _, cause in games} == {None}
    runs.assert_verified(run.folder)


def stop_children(arena: subprocess.Popen[str], part: str) -> None:
    """Stop all processes that an arena has started and whose command line has a part."""
    children = children_of(arena.pid, part)
    assert children
    for child in children:
        os.kill(child, signal.SIGSTOP)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "options"),
    [("fork_server", ()), ("spawn_main", ("--workers", 1))],
    ids=["fork server", "worker"],
)
def test_a_signal_ends_an_arena_of_which_a_process_stands_still(
    word: str, options: tuple[object, ...], run: runs.Run, tmp_path: Path
) -> None:
    plan = plan_of_slow_bots(tmp_path)
    with runs.start_arena("run", plan, "--out", run.folder, *options) as process:
        await_true(lambda: turns_under_way(run) >= 3)
        stop_children(process, word)
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=runs.TIMEOUT_SECONDS)
    assert_told_how_to_go_on(run, subprocess.CompletedProcess((), process.returncode, "", stderr))


@pytest.mark.slow
def test_a_fork_server_that_stands_still_costs_nobody_a_game(run: runs.Run, tmp_path: Path) -> None:
    with runs.start_arena("run", plan_of_slow_bots(tmp_path), "--out", run.folder) as process:
        await_true(lambda: turns_under_way(run) >= 3)
        stop_children(process, "fork_server")
        process.communicate(timeout=runs.TIMEOUT_SECONDS)
    assert process.returncode == 0
    assert len(run.settled()) == FIXTURES
    assert all(
        cause is None
        for name in FIELD
        for games in run.forfeits(name).values()
        for _, cause in games
    )
    runs.assert_verified(run.folder)

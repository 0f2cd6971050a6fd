"""Runs with workers, here or on a Dask cluster: the records are those of one process, even if some are killed."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.sameness import assert_same, begin_like
from tests.fixtures import arena_runs as runs
from tests.processes import await_true, children_of, is_running

pytestmark = pytest.mark.slow
patiently = partial(await_true, seconds=90)
"""Processes and workers start slowly on a busy machine."""
FIELD = ("anna", "bo", "cia", "dan")
PATIENT = {"startup_ms": 60_000}
"""So that a busy machine, on which several matches are played at once, costs no bot a game."""
PAIRS_IN_DRAWN_ROUNDS = {
    "format": "swiss-monrad-1",
    "rounds": 2,
    "pairs": 1,
    "games": None,
    "at_once": 2,
}
KNOCKOUT = {"format": "knockout-1"}


def plan_of(folder: Path, **section: Any) -> Path:
    bots = {name: runs.predictable(number) for number, name in enumerate(FIELD)}
    return runs.write_plan(
        folder, bots, tournament=section, limits=PATIENT, clock={"delay_ms": 60_000}
    )


def played_alone(tmp_path: Path, plan: Path) -> runs.Run:
    """The same tournament, played by one process that nobody disturbs."""
    run = runs.Run(tmp_path / "alone")
    result = runs.arena("run", plan, "--out", run.folder)
    assert result.returncode == 0, result.stderr
    return run


def workers_of(pid: int) -> list[int]:
    """The processes that play for an arena or for a Dask cluster, which starts another in place of one that dies."""
    return [worker for worker in children_of(pid, "spawn_main") if is_running(worker)]


@contextmanager
def started(*arguments: object, **more: str) -> Iterator[subprocess.Popen[str]]:
    """An arena that does not outlive the test."""
    process = runs.start_arena(*arguments, **more)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=120)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> runs.Run:
    """A round robin of twelve matches, played by one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    return played_alone(folder, plan_of(folder, cycles=2))


@pytest.mark.parametrize(
    "section", [PAIRS_IN_DRAWN_ROUNDS, pytest.param(KNOCKOUT, marks=pytest.mark.soak)]
)
def test_formats_and_pairs_are_the_same_with_workers(
    tmp_path: Path, section: dict[str, Any]
) -> None:
    plan = plan_of(tmp_path, **section)
    alone = played_alone(tmp_path, plan)
    run = begin_like(alone, tmp_path / "run")
    result = runs.arena_process("run", run.folder, "--workers", 2)
    assert result.returncode == 0, result.stderr
    assert_same(run, alone, in_any_order=True)


def test_killed_workers_lose_nothing_recorded(tmp_path: Path, undisturbed: runs.Run) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    chance = random.Random(8)
    killed = 0
    with started("run", run.folder, "--workers", 2) as process:
        while killed < 6 and process.poll() is None:
            time.sleep(chance.random() * 1.5)
            if workers := workers_of(process.pid):
                os.kill(chance.choice(workers), signal.SIGKILL)
                killed += 1
        _, messages = process.communicate(timeout=100)
        assert process.returncode == 0, messages
    assert killed >= 3
    assert (
        "a worker was lost (its process died); another one takes over its unfinished matches"
        in messages
    )
    assert_same(run, undisturbed, stops=killed, in_any_order=True)


@pytest.mark.soak
def test_an_arena_that_is_killed_takes_its_workers_and_bots_with_it_and_goes_on_later(
    tmp_path: Path, undisturbed: runs.Run
) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    pids = tmp_path / "pids"
    pids.mkdir()
    for options in (["--workers", 2], ["--workers", 3], []):
        settled = len(run.settled())
        with started("run", run.folder, *options, HOME=str(pids)) as process:
            # what was complete is settled at once when a run goes on, before there are workers
            patiently(lambda settled=settled: len(run.settled()) > settled)
            patiently(lambda options=options, pid=process.pid: not options or workers_of(pid))
            workers = workers_of(process.pid)
            process.kill()
            process.wait(timeout=120)
        left = [*workers, *runs.pids_left(pids)]
        patiently(lambda left=left: not any(map(is_running, left)))
    result = runs.arena_process("run", run.folder, "--workers", 2)
    assert result.returncode == 0, result.stderr
    assert_same(run, undisturbed, stops=8, in_any_order=True)


def test_the_first_signal_lets_workers_finish_the_turns_in_play(tmp_path: Path) -> None:
    plan = runs.write_plan(
        tmp_path,
        {name: runs.honest("--think-ms", 300) for name in FIELD},
        limits=PATIENT,
        clock={"delay_ms": 60_000},
    )
    run = runs.Run(tmp_path / "run")
    with started("run", plan, "--out", run.folder, "--workers", 2) as process:
        patiently(  # one that has not begun yet is void, and its record closed
            lambda: (
                sum(
                    bool(run.match(f["fixture"], "turn_played"))
                    for f in run.facts("fixture_issued")
                )
                >= 2
            )
        )
        for pid in (process.pid, *workers_of(process.pid)):
            os.kill(pid, signal.SIGHUP)  # as when their terminal is closed
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 130, messages
    assert "2 turns in play are answered" in messages
    assert messages.splitlines()[-1] == f"stopped; go on with: arena run {run.folder}"
    assert "Traceback" not in messages
    last = [run.match(fact["fixture"])[-1]["event"] for fact in run.facts("fixture_issued")]
    assert last.count("turn_played") == 2, "of the two in play; on a busy machine others are over"
    assert set(last) <= {"turn_played", "record_closed"}


# On a Dask cluster of this machine


@contextmanager
def a_cluster() -> Iterator[tuple[str, int]]:
    """Where a scheduler answers that has two workers of one thread each, and the process whose children they are."""
    pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
    line = [sys.executable, str(Path(__file__).parent / "local_cluster.py"), "2"]
    with subprocess.Popen(
        line,
        cwd=runs.REPOSITORY,
        env=runs.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process.pid
        process.stdin.close()
        process.wait(timeout=120)


@pytest.fixture(scope="module")
def cluster() -> Iterator[tuple[str, int]]:
    with a_cluster() as made:
        yield made


def test_a_cluster_records_what_one_process_records(
    tmp_path: Path, cluster: tuple[str, int], undisturbed: runs.Run
) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    result = runs.arena_process("run", run.folder, "--dask", cluster[0])
    assert result.returncode == 0, result.stderr
    assert_same(run, undisturbed, in_any_order=True)
    printed = {path.name for path in (undisturbed.folder / "bots").iterdir()}
    assert {path.name for path in (run.folder / "bots").iterdir()} == printed


@pytest.mark.soak
def test_killed_workers_of_a_cluster_lose_nothing_recorded(
    tmp_path: Path, cluster: tuple[str, int], undisturbed: runs.Run
) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    chance = random.Random(3)
    with started("run", run.folder, "--dask", cluster[0]) as process:
        patiently(lambda: bool(run.facts("fixture_issued")))
        for _ in range(2):
            time.sleep(0.5 + chance.random())
            patiently(lambda: len(workers_of(cluster[1])) == 2)
            os.kill(chance.choice(workers_of(cluster[1])), signal.SIGKILL)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 0, messages
    assert_same(run, undisturbed, in_any_order=True)


@pytest.mark.soak
def test_a_stopped_run_takes_in_the_records_of_the_cluster(
    tmp_path: Path, cluster: tuple[str, int], undisturbed: runs.Run
) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    stopped = runs.stop(run.settled, signal.SIGINT, "run", run.folder, "--dask", cluster[0])
    assert stopped.returncode == 130, stopped.stderr
    assert "Traceback" not in stopped.stderr
    result = runs.arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    # Both workers may just have been given a chunk of two, of which no dice are settled: all four
    # are played again.
    assert_same(run, undisturbed, stops=4, in_any_order=True)


@pytest.mark.soak
def test_a_scheduler_that_is_gone_for_good_ends_the_run_with_a_sentence(
    tmp_path: Path, undisturbed: runs.Run
) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    with a_cluster() as (address, pid), started("run", run.folder, "--dask", address) as process:
        patiently(run.settled)
        os.kill(pid, signal.SIGKILL)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 1, messages
    assert f"the Dask scheduler at {address} is gone" in messages
    assert "Traceback" not in messages
    result = runs.arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    assert_same(run, undisturbed, stops=4, in_any_order=True)
    assert {fact["attempt"] for fact in run.facts("fixture_issued")} <= {1, 2}


def test_an_address_that_does_not_answer_is_refused_before_anything_starts(tmp_path: Path) -> None:
    plan = runs.write_plan(tmp_path, {name: runs.predictable() for name in FIELD})
    result = runs.arena_process(
        "run", plan, "--out", tmp_path / "run", "--dask", "tcp://127.0.0.1:1"
    )
    assert result.returncode == 2
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:1'" in result.stderr
    assert "start one with `dask scheduler`" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "run").exists()

"""Runs on a Dask cluster of this machine: the records are those of one process, even if workers die."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.end_to_end import runs
from tests.end_to_end.sameness import assert_same_matches, begin_like

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytestmark = pytest.mark.slow

patiently = partial(runs.await_true, seconds=90)
"""Processes and workers start slowly on a busy machine."""
FIELD = ("anna", "bo", "cia", "dan")
WORKERS = 2


@dataclass(frozen=True)
class Cluster:
    address: str
    pid: int

    def workers(self) -> list[int]:
        """The processes that play; Dask starts another in place of one that dies."""
        found = []
        for path in Path("/proc").glob("[0-9]*/status"):
            try:
                lines = dict(line.split(":", 1) for line in path.read_text().splitlines() if ":" in line)
                words = path.with_name("cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(lines["PPid"]) == self.pid and b"spawn_main" in words:
                found.append(int(path.parent.name))
        return found


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A scheduler and two workers of one thread each."""
    line = [sys.executable, str(Path(__file__).parent / "local_cluster.py"), str(WORKERS)]
    with subprocess.Popen(
        line, cwd=runs.REPOSITORY, env=runs.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Cluster(address=process.stdout.readline().strip(), pid=process.pid)
        process.stdin.close()
        process.wait(timeout=120)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> runs.Run:
    """A round robin of six matches, played by one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    bots = {name: runs.predictable(number) for number, name in enumerate(FIELD)}
    return runs.play(folder, bots, clock={"delay_ms": 60_000})


def test_a_cluster_records_what_one_process_records(tmp_path: Path, cluster: Cluster, undisturbed: runs.Run) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    result = runs.arena_process("run", run.folder, "--dask", cluster.address)
    assert result.returncode == 0, result.stderr
    assert_same_matches(run, undisturbed)
    printed = {path.name for path in (undisturbed.folder / "bots").iterdir()}
    assert {path.name for path in (run.folder / "bots").iterdir()} == printed


def test_killed_workers_of_a_cluster_lose_nothing_recorded(
    tmp_path: Path, cluster: Cluster, undisturbed: runs.Run
) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    chance = random.Random(3)
    with runs.start_arena("run", run.folder, "--dask", cluster.address) as process:
        patiently(lambda: bool(run.facts("fixture_issued")))
        for _ in range(2):
            time.sleep(0.5 + chance.random())
            patiently(lambda: len(cluster.workers()) == WORKERS)
            os.kill(chance.choice(cluster.workers()), signal.SIGKILL)
        _, messages = process.communicate(timeout=120)
    assert process.returncode == 0, messages
    assert_same_matches(run, undisturbed)


def test_a_stopped_run_takes_in_the_records_of_the_cluster(
    tmp_path: Path, cluster: Cluster, undisturbed: runs.Run
) -> None:
    run = begin_like(undisturbed, tmp_path / "run")
    stopped = runs.stop(run.settled, signal.SIGINT, "run", run.folder, "--dask", cluster.address)
    assert stopped.returncode == 130, stopped.stderr
    assert "Traceback" not in stopped.stderr
    result = runs.arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    assert_same_matches(run, undisturbed)


def test_an_address_that_does_not_answer_is_refused_before_anything_starts(tmp_path: Path) -> None:
    plan = runs.write_plan(tmp_path, {name: runs.predictable() for name in FIELD})
    result = runs.arena_process("run", plan, "--out", tmp_path / "run", "--dask", "tcp://127.0.0.1:1")
    assert result.returncode == 2
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:1'" in result.stderr
    assert "start one with `dask scheduler`" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "run").exists()

"""An arena that is killed at any moment: in the end the records are those of an undisturbed run."""

from __future__ import annotations

import json
import random
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.runs import (
    REPOSITORY,
    Run,
    address_told_by,
    arena,
    assert_verified,
    await_true,
    environment,
    honest,
    predictable,
    start_arena,
    write_plan,
)
from tests.end_to_end.sameness import assert_same, begin_like


def lines_written(run: Run) -> int:
    """How many lines there are in all match records."""
    return sum(path.read_bytes().count(b"\n") for path in (run.folder / "matches").iterdir())


def live_once(run: Run, chance: random.Random, number: signal.Signals = signal.SIGKILL) -> bool:
    """Start the arena and kill it at a random moment; returns whether it was still running."""
    process = start_arena("run", run.folder)
    with process:
        before, more = lines_written(run), chance.choice([0, 1, 2, 5, 20, 60])
        end = time.monotonic() + 30
        while process.poll() is None and lines_written(run) < before + more and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(chance.random() * chance.choice([0.01, 0.3]))
        process.send_signal(number)
        process.communicate(timeout=120)
    return process.returncode != 0


def play_with_kills(tmp_path: Path, kills: int, **section: Any) -> None:
    """A tournament of bots that do the same in the same position, once in peace, and once killed so many times."""
    bots = {name: predictable(number) for number, name in enumerate(("anna", "bo", "cia"))}
    tournament = {"at_once": 1, "cycles": 2 + kills // 8} | section
    plan = write_plan(tmp_path, bots, tournament=tournament, limits={"check_bots": "off"})
    undisturbed, killed = Run(tmp_path / "undisturbed"), Run(tmp_path / "run")
    assert arena("run", plan, "--out", undisturbed.folder).returncode == 0
    begin_like(undisturbed, killed.folder)
    chance = random.Random(kills)
    done = sum(live_once(killed, chance) for _ in range(kills))
    assert done == kills, f"the run was over after {done} kills"
    finished = arena("run", killed.folder)
    assert finished.returncode == 0, finished.stderr
    assert_same(killed, undisturbed, stops=kills // 2)


@pytest.mark.soak
def test_killed_twenty_five_times_a_run_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    """At random moments: before a line, in the middle of a game, between two matches, while bots start.

    No game is lost or played twice, the dice are the same, and so are turns, results and table.
    """
    play_with_kills(tmp_path, 25)


@pytest.mark.slow
@pytest.mark.parametrize("section", [{"pairs": 2, "games": None}, {"options": ["one_die"], "ruleset": "classic"}])
def test_pairs_and_calls_survive_as_well(tmp_path: Path, section: dict[str, Any]) -> None:
    play_with_kills(tmp_path, 5, **section)


def free_port() -> int:
    """A free port that the system gives only to programs that ask for it by number."""
    while True:
        port = random.randrange(20_000, 30_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def test_a_remote_bot_that_kept_running_comes_back_to_the_next_arena_and_plays_on(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    bots = {"anna": predictable(5), "bo": None}
    listen = {"address": f"tcp:127.0.0.1:{free_port()}"}
    plan = write_plan(tmp_path, bots, listen=listen, limits={"grace_ms": 60_000})
    first = start_arena("run", plan, "--out", run.folder)
    address = address_told_by(first)
    token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["bo"]
    line = [*honest(), "--address", address, "--name", "bo", "--token", token]
    with first, subprocess.Popen(line, cwd=REPOSITORY, env=environment(), stderr=subprocess.PIPE) as remote:
        await_true(lambda: lines_written(run) > 20 or remote.poll() is not None)
        assert remote.poll() is None, remote.communicate()
        first.kill()
        first.communicate(timeout=120)
        result = arena("run", run.folder)
        assert result.returncode == 0, result.stderr
        remote.communicate(timeout=120)
        assert remote.returncode == 0
    [games] = run.forfeits("bo").values()
    assert {cause for _, cause in games} == {None}
    [fixture] = run.settled()
    assert len(run.match(fixture, "match_resumed")) == len(run.match(fixture, "match_opened")) == 1
    assert run.match(fixture, "bot_left") == []
    assert_verified(run.folder)

"""A venue as three processes: what happens to the others when one of them ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arena.records.facts import FixtureSettled
from arena.records.lines import read_tournament, whole_lines
from arena.records.verify import verify_run
from arena.server.setup.run_folder import RunFiles
from arena.services import serving
from tests.processes import await_true, is_running
from tests.services.served import NOTHING, PATIENCE_S, REPOSITORY, Served, served

ROBINS = "tests.services.round_robins"
SLOW = "tests.services.slow_robins"
REFUSED = "tests.services.refused_referee"


def names_of(venue: Served) -> list[str]:
    return [event["event"] for event in venue.events()]


def settled(folder: Path) -> list[str]:
    """The fixtures that were settled, of all runs."""
    fixtures: list[str] = []
    for record in sorted(folder.glob("runs/*/tournament.jsonl")):
        for _, fact in read_tournament(record.name, whole_lines(record.read_bytes())):
            if isinstance(fact, FixtureSettled):
                fixtures.append(fact.fixture)
    return fixtures


def verify_runs(folder: Path) -> None:
    for record in folder.glob("runs/*/tournament.jsonl"):
        verify_run(RunFiles(record.parent))


@pytest.mark.slow
def test_a_child_that_is_killed_is_started_again_and_the_operator_is_told(tmp_path: Path) -> None:
    with served(tmp_path / "venue") as venue:
        venue.await_open()
        venue.await_healthy()
        assert venue.parent.stdout is not None
        venue.parent.stdout.close()  # the operator's terminal is gone
        pages = venue.pages()
        os.kill(pages, signal.SIGKILL)
        assert venue.ask("/api/runs")[0] == 200  # its socket is there though nobody serves
        assert venue.pages() != pages
        venue.await_healthy()
        referee = venue.referee()
        os.kill(referee, signal.SIGSTOP)  # killed, it may be back before it is missed
        await_true(lambda: venue.ask("/healthz") == (503, "referee"), seconds=PATIENCE_S)
        assert venue.ask("/readyz") == (503, "referee")
        assert "brade_arena_up 0.0" in venue.ask("/metrics")[1]
        assert venue.ask("/")[0] == 200
        os.kill(referee, signal.SIGKILL)
        venue.await_healthy()
        assert venue.referee() != referee
        assert [(event["event"], event["reason"]) for event in venue.events()] == [
            ("venue_pages_ended", ["program.signal", {"name": "SIGKILL"}]),
            ("referee_ended", ["program.signal", {"name": "SIGKILL"}]),
        ]
        seconds = venue.end()
    assert venue.parent.returncode == 0
    assert seconds < 20


@pytest.mark.slow
def test_nothing_outlives_a_parent_that_is_killed_and_the_venue_is_served_again(
    tmp_path: Path,
) -> None:
    with served(tmp_path / "venue", ROBINS) as venue:
        venue.await_open()
        await_true(lambda: settled(venue.folder), seconds=PATIENCE_S)
        venue.referee()
        venue.end(signal.SIGKILL)
    with served(tmp_path / "venue", NOTHING) as venue:
        venue.await_open()
        venue.end()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_first_signal_ends_a_venue_in_good_order(tmp_path: Path, number: int) -> None:
    with served(tmp_path / "venue", ROBINS) as venue:
        venue.await_open()
        await_true(lambda: settled(venue.folder), seconds=PATIENCE_S)
        venue.referee()
        venue.pages()
        seconds = venue.end(number)
    assert (venue.parent.returncode, seconds < 20) == (0, True)
    assert not {"referee_ended", "venue_pages_ended", "arena_failed"} & set(names_of(venue))
    verify_runs(tmp_path / "venue")


@pytest.mark.slow
def test_a_second_signal_does_not_wait_for_turns_in_play(tmp_path: Path) -> None:
    with served(tmp_path / "venue", SLOW) as venue:
        venue.await_open()
        await_true(
            lambda: any(
                b'"event":"game_started"' in record.read_bytes()
                for record in venue.folder.glob("runs/*/matches/*.jsonl")
            ),
            seconds=PATIENCE_S,
        )
        venue.referee()
        os.kill(venue.parent.pid, signal.SIGTERM)
        time.sleep(1)
        assert is_running(venue.referee())  # it waits for an answer
        assert venue.end() < serving.FINISH_SECONDS
    assert venue.parent.returncode == 0


@pytest.mark.slow
def test_a_venue_is_served_once_at_a_time(tmp_path: Path) -> None:
    with served(tmp_path / "venue") as venue:
        venue.await_open()
        second = arena("serve", str(tmp_path / "venue"), "--no-open")
        assert second.returncode == 2
        assert second.stderr == (
            f"Error: {tmp_path / 'venue'} is served already, by process {venue.parent.pid}; "
            "end that one first, or give another folder\n"
        )
        venue.await_healthy()
        venue.end()


def test_what_is_no_venue_is_not_served(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    refused = arena("--language", "sv", "serve", str(tmp_path), "--no-open")
    assert refused.returncode == 2
    assert f"{tmp_path} är inte mappen för en öppen arena: där finns thesis.txt" in refused.stderr
    refused = arena("serve", str(tmp_path / "thesis.txt"), "--no-open")
    assert "is a file" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def arena(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "arena", *words]
    return subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=PATIENCE_S, cwd=REPOSITORY
    )


@pytest.mark.slow
def test_a_referee_that_cannot_begin_ends_the_command_with_its_reason(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.services.served", str(tmp_path / "venue"), REFUSED]
    refused = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=PATIENCE_S, cwd=REPOSITORY
    )
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == "venue.toml: it is nonsense"


@pytest.mark.slow
def test_the_operator_gets_the_address_and_the_service_manager_hears_of_it(tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "n"))
        manager.settimeout(PATIENCE_S)
        os.environ["NOTIFY_SOCKET"] = str(tmp_path / "n")
        try:
            venue_context = served(tmp_path / "venue", ROBINS)
            venue = venue_context.__enter__()
        finally:
            del os.environ["NOTIFY_SOCKET"]
        try:
            venue.await_open()
            assert venue.opened[1:] == ["unix:/nowhere", "a-secret"]
            heard: set[bytes] = set()
            while not {b"READY=1", b"WATCHDOG=1"} <= heard:
                heard.add(manager.recv(100))
            venue.end()
            while b"STOPPING=1" not in heard:
                heard.add(manager.recv(100))
        finally:
            venue_context.__exit__(None, None, None)
    assert "a-secret" not in str(venue.events())


def test_pauses_grow_up_to_half_a_minute_and_begin_anew_after_a_steady_time(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: Any
) -> None:
    """A process that ends at once does not take the machine."""
    import trio

    now = [0.0]
    lives = iter([0.0] * 10 + [11.0, 0.0])
    pauses: list[float] = []
    monkeypatch.setattr(serving.time, "monotonic", lambda: now[0])

    async def run(child: Any) -> str:
        life = next(lives, None)
        if life is None:
            child._keeping.cancel()
            return ""
        now[0] += life
        return "how"

    monkeypatch.setattr(serving._Child, "_run", run)
    child = serving._Child([], [], lambda **facts: pauses.append(facts["pause_s"]))
    trio.run(child.keep, clock=autojump_clock)
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0, 0.1, 0.2]


@pytest.mark.slow
def test_a_pulse_goes_from_the_referee_to_the_pages(tmp_path: Path) -> None:
    with served(tmp_path / "venue", ROBINS) as venue:
        venue.await_open()

        def figures() -> dict[str, float]:
            lines = venue.ask("/metrics")[1].splitlines()
            rows = [line.split() for line in lines if not line.startswith("#")]
            return {name.removeprefix("brade_arena_"): float(figure) for name, figure in rows}

        await_true(lambda: figures().get("matches_finished_total", 0) >= 1, seconds=PATIENCE_S)
        assert (figures()["seats"], figures()["up"]) == (2.0, 1.0)
        text = venue.ask("/metrics")[1]
        assert "a-secret" not in text
        assert json.dumps(str(tmp_path))[1:-1] not in text
        venue.end()

"""One language per output: runs that are played in Swedish, well, badly and with interruptions, say no English word."""

import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures import arena_runs as runs
from tests.fixtures.language_mixes import strangers
from tests.fixtures.typing_person import Typing

SWEDISH = ("--language", "sv")
CHECKED = {"check_bots": "require", "startup_ms": 2500, "violations": 2}
WAYS: dict[str, tuple[str, ...]] = {
    "refused": (),
    "anyway": ("--anyway",),
    "dry": ("--dry-run",),
    "workers": ("--workers", "2", "--anyway"),
    "json": ("--json", "--anyway"),
}


def bots_of(folder: Path) -> dict[str, Any]:
    """One honest bot, and one for each of the commonest faults."""
    return {
        "anna": runs.honest(),
        "ends": ["true"],
        "missing": [sys.executable, "none.py"],
        "illegal": runs.scripted(folder / "illegal.py", "return []"),
        "crash": runs.rogue("crash"),
        "slow": runs.scripted(folder / "slow.py", "import time; time.sleep(100)"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_run_of_good_and_bad_bots(tmp_path: Path, way: str) -> None:
    clock = {"delay_ms": 0, "bank_ms": 300, "increment_ms": 50}
    plan = runs.write_plan(tmp_path, bots_of(tmp_path), limits=CHECKED, clock=clock)
    arena = (
        runs.arena_process if way == "workers" else runs.arena
    )  # workers leave pipes of Python open
    result = arena(*SWEDISH, "run", plan, "--out", tmp_path / "run", *WAYS[way])
    assert result.stderr or way == "dry"
    assert strangers(result.stderr, "sv") == []
    if way == "json":
        return  # standard output is for programs
    assert strangers(result.stdout, "sv") == []
    if (tmp_path / "run").is_dir():
        for command in ("standings", "show", "report", "run"):
            again = runs.arena(*SWEDISH, command, tmp_path / "run")
            assert strangers(f"{again.stdout}\n{again.stderr}", "sv") == [], command
        for record in (tmp_path / "run" / "matches").glob("*.jsonl"):
            assert strangers(runs.arena(*SWEDISH, "show", record).stdout, "sv") == [], record.name


@pytest.mark.slow
def test_a_run_that_is_interrupted_and_one_that_nobody_comes_to(tmp_path: Path) -> None:
    plan = runs.write_plan(
        tmp_path, {name: runs.honest("--think-ms", 20) for name in ("anna", "bo")}
    )
    run = runs.Run(tmp_path / "run")

    def is_played() -> bool:
        return bool(run.facts("fixture_issued"))

    stopped = runs.stop(is_played, signal.SIGINT, *SWEDISH, "run", plan, "--out", run.folder)
    assert "stoppad; fortsätt med: arena run" in stopped.stderr
    resumed = runs.arena(*SWEDISH, "run", run.folder)
    away = {"join_ms": 100, "startup_ms": 100, "violations": 1}
    remote = runs.write_plan(
        tmp_path, {"anna": None, "bo": None}, limits=away, listen={"address": "tcp:127.0.0.1:0"}
    )
    nobody = runs.arena(*SWEDISH, "run", remote, "--out", tmp_path / "remote")
    assert nobody.returncode == 1
    for result in (stopped, resumed, nobody):
        assert strangers(f"{result.stdout}\n{result.stderr}", "sv") == []


@pytest.mark.slow
def test_a_run_on_a_terminal(tmp_path: Path) -> None:
    plan = runs.write_plan(
        tmp_path,
        {name: runs.honest() for name in ("anna", "bo", "cia")},
        limits={"check_bots": "require"},
    )
    shown = runs.on_a_terminal(*SWEDISH, "run", plan, "--out", tmp_path / "run")
    assert "matcher" in shown
    assert strangers(shown, "sv") == []


@pytest.mark.slow
def test_a_match_by_hand_that_is_interrupted(tmp_path: Path) -> None:
    match = Typing(tmp_path, "random", "--out", "run", language="sv")
    match.until("du kastar ")
    match.process.send_signal(signal.SIGINT)
    match.until()
    assert match.process.wait(90) == 130
    assert match.process.stderr is not None
    told = match.said + match.process.stderr.read().decode()
    match.close()
    assert "avbruten; fortsätt med: arena play" in told
    assert strangers(told, "sv") == []


@pytest.mark.slow
def test_a_match_by_hand_on_a_terminal(tmp_path: Path) -> None:
    match = Typing(tmp_path, "random", "--out", "run", language="sv")
    match.until("du kastar ")
    asked = ": "
    for line in (
        "hjälp",
        "?",
        "tips",
        "24/1",
        "",
        "remi",
        "anta",
        "bräde",
        "stå över",
        "1/7/2 x",
        "undo",
        "ge upp",
    ):
        match.until(asked)
        match.type(line)
    match.until("ja ger upp: ")
    match.type("ja")
    match.until()
    assert match.process.wait(90) == 0
    assert match.process.stderr is not None
    told = match.said + match.process.stderr.read().decode()
    match.close()
    assert "du har gett upp" in told
    assert "du får inte stå över här" in told
    assert strangers(told, "sv") == []

"""The parts of the arena that the benchmarks replace or call still exist; CI runs no benchmark."""

import importlib
import pstats
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.fixtures.arena_runs import REPOSITORY, TIMEOUT_SECONDS, honest, write_plan

BENCHMARKS = REPOSITORY / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a benchmark by its name."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module


def play(folder: Path, program: str, *arguments: object) -> None:
    """One match of an arena that a benchmark starts by a program of its own."""
    plan = write_plan(folder, {"anna": honest(), "bo": honest()})
    command = [*map(str, arguments), "run", "--quiet", str(plan), "--out", str(folder / "run")]
    subprocess.run(
        [sys.executable, "-c", program, *command],
        cwd=REPOSITORY,
        check=True,
        timeout=TIMEOUT_SECONDS,
    )


def test_an_arena_without_records_keeps_the_times_of_all_turns(
    tmp_path: Path, benchmark: Callable[[str], ModuleType]
) -> None:
    """Otherwise the rows "no log" of many_games.py would be those of an arena with records."""
    many_games = benchmark("many_games")
    play(tmp_path, many_games.ARENA, tmp_path / "times", "no log")
    [times] = many_games.kept_times(tmp_path / "times")
    assert len(times) > 10
    assert not any(
        b"turn_played" in record.read_bytes() for record in (tmp_path / "run" / "matches").iterdir()
    )


def test_a_profile_is_of_the_whole_tournament(
    tmp_path: Path, benchmark: Callable[[str], ModuleType]
) -> None:
    referee = benchmark("referee")
    play(tmp_path, referee.PROFILED, tmp_path / "profile")
    functions = {function for _, _, function in pstats.Stats(str(tmp_path / "profile")).stats}  # type: ignore[attr-defined]
    assert {"judge", "commit"} <= functions


@pytest.mark.parametrize("what", [[], ["--floor"]])
def test_a_round_inside_the_arena_is_measured(what: list[str]) -> None:
    command = [sys.executable, BENCHMARKS / "turns.py", "--one-round", "--games", "2", *what]
    tenth, middle = map(
        float, subprocess.check_output(command, cwd=REPOSITORY, timeout=TIMEOUT_SECONDS).split()
    )
    assert 0 < tenth <= middle

"""The parts of the arena that the benchmarks replace or call still exist; CI runs no benchmark."""

import importlib
import pstats
import shutil
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


@pytest.mark.slow
def test_a_newcomer_plays_soon_in_a_venue_that_is_full(
    benchmark: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """It gets a match within two minutes; how soon on a machine at rest is for the benchmark."""
    venue = benchmark("venue")
    few = ["--residents", "8", "--newcomers", "2", "--think-ms", "5", "--turns", "20"]
    assert venue.main(["--only", "newcomers", *few]) in (0, 1)
    assert "first match of 2 newcomers to 8, longest" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="needs a C compiler")
def test_nothing_is_lost_in_a_crowd(
    benchmark: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every match that a bot has ended is on record, everybody plays, and the venue verifies."""
    venue = benchmark("venue")
    few = ["--bots", "60", "--seats", "16", "--seconds", "5", "--think-ms", "5", "--turns", "20"]
    assert venue.main(["--only", "crowd", *few]) in (0, 1)
    missed = [line for line in capsys.readouterr().out.splitlines() if line.endswith("missed")]
    assert [line for line in missed if not line.startswith("/healthz")] == []


def test_a_newcomer_of_a_simulated_ladder_is_known_soon(
    benchmark: Callable[[str], ModuleType],
) -> None:
    """Within the limit of benchmarks/pairing.py, by the mean of a few fixed seeds."""
    pairing = benchmark("pairing")
    newcomers = pairing.play_newcomers(100, [0.0], range(4))[0.0]
    assert 1 < sum(newcomers.units) / 4 / pairing.BOUND_UNITS <= 1.12

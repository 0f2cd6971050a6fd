"""`arena compare` with real programs: decided, given up, resumed, and refused for unfit bots."""

import json
import shlex
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from arena.server.io.operator_log import Show
from arena.server.programs import fork_server
from arena.server.run import comparison
from arena.server.venue import venue
from arena.server.venue.venue import Venue
from tests.fixtures.arena_runs import (
    REPOSITORY,
    Run,
    arena,
    arena_process,
    assert_verified,
    rogue,
    stop,
)

GREEDY = shlex.join([sys.executable, str(REPOSITORY / "sample_bots/greedy/bot.py")])
MINIMAL = shlex.join([sys.executable, str(REPOSITORY / "sample_bots/minimal/bot.py")])
WIDE = ("--elo0", "0", "--elo1", "800", "--pairs", "1", "--set", "bot.process=run")
"""Hypotheses that a few lopsided matches decide."""


@pytest.mark.slow
def test_a_clear_lead_is_accepted_and_a_clear_lag_is_not(tmp_path: Path) -> None:
    """With workers and in one process."""
    workers = ("--workers", "2", "--batch", "4")
    better = arena_process(
        "compare", GREEDY, MINIMAL, *WIDE, *workers, "--json", "--out", tmp_path / "better"
    )
    assert better.returncode == 0, better.stderr
    found = json.loads(better.stdout)
    assert (found["decision"], found["units"], found["stronger"]) == (
        "h1",
        4 * found["batches"],
        "new",
    )
    assert "can read one another" not in better.stderr
    assert found["llr"] >= found["bounds"][1]
    assert sum(found["halves"]) == found["units"]
    assert f"batch {found['batches']}: {found['units']} pairs, new won " in better.stderr
    for number in range(1, found["batches"] + 1):
        assert arena("verify", tmp_path / "better" / f"batch-{number:04}").returncode == 0
    worse = arena(
        "compare",
        MINIMAL,
        f"champion={GREEDY}",
        *WIDE,
        "--quiet",
        "--set",
        "limits.sandbox=off",
        "--out",
        tmp_path / "worse",
    )
    assert (worse.returncode, "batch" in worse.stderr) == (1, False)
    assert worse.stdout.startswith("champion is very likely stronger than new\n")
    assert "\nH0 accepted: the games are " in worse.stdout
    assert Run(tmp_path / "worse" / "batch-0001").facts("tournament_opened")[0]["entrants"] == [
        "new",
        "champion",
    ]


def test_all_batches_are_played_in_one_arena(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One loop, one door and one process that starts programs; the programs are started for each batch."""
    arenas, servers = [], []

    @asynccontextmanager
    async def open_venue(show: Show) -> AsyncIterator[Venue]:
        async with venue.open_venue(show) as opened:
            arenas.append(opened)
            yield opened
            servers.extend(server.process.pid for server in fork_server._servers)

    monkeypatch.setattr(comparison, "open_venue", open_venue)
    undecided = (
        "--elo0",
        "0",
        "--elo1",
        "1",
        "--pairs",
        "1",
        "--batch",
        "1",
        "--set",
        "bot.process=run",
    )
    played = arena(
        "compare", MINIMAL, MINIMAL, *undecided, "--most", "3", "--out", tmp_path / "compared"
    )
    assert "not decided after 3 batches" in played.stdout
    assert (len(arenas), len(servers)) == (1, 1)
    for number in range(1, 4):
        batch = Run(tmp_path / "compared" / f"batch-{number:04}")
        assert len(batch.facts("bots_contained")) == 1
        assert_verified(batch.folder)


@pytest.mark.slow
def test_a_comparison_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "compared"
    given_up = arena("compare", GREEDY, MINIMAL, *WIDE, "--most", "1", "--out", folder)
    assert given_up.returncode == 1
    assert "\nnot decided after 1 batch: " in given_up.stdout
    assert "go on with a greater --most\n" in given_up.stdout
    first = {path: path.read_bytes() for path in folder.rglob("*.jsonl")}
    other = arena("compare", GREEDY, MINIMAL, *WIDE, "--elo0", "50", "--out", folder)
    assert other.returncode == 2
    assert "in the run, 'compare: Elo 50 or 800" in other.stderr
    decided = arena("compare", GREEDY, MINIMAL, *WIDE, "--out", folder)
    assert decided.returncode == 0, decided.stderr
    assert "batch 1: 2 pairs" in decided.stderr
    assert "nothing was played" not in decided.stderr  # though the first batch was finished
    assert {path: path.read_bytes() for path in first} == first


@pytest.mark.slow
def test_a_comparison_that_is_stopped_in_the_middle_of_a_batch_goes_on_with_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "compared"
    given = (
        "compare",
        GREEDY,
        MINIMAL,
        "--elo1",
        "1",
        "--batch",
        "4",
        "--pairs",
        "1",
        "--out",
        folder,
    )
    second = Run(folder / "batch-0002")
    stopped = stop(second.settled, signal.SIGINT, *given)
    assert stopped.returncode == 130
    assert (
        stopped.stderr.splitlines()[-1]
        == f"stopped; go on with: arena compare, with the same options and --out {folder}"
    )
    before = second.settled()
    result = arena(*given, "--most", "2", "--json")
    assert (result.returncode, json.loads(result.stdout)["units"]) == (1, 8)
    assert {fixture: second.settled()[fixture] for fixture in before} == before
    for batch in (1, 2):
        assert_verified(folder / f"batch-{batch:04}")


def test_a_bot_that_forfeits_is_not_rated_but_named(tmp_path: Path) -> None:
    """Its forfeits would make any bot look strong."""
    result = arena(
        "compare",
        GREEDY,
        shlex.join(rogue("crash")),
        *WIDE,
        "--pairs",
        "4",
        "--out",
        tmp_path / "compared",
    )
    assert result.returncode == 1
    said = " ".join(result.stderr.split())
    assert "old was withdrawn in batch 1 after " in said
    assert "forfeits and lost connections; mend it first" in said
    assert "FORFEITS: disconnect: it hung up, 8 games by old" in said


@pytest.mark.slow
def test_forfeits_are_shown_beside_the_verdict(tmp_path: Path) -> None:
    result = arena(
        "compare",
        GREEDY,
        shlex.join(rogue("crash")),
        *WIDE,
        "--json",
        "--out",
        tmp_path / "compared",
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["forfeits"] == [0, 2 * found["units"]]
    assert f"FORFEITS: 0 by new, {found['forfeits'][1]} by old" in result.stderr


def test_a_bot_that_never_starts_is_not_beaten_but_named(tmp_path: Path) -> None:
    """No pair is counted; the same command says the same again, since the batch stays as it was."""
    given = (
        "compare",
        GREEDY,
        shlex.join(rogue("exits")),
        *WIDE,
        "--anyway",
        "--out",
        tmp_path / "compared",
    )
    for result in (arena(*given), arena(*given)):
        assert (result.returncode, result.stdout) == (1, "")
        said = " ".join(result.stderr.split())
        assert (
            "no match of batch 1 was played, since a bot did not come or both left; mend how it starts"
            in said
        )
        assert "start again with another --out; the batches are in" in said

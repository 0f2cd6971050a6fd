"""Runs that go on: in the end the records are those of an undisturbed run, and matches under way come first."""

import json
import random
import subprocess
import time
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.matches.events import BotArrived
from arena.matches.facts import Entrant, MatchFact
from arena.matches.match import advance, open_match
from arena.matches.state import SEATS, Match
from arena.records.dice import deal_from
from arena.server.io.clock import Clock, RunClock
from arena.server.run.tournament_log import TournamentLog
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from tests.end_to_end.sameness import assert_same, begin_like
from tests.fixtures import arena_runs as runs
from tests.processes import await_true, ended


def lines_written(run: runs.Run) -> int:
    """How many lines there are in all match records."""
    return sum(path.read_bytes().count(b"\n") for path in (run.folder / "matches").iterdir())


def live_once(run: runs.Run, chance: random.Random, *options: object) -> bool:
    """Start the arena and kill it at a random moment; returns whether it was still running."""
    process = runs.start_arena("run", run.folder, *options)
    with process:
        before, more = lines_written(run), chance.choice([0, 1, 2, 5, 20, 60])
        end = time.monotonic() + 30
        while (
            process.poll() is None and lines_written(run) < before + more and time.monotonic() < end
        ):
            time.sleep(0.002)
        time.sleep(chance.random() * chance.choice([0.01, 0.3]))
        process.kill()
        process.communicate(timeout=120)
    return process.returncode != 0


def play_with_kills(
    tmp_path: Path, kills: int, *options: object, entrants: int = 3, **section: Any
) -> None:
    """A tournament of bots that do the same in the same position, once in peace, and once killed so many times."""
    bots = {f"bot-{number}": runs.predictable(number % 3) for number in range(entrants)}
    plan = runs.write_plan(tmp_path, bots, tournament={"at_once": 1} | section)
    undisturbed, killed = runs.Run(tmp_path / "undisturbed"), runs.Run(tmp_path / "run")
    assert runs.arena("run", plan, "--out", undisturbed.folder).returncode == 0
    begin_like(undisturbed, killed.folder)
    chance = random.Random(kills)
    done = sum(live_once(killed, chance, *options) for _ in range(kills))
    assert done == kills, f"the run was over after {done} kills"
    finished = runs.arena_process("run", killed.folder, *options)
    assert finished.returncode == 0, finished.stderr
    assert_same(killed, undisturbed, stops=kills // 2, in_any_order=bool(options))


BRANDUBH = {"ruleset": "brandubh-1", "games": 7}
"""Without dice a new attempt is like the first, so all rounds that are drawn by results are drawn
alike."""


@pytest.mark.soak
@pytest.mark.parametrize(
    ("options", "section"),
    [
        pytest.param([], {"cycles": 5}, id="round-robin"),
        pytest.param(["--workers", 2], {"cycles": 8}, id="workers"),
        pytest.param([], {"cycles": 5, "pairs": 2, "games": None}, id="pairs"),
        pytest.param(
            ["--workers", 2], {"cycles": 8, "pairs": 2, "games": None}, id="pairs-by-workers"
        ),
        pytest.param(
            [], {"cycles": 5, "ruleset": "classic", "options": ["one_die"]}, id="calls-for-dice"
        ),
        pytest.param(
            [], {"cycles": 8, "format": "gauntlet-1", "challengers": ["bot-1"]}, id="gauntlet"
        ),
        pytest.param(
            [], BRANDUBH | {"format": "swiss-monrad-1", "rounds": 4, "entrants": 8}, id="swiss"
        ),
        pytest.param([], BRANDUBH | {"format": "knockout-1", "entrants": 16}, id="knock-out"),
    ],
)
def test_killed_twenty_five_times_a_run_ends_as_if_nothing_had_happened(
    tmp_path: Path, options: list[Any], section: dict[str, Any]
) -> None:
    """At random moments: before a line, in the middle of a game, between two matches, while bots start.

    No game is lost or played twice, the dice are the same, and so are turns, results and table.
    """
    play_with_kills(tmp_path, 25, *options, **section)


@pytest.mark.slow
def test_pairs_with_calls_survive_as_well(tmp_path: Path) -> None:
    play_with_kills(
        tmp_path, 5, cycles=2, pairs=2, games=None, ruleset="classic", options=["one_die"]
    )


@pytest.mark.slow
def test_a_remote_bot_that_kept_running_comes_back_to_the_next_arena_and_plays_on(
    tmp_path: Path,
) -> None:
    run = runs.Run(tmp_path / "run")
    bots = {"anna": runs.predictable(5), "bo": None}
    listen = {"address": f"tcp:127.0.0.1:{runs.free_port()}"}
    plan = runs.write_plan(tmp_path, bots, listen=listen, limits={"grace_ms": 60_000})
    first = runs.start_arena("run", plan, "--out", run.folder)
    address = runs.address_told_by(first)
    token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["bo"]
    line = [*runs.honest(), "--address", address, "--name", "bo", "--token", token]
    remote = subprocess.Popen(
        line, cwd=runs.REPOSITORY, env=runs.environment(), stderr=subprocess.PIPE
    )
    with ended(first), ended(remote):
        await_true(lambda: lines_written(run) > 20 or remote.poll() is not None)
        assert remote.poll() is None, remote.communicate()
        first.kill()
        first.communicate(timeout=120)
        result = runs.arena("run", run.folder)
        assert result.returncode == 0, result.stderr
        remote.communicate(timeout=120)
        assert remote.returncode == 0
    [games] = run.forfeits("bo").values()
    assert {cause for _, cause in games} == {None}
    [fixture] = run.settled()
    assert len(run.match(fixture, "match_resumed")) == len(run.match(fixture, "match_opened")) == 1
    assert run.match(fixture, "bot_left") == []
    runs.assert_verified(run.folder)


# A resumed run with many matches under way: they come first, and no more at once than others


FIELD = ("anna", "bo", "cia", "dan")
FIXTURES = 6


def killed_run(folder: Path, bots: dict[str, list[str]], number: int, **changes: Any) -> runs.Run:
    """A run that was killed when so many matches had been issued at once, as chunks of workers are."""
    plan = runs.write_plan(folder, bots, **changes)
    run = runs.Run(folder / "run")
    trio.run(issue, plan.read_text(), RunFolder(run.folder), number)
    assert len(run.facts("fixture_issued")) == number
    return run


async def issue(text: str, folder: RunFolder, number: int) -> None:
    plan = parse_plan(text)
    folder.open(text)
    tournament_log = TournamentLog(plan, folder, RunClock(Clock()), lambda _: None)
    for fixture in tournament_log.state.left_to_play()[:number]:
        opened, seed = await tournament_log.issue(fixture)
        journal = folder.open_journal(fixture.id)
        for fact in begun(open_match(plan.game(), opened, deal_from(opened, seed))):
            journal.write(fact)
        folder.close_journal(fixture.id)
    tournament_log.close()
    folder.close()


def begun(match: Match) -> list[MatchFact]:
    """The facts of a match until its first turn is put: both bots have come, and give nothing to the dice."""
    opened = match.setting.opened
    facts: list[MatchFact] = [opened]
    for seat in SEATS:
        entrant = Entrant(name=opened.entrants[seat - 1], version="1.0", fingerprint="honest build")
        event = BotArrived(at_ms=opened.at_ms, seat=seat, entrant=entrant, commitment=None)
        step = advance(match, event)
        match, facts = step.match, [*facts, *step.facts]
    return facts


def spans(run: runs.Run) -> dict[str, tuple[int, int]]:
    """When each match was under way at its table."""
    found = {}
    for fixture in run.settled():
        facts = run.match(fixture)
        first = next((fact for fact in facts if fact["event"] == "match_resumed"), facts[0])
        found[fixture] = (first["at_ms"], facts[-2]["at_ms"])
    return found


def played_together(run: runs.Run) -> list[tuple[str, str]]:
    """Matches that were at their tables at the same time."""
    all_spans = spans(run)
    return [
        (one, two)
        for one, two in combinations(all_spans, 2)
        if all_spans[one][0] < all_spans[two][1] and all_spans[two][0] < all_spans[one][1]
    ]


def entrants(fixture: str) -> set[str]:
    return set(fixture.split("-", 1)[1].split("-v-"))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param([], id="alone"),
        pytest.param(["--workers", 1], id="worker", marks=pytest.mark.slow),
    ],
)
def test_matches_under_way_go_on_one_after_the_other_and_before_all_others(
    tmp_path: Path, options: list[Any]
) -> None:
    bots = {name: runs.honest() for name in FIELD}
    run = killed_run(tmp_path, bots, FIXTURES - 1, tournament={"at_once": 1})
    issued = [fact["fixture"] for fact in run.facts("fixture_issued")]
    result = (runs.arena_process if options else runs.arena)("run", run.folder, *options)
    assert result.returncode == 0, result.stderr
    assert played_together(run) == []
    assert list(run.settled())[:-1] == issued
    assert all(len(run.match(fixture, "match_resumed")) == 1 for fixture in issued)
    assert len(run.facts("fixture_issued")) == len(run.settled()) == FIXTURES
    assert all(fact["violations"] == [0, 0] for fact in run.facts("fixture_settled"))
    runs.assert_verified(run.folder)


@pytest.mark.slow
def test_resumed_matches_share_no_entrant_unless_told_otherwise(tmp_path: Path) -> None:
    bots = {name: runs.honest() for name in FIELD}
    run = killed_run(tmp_path, bots, FIXTURES, tournament={"at_once": 8})
    result = runs.arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    assert [pair for pair in played_together(run) if entrants(pair[0]) & entrants(pair[1])] == []
    assert all(fact["violations"] == [0, 0] for fact in run.facts("fixture_settled"))
    runs.assert_verified(run.folder)


def test_a_match_under_way_is_played_though_an_entrant_was_withdrawn_while_it_waited(
    tmp_path: Path,
) -> None:
    bots = {"anna": runs.honest(), "bo": runs.honest(), "rogue": runs.rogue("exits")}
    section = {"at_once": 1, "cycles": 2}
    run = killed_run(tmp_path, bots, 5, tournament=section, limits={"violations": 0})
    issued = {fact["fixture"] for fact in run.facts("fixture_issued")}
    result = runs.arena("run", run.folder)
    assert result.returncode == 0, result.stderr
    assert [fact["entrant"] for fact in run.facts("entrant_withdrawn")] == ["rogue"]
    assert issued <= run.settled().keys()
    assert all("rogue" not in entrants(fixture) for fixture in run.settled().keys() - issued)
    runs.assert_verified(run.folder)


def test_in_another_folder_nothing_is_lost(tmp_path: Path) -> None:
    """Where no command starts anything, every match that is left would be void for good."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    honest_bot = Path(runs.honest()[1]).read_text()
    (here / "bot.py").write_text(honest_bot)
    plan = runs.write_plan(
        here,
        {name: {"command": "python bot.py"} for name in ("anna", "bo")},
        limits={"check_bots": "require", "startup_ms": 20_000},
    )
    run = runs.Run(here / "run")
    folder = RunFolder(run.folder)
    trio.run(issue, plan.read_text(), folder, 1)
    folder.open(plan.read_text())
    folder.remember(here)
    folder.close()
    refused = runs.arena("run", run.folder, cwd=there)
    assert refused.returncode == 1
    assert f"before, they ran in {here}: cd {here}" in refused.stderr
    assert len(run.facts("fixture_issued")) == 1
    played = runs.arena("run", run.folder, cwd=here)
    assert (played.returncode, "1 of 1 matches" in played.stdout) == (0, True), played.stderr
    assert (
        runs.arena("run", run.folder, cwd=there).returncode == 0
    )  # it is over: nothing is started


def test_a_file_of_another_folder_is_told_of_in_the_check(tmp_path: Path) -> None:
    (tmp_path / "cup").mkdir()
    (tmp_path / "cup" / "t.toml").write_text(
        "".join(f'[[bot]]\nname = "{name}"\ncommand = "python bot.py"\n' for name in ("anna", "bo"))
    )
    for more in ((), ("--dry-run",)):
        refused = runs.arena("run", "cup/t.toml", *more, cwd=tmp_path)
        told = "the commands of bots run in the current folder, not in the folder of t.toml: cd cup"
        assert (refused.returncode, told in refused.stdout + refused.stderr) == (1, True), (
            refused.stderr
        )

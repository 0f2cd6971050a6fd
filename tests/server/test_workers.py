"""What is sent to workers and comes back: secrets, names of files, unfinished batches."""

import os
import pickle
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from multiprocessing import active_children, resource_tracker
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from msgspec.structs import replace as put

from arena.matches.facts import MatchOpened
from arena.records.facts import FixtureSettled, TournamentFact
from arena.server.io.clock import Clock, RunClock
from arena.server.io.journal import Journal
from arena.server.io.operator_log import Event, sentence
from arena.server.programs import family
from arena.server.programs.containment import Containment, find_containment
from arena.server.run import roster, scheduler
from arena.server.run.tournament import Run, run_tournament
from arena.server.run.tournament_log import (
    BotThinks,
    GamesPlayed,
    Progressed,
    TellProgress,
    TournamentLog,
)
from arena.server.run.workers import pool as pool_module
from arena.server.run.workers.chunk import Chunk, ChunkAgenda, Done, Order, WorkerError, WorkerLost
from arena.server.run.workers.dispatcher import TRIES
from arena.server.run.workers.pool import open_pool
from arena.server.run.workers.worker import play_chunk
from arena.server.setup.credentials import places_of_run
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan, format_plan, parse_plan
from arena.server.venue.entrance import server_name
from arena.tournaments.schedule import parse_fixture
from tests.fixtures.arena_runs import honest, write_plan
from tests.fixtures.sitting import SEED, Sitting
from tests.processes import await_true

OPENED = Sitting().opened

TEXT = """
[[bot]]
name = "anna"
command = "true"
[[bot]]
name = "bo"
command = "true"
[[bot]]
name = "cia"
command = "true"
"""


def chunk_in(directory: Path) -> Chunk:
    order = Order(opened=OPENED, seed=SEED, goes_on=False)
    run = directory / "run"
    hidden = tuple(places_of_run(run, directory / "operator.pem"))
    plan = parse_plan(TEXT)
    return Chunk(
        plan=plan,
        directory=directory,
        run=run,
        hidden=hidden,
        orders=(order,),
        server=server_name(),
    )


class Lossy:
    """A crew whose workers die with every batch."""

    size = 1

    def __init__(self) -> None:
        self.chunks: list[list[str]] = []

    async def play(self, chunk: Chunk, folder: RunFolder, tell: TellProgress) -> Done:
        self.chunks.append(chunk.fixtures)
        await trio.lowlevel.checkpoint()
        raise WorkerLost("as always")

    def call_off(self) -> None:
        """They do not hear it."""


def test_a_chunk_arrives_as_it_was_sent_and_shows_no_secret(tmp_path: Path) -> None:
    chunk = chunk_in(tmp_path)
    arrived = pickle.loads(pickle.dumps(chunk))
    assert arrived == chunk
    assert arrived.orders[0].seed == SEED
    for text in (repr(chunk), repr(chunk.orders[0])):
        assert SEED.hex() not in text
        assert repr(SEED) not in text
    assert repr(chunk) == f"Chunk({OPENED.match})"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda chunk: replace(chunk, server="arena 0.0.9"), "install the same on both"),
        (
            lambda chunk: replace(chunk, directory=Path("/none/such")),
            "there is no folder /none/such",
        ),
        (
            lambda chunk: replace(
                chunk, plan=parse_plan(TEXT.replace('"true"', '"no-such-bot"', 1))
            ),
            "bot anna: there is no program 'no-such-bot'",
        ),
    ],
)
def test_a_worker_that_cannot_play_says_so_and_nobody_forfeits(
    tmp_path: Path, change: Callable[[Chunk], Chunk], message: str
) -> None:
    with pytest.raises(WorkerError, match=message):
        play_chunk(change(chunk_in(tmp_path)), tmp_path, lambda: False)
    assert list(tmp_path.iterdir()) == []


def test_no_bot_of_a_worker_sees_the_run_folder_or_the_operators_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where a worker of a cluster plays in a folder of its own, on the machine of the arena."""
    seen: list[Path] = []

    def find(plan: Plan, *, hidden: Sequence[Path], **more: Any) -> Containment:
        seen.extend(hidden)
        return find_containment(plan, hidden=hidden, **more)

    async def play(*_: object) -> None:
        pass

    monkeypatch.setattr(roster, "find_containment", find)
    monkeypatch.setattr(scheduler.Scheduler, "play_all", play)
    play_chunk(chunk_in(tmp_path), tmp_path / "elsewhere", lambda: False)
    assert {tmp_path / "run", tmp_path / "operator.pem"} <= set(seen)


def test_a_match_that_kills_its_workers_ends_the_run_in_the_end(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    crew, told = Lossy(), list[Event]()
    plan = parse_plan(TEXT)
    folder.open(format_plan(plan))
    try:
        with pytest.RaisesGroup(
            pytest.RaisesExc(WorkerError, match="came back unfinished"), flatten_subgroups=True
        ):
            run_tournament(
                Run(
                    plan=plan,
                    folder=folder,
                    directory=tmp_path,
                    report=lambda _: None,
                    show=told.append,
                    crew=crew,
                )
            )
    finally:
        folder.close()
    assert max(crew.chunks.count(chunk) for chunk in crew.chunks) == TRIES
    lost = [event for event in told if event["event"] != "arena_stopped"]  # of a busy machine
    assert {(event["event"], event["level"], event["reason"]) for event in lost} == {
        ("worker_lost", "warning", "as always")
    }
    assert (
        sentence(lost[0])
        == "a worker was lost (as always); another one takes over its unfinished matches"
    )


AN_HOUR_MS = 3_600_000


def issued_at(chunk: Chunk, *times_ms: int) -> Chunk:
    """The same chunk with orders of these times, for one fixture after the other."""
    orders = (
        replace(chunk.orders[0], opened=put(OPENED, match=f"r{number}-anna-v-bo", at_ms=at_ms))
        for number, at_ms in enumerate(times_ms, start=1)
    )
    return replace(chunk, orders=tuple(orders))


@pytest.mark.parametrize(
    "behind_ms", [-AN_HOUR_MS, 0, AN_HOUR_MS], ids=["clock ahead", "same clock", "clock behind"]
)
async def test_a_fixture_has_its_time_to_start_up_from_when_the_worker_opens_it(
    tmp_path: Path, behind_ms: int
) -> None:
    """However long it waited behind others, and whatever the worker's own clock shows: no sooner, no later.

    The header is never earlier than the line that issued the fixture.
    """
    clock = RunClock(Clock())
    issued_ms = clock.now_ms() + behind_ms
    agenda = ChunkAgenda(
        issued_at(chunk_in(tmp_path), issued_ms, issued_ms),
        RunFolder(tmp_path),
        clock,
        lambda *_: None,
    )
    headers = []
    for number in (1, 2):
        opened, seed = await agenda.issue(parse_fixture(f"r{number}-anna-v-bo"))
        assert (opened.match, seed) == (f"r{number}-anna-v-bo", SEED)
        assert opened.at_ms == clock.now_ms() >= issued_ms
        headers.append(opened.at_ms)
        await trio.sleep(20)
    assert headers[1] - headers[0] == pytest.approx(20_000, abs=1)


async def test_a_worker_tells_once_a_second_how_far_a_match_has_come(tmp_path: Path) -> None:
    told: list[Progressed] = []
    chunk = issued_at(chunk_in(tmp_path), 1, 1)
    agenda = ChunkAgenda(chunk, RunFolder(tmp_path), RunClock(Clock()), told.append)
    long, short = map(parse_fixture, chunk.fixtures)
    await agenda.issue(long)
    for game in range(1, 31):
        await trio.sleep(0.1)
        agenda.tell_progress(GamesPlayed(fixture=long.id, games=game))
    await agenda.issue(short)
    agenda.tell_progress(GamesPlayed(fixture=short.id, games=1))
    games = [progressed.games for progressed in told if isinstance(progressed, GamesPlayed)]
    assert games == pytest.approx([10, 20, 30], abs=1)
    assert {progressed.fixture for progressed in told} == {long.id}


async def test_a_worker_tells_of_a_bot_that_thinks_whenever_it_hears_of_it(tmp_path: Path) -> None:
    told: list[Progressed] = []
    chunk = issued_at(chunk_in(tmp_path), 1, 1)
    agenda = ChunkAgenda(chunk, RunFolder(tmp_path), RunClock(Clock()), told.append)
    thoughts = [
        BotThinks(fixture=chunk.fixtures[0], name="anna", seconds=seconds) for seconds in (5, 6)
    ]
    for thought in thoughts:
        agenda.tell_progress(thought)
    assert told == thoughts
    decoder = msgspec.json.Decoder(Progressed)
    assert [decoder.decode(msgspec.json.encode(thought)) for thought in thoughts] == thoughts


@pytest.fixture(scope="module")
def tracked() -> None:
    """The process in which Python watches what its children share; it stays to the end of the tests."""
    resource_tracker.ensure_running()


@pytest.mark.slow
@pytest.mark.usefixtures("tracked")
def test_the_arena_hears_how_far_the_matches_of_its_workers_have_come(tmp_path: Path) -> None:
    bots = {name: honest("--think-ms", 10) for name in ("anna", "bo")}
    plan = parse_plan(write_plan(tmp_path, bots, tournament={"games": 5}).read_text())
    folder = RunFolder(tmp_path / "run")
    told: list[TournamentFact | Progressed] = []
    folder.open(format_plan(plan))
    with closing(folder), open_pool(1) as pool:
        run_tournament(
            Run(
                plan=plan,
                folder=folder,
                directory=tmp_path,
                report=told.append,
                show=lambda _: None,
                crew=pool,
            )
        )
    settled = next(number for number, fact in enumerate(told) if isinstance(fact, FixtureSettled))
    games = [fact.games for fact in told[:settled] if isinstance(fact, GamesPlayed)]
    assert games
    assert games == sorted(games)
    assert set(games) <= {1, 2, 3, 4, 5}
    assert not any(isinstance(fact, GamesPlayed) for fact in told[settled:])


def test_the_bot_whose_clock_runs_thinks_while_it_is_here() -> None:
    sitting = Sitting()
    assert scheduler.longest_thought(sitting.match, sitting.now_ms) is None
    sitting.ready()
    mover = sitting.game.mover
    name = sitting.match.setting.opened.entrants[mover - 1]
    entrant, thought_ms = scheduler.longest_thought(sitting.match, sitting.now_ms + 7)
    assert (entrant.name, thought_ms) == (name, 7)
    sitting.leaves(mover)
    assert scheduler.longest_thought(sitting.match, sitting.now_ms + 7) is None


@pytest.mark.slow
def test_a_bot_that_thinks_long_is_told_until_it_has_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "LONG_THOUGHT_MS", 300)
    monkeypatch.setattr(scheduler, "LOOK_SECONDS", 0.1)
    bots = {"anna": honest("--think-ms", 600), "bo": honest()}
    plan = parse_plan(write_plan(tmp_path, bots, limits={"turns": 3}).read_text())
    folder = RunFolder(tmp_path / "run")
    told: list[TournamentFact | Progressed] = []
    folder.open(format_plan(plan))
    with closing(folder):
        run_tournament(
            Run(
                plan=plan,
                folder=folder,
                directory=tmp_path,
                report=told.append,
                show=lambda _: None,
            )
        )
    thoughts = [fact for fact in told if isinstance(fact, BotThinks)]
    assert {thought.name for thought in thoughts} == {"anna", ""}
    assert {thought.fixture for thought in thoughts} == {"r1-anna-v-bo"}
    assert thoughts[0].name == "anna"


BEGUN = "begun"


def stand_by(_: Chunk, folder: Path) -> None:
    """Stand in for the play of a chunk: the worker has begun, and goes on for ever."""
    (folder / BEGUN).touch()
    time.sleep(600)


@pytest.fixture
def stopped_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give a function that stops the one worker."""
    monkeypatch.setattr(pool_module, "_play_in_place", stand_by)
    before = {process.pid for process in active_children()}

    def stop() -> None:
        await_true((tmp_path / BEGUN).exists)
        [process] = [process for process in active_children() if process.pid not in before]
        pid = process.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        await_true(lambda: family.stands_still(pid))

    return stop


@pytest.mark.slow
@pytest.mark.usefixtures("tracked")
def test_a_worker_that_stops_a_moment_after_it_was_called_off_is_lost(
    tmp_path: Path, stopped_worker: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It still runs when the arena looks for the first time.

    Its chunk goes to another one, or is over with the run.
    """
    looked_at: list[int] = []

    def stands_still(pid: int) -> bool:
        looked_at.append(pid)
        return len(looked_at) > 1 and family.stands_still(pid)

    monkeypatch.setattr(pool_module, "stands_still", stands_still)

    async def play_and_call_off() -> None:
        with open_pool(1) as pool:

            async def play() -> None:
                with pytest.raises(WorkerLost):
                    await pool.play(chunk_in(tmp_path), RunFolder(tmp_path), lambda *_: None)

            with trio.fail_after(60):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(play)
                    await trio.to_thread.run_sync(stopped_worker)
                    pool.call_off()

    trio.run(play_and_call_off)
    assert len(looked_at) > 1


@pytest.mark.slow
@pytest.mark.usefixtures("tracked")
def test_a_worker_that_does_not_end_with_its_pool_is_killed(
    tmp_path: Path, stopped_worker: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the system tells of it."""
    monkeypatch.setattr(pool_module, "stands_still", lambda _: False)

    async def play_and_close() -> None:
        with open_pool(1) as pool:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(
                    pool.play, chunk_in(tmp_path), RunFolder(tmp_path), lambda *_: None
                )
                await trio.to_thread.run_sync(stopped_worker)
                nursery.cancel_scope.cancel()

    trio.run(play_and_close)


async def test_a_slow_disk_takes_nothing_of_the_time_to_start_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match is opened when the line that issues it is on the disk."""
    folder = RunFolder(tmp_path / "run")
    plan = parse_plan(TEXT)
    folder.open(format_plan(plan))
    tournament_log = TournamentLog(plan, folder, RunClock(Clock()), lambda _: None)

    async def sync_slowly(_: Journal) -> None:
        await trio.sleep(20)

    monkeypatch.setattr(Journal, "wait_synced", sync_slowly)
    try:
        issued_ms = tournament_log.opened.at_ms
        opened, _ = await tournament_log.issue(tournament_log.state.left_to_play()[0])
    finally:
        tournament_log.close()
        folder.close()
    assert isinstance(opened, MatchOpened)
    assert opened.at_ms >= issued_ms + 20_000


@pytest.mark.parametrize(
    "name",
    [
        "tournament.jsonl",
        "secrets.json",
        "matches/r1-anna-v-cia.jsonl",
        "bots/../lock",
        "/etc/passwd",
        "bots/",
        "evidence/.x",
    ],
)
def test_nothing_is_taken_from_a_worker_but_files_of_its_fixtures(
    tmp_path: Path, name: str
) -> None:
    folder = RunFolder(tmp_path)
    with pytest.raises(ValueError, match="does not belong to r1-anna-v-bo"):
        folder.take_in({name: b"x"}, ["r1-anna-v-bo"])
    assert list(tmp_path.iterdir()) == []


def test_what_bots_printed_is_added_and_records_are_replaced(tmp_path: Path) -> None:
    """A record that comes back begins with what went out; output does not."""
    there, here = RunFolder(tmp_path / "there"), RunFolder(tmp_path / "here")
    there.make()
    here.make()
    for folder, data in ((here, b"one"), (there, b"one two")):
        folder.match_record("r1-anna-v-bo").write_bytes(data)
        (folder.path / "bots" / "r1-anna-v-bo.anna.stderr").write_bytes(data)
    here.take_in(there.kept(), ["r1-anna-v-bo"])
    assert here.match_record("r1-anna-v-bo").read_bytes() == b"one two"
    assert (here.path / "bots" / "r1-anna-v-bo.anna.stderr").read_bytes() == b"oneone two"
    assert not here.operator_log.exists()
    there.operator_log.write_bytes(b"a bug\n")
    here.take_in({there.operator_log.name: there.kept()[there.operator_log.name]}, [])
    here.take_in({there.operator_log.name: b"another\n"}, [])
    assert here.operator_log.read_bytes() == b"a bug\nanother\n"
    assert here.operator_log.stat().st_mode & 0o777 == 0o600

"""Several runs in one venue: they share the door and the bots, and nothing else."""

import errno
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
import trio

from arena.records.facts import FixtureSettled, TournamentFact
from arena.records.verify import verify_run
from arena.server.io.disk import DiskError
from arena.server.io.failures import causes
from arena.server.io.journal import Journal
from arena.server.io.operator_log import Event
from arena.server.programs import fork_server as fork_server_module
from arena.server.run.tournament import Drained, Run, play_in
from arena.server.run.tournament_log import Progressed
from arena.server.setup.run_folder import FolderError, RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.venue.entrance import AccountError
from arena.server.venue.venue import Venue, open_venue
from arena.words import SaidError
from protocol.messages import MatchReady, MatchStart, Turn
from tests.fixtures.arena_runs import honest, write_plan
from tests.fixtures.operator import lines_of
from tests.fixtures.playing_room import Guest, HungUpError, mover_of, token_of, until

PLAN = """
[tournament]
cycles = {cycles}
games = 3
[clock]
delay_ms = 60000
[limits]
turns = 4
grace_ms = 60000
[listen]
address = "unix:{folder}/socket"
"""

CLOCKS_MS: Final = 100
"""By how much the clocks of runs differ that begin at the same time."""


class Club:
    """A venue, and bots from elsewhere that play in its runs."""

    def __init__(self, venue: Venue, nursery: trio.Nursery, directory: Path) -> None:
        self.venue = venue
        self.nursery = nursery
        self._directory = directory
        self.settled: list[tuple[str, str]] = []
        """The runs and fixtures that were settled, in order."""
        self.events: list[Event] = []
        self.runs: dict[str, Run] = {}
        self._guests: list[Guest] = []
        self.ends: dict[str, BaseException | None] = {}
        """How each run has ended that is over."""

    def text(self, *names: str, cycles: int = 1, at_once: int = 1, more: str = "") -> str:
        """A tournament file of remote bots."""
        text = PLAN.format(folder=self._directory, cycles=cycles) + more
        for name in names:
            (self._directory / f"{name}.token").write_text(token_of(name))
            text += f'[[bot]]\nname = "{name}"\nremote = true\ntoken_file = "{name}.token"\n'
            text += f"matches_at_once = {at_once}\n"
        return text

    def begin(self, name: str, text: str) -> None:
        """Begin a run, or go on with it."""
        folder = RunFolder(self._directory / name)
        folder.open(text)

        def report(fact: TournamentFact | Progressed) -> None:
            if isinstance(fact, FixtureSettled):
                self.settled.append((name, fact.fixture))

        self.runs[name] = Run(
            plan=parse_plan(text),
            id=name,
            folder=folder,
            directory=self._directory,
            report=report,
            show=self.events.append,
        )
        self.ends.pop(name, None)
        self.nursery.start_soon(self._play, self.runs[name])

    async def _play(self, run: Run) -> None:
        end: BaseException | None = None
        with closing(run.folder):
            try:
                await play_in(self.venue, run)
            except* (OSError, SaidError, Drained) as errors:
                [end] = causes(errors)
        self.ends[run.id] = end

    async def ended(self, name: str) -> BaseException | None:
        """Wait for the end of a run; returns what ended it before its time."""
        await until(lambda: name in self.ends)
        return self.ends[name]

    async def come(self, name: str, *, expected: str = "", **more: Any) -> Guest:
        """A bot logs in, once it is expected, or another one."""
        path = str(self._directory / "socket")
        await until(
            lambda: (expected or name) in self.venue.entrance.remote and Path(path).exists()
        )
        guest = Guest(
            await trio.open_unix_socket(path),
            self.venue.loop.clock.now_ms,
            self.venue.loop.clock.loop_time,
        )
        self._guests.append(guest)
        await guest.log_in(name, **more)
        return guest

    async def close(self) -> None:
        """Let go of every connection."""
        with trio.CancelScope(shield=True):
            for guest in self._guests:
                await trio.aclose_forcefully(guest.stream)

    async def live(self, name: str, think_s: float = 0.0) -> None:
        """Play, and come back whenever a connection is lost, or a run needs the bot again."""
        while True:
            guest = await self.come(name)
            with suppress(HungUpError):
                while True:
                    message = await guest.hear_next()
                    if isinstance(message, MatchStart):
                        await guest.say(MatchReady(match=message.match))
                    elif isinstance(message, Turn):
                        await trio.sleep(think_s)
                        await guest.answer(message)
            await guest.hang_up()

    def matches(self, name: str) -> list[tuple[int, int]]:
        """When each match of a run began and was settled; the run is in order."""
        folder = self.runs[name].folder
        assert verify_run(folder.files).is_finished
        lines = lines_of(folder.tournament_record)
        begun = [line["at_ms"] for line in lines if line["event"] == "fixture_issued"]
        over = [line["at_ms"] for line in lines if line["event"] == "fixture_settled"]
        return list(zip(begun, over, strict=True))


@pytest.fixture
async def club(
    nursery: trio.Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Club]:
    async def at_once(call: object, *args: object, **_: object) -> object:
        await trio.lowlevel.checkpoint()
        return call(*args)  # type: ignore[operator]

    monkeypatch.setattr(
        trio.to_thread, "run_sync", at_once
    )  # else the mock clock jumps while a thread works
    async with AsyncExitStack() as stack:
        venue = await stack.enter_async_context(open_venue(lambda _: None))
        inner = await stack.enter_async_context(trio.open_nursery())
        club = Club(venue, inner, tmp_path)
        stack.push_async_callback(club.close)
        yield club
        inner.cancel_scope.cancel()


async def test_two_runs_of_the_same_two_bots_take_turns_on_one_connection_each(club: Club) -> None:
    """A bot that plays one match at a time plays one at a time in all runs together."""
    text = club.text("anna", "bert", cycles=4)
    for name in ("cup", "league"):
        club.begin(name, text)
    for name in ("anna", "bert"):
        club.nursery.start_soon(club.live, name, 0.1)
    for name in ("cup", "league"):
        assert await club.ended(name) is None
    runs = [name for name, _ in club.settled]
    assert set(runs[:2]) == {"cup", "league"}
    assert runs == runs[:2] * 4
    assert {fixture.partition(".")[0] for _, fixture in club.settled} == {"cup", "league"}
    spans = sorted(club.matches("cup") + club.matches("league"))
    assert all(over < begun + CLOCKS_MS for (_, over), (begun, _) in pairwise(spans))
    assert not [event for event in club.events if event["event"] == "bot_returned"]


async def test_the_window_of_a_bot_counts_once_over_all_runs(club: Club) -> None:
    text = club.text("anna", "bert", at_once=2)
    for name in ("cup", "league"):
        club.begin(name, text)
    anna, bo = await club.come("anna"), await club.come("bert", window=2)
    club.nursery.start_soon(bo.play_along)
    starts = [await anna.wait_for(MatchStart) for _ in range(2)]
    assert {start.match.partition(".")[0] for start in starts} == {"cup", "league"}
    for start in starts:
        await anna.say(MatchReady(match=start.match))
    turns = []
    with suppress(HungUpError):
        while True:
            turn = await anna.wait_for(Turn)
            await anna.hears_no(Turn, 1)
            turns.append(turn)
            await anna.answer(turn)
    assert len(turns) > 4
    for name in ("cup", "league"):
        assert await club.ended(name) is None
    [(_, first_over)], [(second_begun, _)] = club.matches("cup"), club.matches("league")
    assert second_begun < first_over


async def test_one_run_drains_while_the_next_begins(club: Club) -> None:
    text = club.text("anna", "bert", cycles=2)
    club.begin("monday", text)
    anna, bo = await club.come("anna"), await club.come("bert")
    for guest in (anna, bo):
        await guest.take_seat()
    mover, waiting, turn = await mover_of(anna, bo)
    club.runs["monday"].draining.ask()
    club.begin("tuesday", text)
    await trio.sleep(5)
    assert "monday" not in club.ends
    assert [event["turns"] for event in club.events if event["event"] == "stopping"] == [1]
    await mover.answer(turn)
    assert isinstance(await club.ended("monday"), Drained)
    for guest in (mover, waiting):
        club.nursery.start_soon(guest.play_along)
    assert await club.ended("tuesday") is None
    assert [name for name, _ in club.settled] == ["tuesday"] * 2

    club.begin("monday", text)
    for name in ("anna", "bert"):
        club.nursery.start_soon(club.live, name)
    assert await club.ended("monday") is None
    assert len(club.matches("monday")) == 2


def break_disk_of(folder: Path, monkeypatch: pytest.MonkeyPatch, *, way: str) -> None:
    """From its second game on the match records in a folder cannot be written."""
    before = getattr(Journal, way)

    def fail(journal: Journal) -> object:
        if folder in journal.path.parents and b'"game_ended"' in journal.path.read_bytes():
            raise DiskError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(journal.path))
        return before(journal)

    monkeypatch.setattr(Journal, way, fail)


@pytest.mark.parametrize("way", ["commit", "mark"])
async def test_a_run_that_fails_leaves_the_venue_and_other_runs_as_they_were(
    club: Club, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """The bots that both play in lose their connection, since what they were told last was not recorded."""
    break_disk_of(tmp_path / "cup", monkeypatch, way=way)
    text = club.text("anna", "bert", cycles=2, at_once=2)
    for name in ("cup", "league"):
        club.begin(name, text)
    for name in ("anna", "bert"):
        club.nursery.start_soon(club.live, name)
    assert isinstance(await club.ended("cup"), DiskError)
    assert await club.ended("league") is None
    assert len(club.matches("league")) == 2
    assert not [
        line
        for line in lines_of(tmp_path / "league" / "tournament.jsonl")
        if line["event"] == "fixture_voided"
    ]
    assert not [event for event in club.events if event["event"] == "arena_failed"]

    monkeypatch.undo()
    club.begin("cup", text)
    assert await club.ended("cup") is None
    assert verify_run(club.runs["cup"].folder.files).is_finished


async def test_a_run_with_an_id_that_is_open_is_refused(club: Club, tmp_path: Path) -> None:
    text = club.text("anna", "bert")
    club.begin("cup", text)
    await until(lambda: "anna" in club.venue.entrance.remote)
    folder = RunFolder(tmp_path / "other")
    folder.open(text)
    again = replace_run(club.runs["cup"], folder)
    with closing(folder), pytest.raises(FolderError, match="a run with the id 'cup' is open"):
        await play_in(club.venue, again)


def replace_run(run: Run, folder: RunFolder) -> Run:
    return Run(
        plan=run.plan,
        id=run.id,
        folder=folder,
        directory=run.directory,
        report=lambda _: None,
        show=lambda _: None,
    )


async def test_a_bot_plays_in_all_runs_on_the_same_terms(club: Club) -> None:
    club.begin("cup", club.text("anna", "bert"))
    await until(lambda: "anna" in club.venue.entrance.remote)
    club.begin("league", club.text("anna", "bert").replace("grace_ms = 60000", "grace_ms = 1"))
    end = await club.ended("league")
    assert isinstance(end, AccountError)
    assert "anna plays in another run of this arena on other terms" in str(end)
    for name in ("anna", "bert"):
        club.nursery.start_soon(club.live, name)
    assert await club.ended("cup") is None


async def test_a_build_is_pinned_as_long_as_a_run_needs_the_bot(club: Club) -> None:
    for name, other in (("cup", "bert"), ("league", "cleo")):
        club.begin(name, club.text("anna", other))
    await (await club.come("anna", fingerprint="old")).hang_up()
    club.nursery.start_soon(club.live, "bert")
    with pytest.raises(AssertionError, match="fingerprint"):
        await club.come("anna", fingerprint="new")
    anna = await club.come("anna", fingerprint="old")
    club.nursery.start_soon(anna.play_along)
    assert await club.ended("cup") is None
    await anna.hang_up()
    with pytest.raises(AssertionError, match="fingerprint"):
        await club.come("anna", fingerprint="new")
    club.nursery.start_soon((await club.come("anna", fingerprint="old")).play_along)
    club.nursery.start_soon(club.live, "cleo")
    assert await club.ended("league") is None
    club.begin("next", club.text("anna", "dora"))
    await club.come("anna", fingerprint="new")


async def test_every_line_of_the_operators_log_names_its_run(club: Club, tmp_path: Path) -> None:
    club.begin("cup", club.text("anna", "bert"))
    for name in ("anna", "bert"):
        club.nursery.start_soon(club.live, name)
    assert await club.ended("cup") is None
    lines = lines_of(tmp_path / "cup" / "operator.jsonl")
    assert {line["run"] for line in lines} == {"cup"}
    assert [line["number"] for line in lines if line["event"] == "bot_logged_in"] == [1, 2]


async def test_no_run_logs_a_token_of_another(club: Club, tmp_path: Path) -> None:
    club.begin("cup", club.text("anna", "bert"))
    club.begin("league", club.text("cleo", "dora"))
    await until(lambda: {"anna", "cleo"} <= club.venue.entrance.remote.keys())
    with pytest.raises(AssertionError, match="bad_login"):
        await club.come(token_of("anna"), expected="anna")
    await until(lambda: [event["event"] for event in club.events].count("login_unknown") == 2)
    for name in ("cup", "league"):
        [line] = [
            each
            for each in lines_of(tmp_path / name / "operator.jsonl")
            if each["event"] == "login_unknown"
        ]
        assert line["claimed"] == "***"


@pytest.mark.trio(run=trio.run)
async def test_runs_of_the_same_two_programs_at_once_and_one_after_the_other(
    tmp_path: Path,
) -> None:
    """Each has programs and records of its own; one fork server starts the programs of all."""
    text = write_plan(
        tmp_path, {"anna": honest(), "bert": honest()}, limits={"turns": 6}
    ).read_text()
    servers = set()

    async def play(name: str) -> None:
        folder = RunFolder(tmp_path / name)
        folder.open(text)
        run = Run(
            plan=parse_plan(text),
            id=name,
            folder=folder,
            directory=tmp_path,
            report=lambda _: None,
            show=lambda _: None,
        )
        with closing(folder):
            await play_in(venue, run)
        servers.update(server.process.pid for server in fork_server_module._servers)
        assert verify_run(folder.files).is_finished
        match = f"{name}.r1-anna-v-bert"
        assert {path.name for path in (folder.path / "matches").iterdir()} == {f"{match}.jsonl"}

    async with open_venue(lambda _: None) as venue:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(play, "cup")
            nursery.start_soon(play, "league")
        await play("next")
    assert len(servers) == 1
    assert fork_server_module._servers == []

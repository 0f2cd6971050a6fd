"""A venue as the referee of `arena serve` plays in it, for tests on the mock clock: house bots are scripted."""

import errno
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import msgspec
import pytest
import trio

from arena.records.files import Files
from arena.records.ladder_chain import DayRecord
from arena.records.verify import Verified, verify_run
from arena.records.verify_venue import VerifiedRun, verify_venue
from arena.server.io import clock, journal
from arena.server.io import disk as disk_module
from arena.server.io.disk import DiskError
from arena.server.io.operator_log import Show
from arena.server.programs.launcher import Launched
from arena.server.programs.program import Ended
from arena.server.run import scheduler
from arena.server.series import pulse, referee, venue_log
from arena.server.series.accounts import DAY_MS
from arena.server.series.admin_orders import ADDRESS_FILE, Answer, AnyOrder, MakeInvite
from arena.server.series.play import play
from arena.server.setup.referee_lines import Opened
from arena.server.setup.run_folder import RunFiles
from arena.server.setup.venue_folder import VENUE_FILE, VenueFolder
from arena.server.venue.venue import Venue
from arena.words import Said
from protocol.greetings import Hello, Join, Joined
from protocol.messages import Error, MatchReady, MatchStart, Turn
from tests.fixtures.disks import disk
from tests.fixtures.operator import lines_of
from tests.fixtures.playing_room import Guest, HungUpError, first_legal, login
from tests.server.ladder_hall import until
from tests.zoo.faults import GONE

FILE: Final = """
[venue]
name = "club"
[listen]
address = "unix:{folder}/door/socket"
[[ladder]]
name = "vasa"
ruleset = "vasa"
pairs = 1
seats = 3
most_matches = {most_matches}
[ladder.clock]
delay_ms = 2000
bank_ms = 10000
[ladder.limits]
turns = 4
startup_ms = 10000
join_ms = 60000
sandbox = "off"
"""
BOT: Final = '[[bot]]\nname = "{name}"\ncommand = ["python", "{folder}/{name}/bot.py"]\n'
HOUSE: Final = ("random", "greedy", "deep")
THINK_S: Final = 2.0
BEGINS: Final = datetime(2026, 11, 5, 9, tzinfo=UTC)
"""When the mock clock begins: a Thursday."""
LOOK_SECONDS: Final = 300.0
"""Time between two looks of tasks that look for ever: else a day of the mock clock takes a minute."""
BACK_S: Final = 5.0
"""After this time a bot from elsewhere comes back."""
AGAIN_S: Final = 30.0
"""After this time the referee is started again."""
NOTE: Final = "a note of a bot"
"""What all bots note with all turns."""
Act = Callable[[Guest, Turn], Awaitable[None]]
"""What a bot does at a turn."""


async def plays(guest: Guest, turn: Turn) -> None:
    """Play the first legal turn, with a note."""
    await guest.answer(turn, moves=first_legal(turn), info=NOTE)


class Club:
    """The folder of a venue, and the referee that plays in it now."""

    def __init__(
        self,
        folder: Path,
        most_matches: int = 10_000,
        *,
        text: str = FILE,
        think_s: float = THINK_S,
        refused_s: float = 0.0,
    ) -> None:
        self.folder = folder
        self._text = text.format(folder=folder, most_matches=most_matches)
        self._think_s = think_s
        """How long the house bots think about a turn."""
        self._refused_s = refused_s
        """How much longer a bot stays away whose login was refused."""
        self.runs = folder / "runs"
        self.runs.mkdir(parents=True)
        (folder / "door").mkdir(mode=0o700)
        self.house: list[str] = []
        self.crashing: set[str] = set()
        """House bots that end at once."""
        self.tokens: dict[str, str] = {}
        self.opened: list[Opened] = []
        self.failures = 0
        """How often the referee has ended by itself; a test that expects it sets it back to 0."""
        self.disk = disk(free=500)
        """The disk of the venue; without a free block nothing can be written."""
        self._guests: set[Guest] = set()
        self._ahead_ms = 0
        self.write(*HOUSE)

    def write(self, *house: str) -> None:
        """Write the operator's file; new house bots get their programs."""
        text = self._text
        for name in house:
            text += BOT.format(folder=self.folder, name=name)
            if name not in self.house:
                self.build(name, "first")
        self.house = list(house)
        (self.folder / VENUE_FILE).write_text(text)

    def build(self, name: str, text: str) -> None:
        """Change the program of a house bot."""
        (self.folder / name).mkdir(exist_ok=True)
        (self.folder / name / "bot.py").write_text(text)

    @asynccontextmanager
    async def served(self) -> AsyncIterator[trio.Nursery]:
        """Let the referee play, and end it as by a kill; yields a nursery for bots."""
        with _scripted(self):
            async with trio.open_nursery() as nursery:
                number = len(self.opened)
                nursery.start_soon(self._keep_referee)
                await until(lambda: len(self.opened) > number)
                try:
                    yield nursery
                finally:
                    nursery.cancel_scope.cancel()
            # only now: a kill comes before the arena could see that bots are gone
            for guest in list(self._guests):
                await self.close(guest)
        assert not self.failures

    async def _keep_referee(self) -> None:
        """Start the referee again whenever it ends, as its parent does."""
        pipe = os.open(os.devnull, os.O_WRONLY)
        try:
            while True:
                try:
                    with trio.CancelScope() as self._life:
                        await referee.referee(self.folder, pipe, "http://club.example/")
                except* SystemExit:
                    self.failures += 1
                await trio.sleep(AGAIN_S)
        finally:
            os.close(pipe)

    def kill(self) -> None:
        """End the referee at once; it is started again."""
        self._life.cancel()

    async def play(
        self, venue: Venue, folder: VenueFolder, front: str, show: Show, _tell: object
    ) -> None:
        """Play as the referee does, and hear itself that the venue is open."""
        self._clock = venue.loop.clock
        await play(venue, folder, front, show, self.opened.append)

    def now_ms(self) -> int:
        """The time of the system, which follows the mock clock; a test can set it forward."""
        return int((BEGINS.timestamp() + trio.current_time()) * 1000) + self._ahead_ms

    def before_midnight(self, by_ms: int = 90_000, days: int = 0) -> None:
        """Set the clock to a minute and a half before midnight, or to another time, days later."""
        self._ahead_ms += DAY_MS - self.now_ms() % DAY_MS - by_ms + days * DAY_MS

    async def order(self, order: AnyOrder) -> Answer:
        """The answer of the referee to the operator."""
        path = (self.folder / ADDRESS_FILE).read_text()
        async with await trio.open_unix_socket(path) as stream:
            await stream.send_all(msgspec.json.encode(order) + b"\n")
            reply = b"".join([part async for part in stream])
        return msgspec.json.decode(reply, type=Answer)

    # Bots

    async def connect(self, path: str) -> Guest:
        guest = Guest(await trio.open_unix_socket(path), self._clock.now_ms, self._clock.loop_time)
        self._guests.add(guest)
        return guest

    async def close(self, guest: Guest) -> None:
        """End a connection."""
        self._guests.discard(guest)
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(guest.stream)

    async def join(self, name: str) -> None:
        """Give a bot an account."""
        invite = (await self.order(MakeInvite())).invite
        guest = await self.connect(str(self.folder / "door" / "socket"))
        await guest.hear(Hello)
        await guest.say(Join(protocol=1, name=name, invite=invite))
        answer = await guest.hear_next()
        assert isinstance(answer, Joined), answer
        self.tokens[name] = answer.token
        await self.close(guest)

    async def try_login(self, name: str, fingerprint: str) -> tuple[Guest, Any]:
        """A login on a new connection, and what the arena says to it."""
        guest = await self.connect(str(self.folder / "door" / "socket"))
        await guest.hear(Hello)
        await guest.say(login(name, self.tokens[name], fingerprint=fingerprint))
        return guest, await guest.hear_next()

    async def live(
        self,
        name: str,
        fingerprint: str = "",
        think_s: float = THINK_S,
        *,
        act: Act = plays,
    ) -> None:
        """Play with a bot from elsewhere, which comes back whenever its connection is lost.

        After it has thought it acts.
        """
        while True:
            with suppress(OSError):
                await self._live_once(name, fingerprint, think_s, act)
            await trio.sleep(BACK_S)

    async def _live_once(self, name: str, fingerprint: str, think_s: float, act: Act) -> None:
        """Play until the connection is lost, or the bot is told to come later."""
        guest = await self.connect(str(self.folder / "door" / "socket"))
        try:
            with suppress(*GONE):
                await guest.hear(Hello)
                await guest.say(login(name, self.tokens[name], fingerprint=fingerprint))
                if isinstance(await guest.hear_next(), Error):
                    await trio.sleep(self._refused_s)
                else:
                    await play_on(guest, think_s, act)
        finally:
            await self.close(guest)

    # What is on the disk

    def days(self) -> list[str]:
        """The runs of the ladder, the oldest first."""
        return [line["run"] for line in self.venue_lines("day_opened")]

    def venue_lines(self, *events: str) -> list[dict[str, Any]]:
        lines = lines_of(self.folder / "venue.jsonl")
        return [line for line in lines if line["event"] in events]

    def lines(self, run: str, *events: str) -> list[dict[str, Any]]:
        path = self.runs / run / "tournament.jsonl"
        if not path.exists():
            return []
        return [line for line in lines_of(path) if line["event"] in events]

    def count(self, run: str, event: str) -> int:
        path = self.runs / run / "tournament.jsonl"
        if not path.exists():
            return 0
        return path.read_bytes().count(f'{{"event":"{event}"'.encode())

    def lines_of_all(self, event: str) -> int:
        """How many lines of a kind the venue and all its days have by now."""
        return len(self.venue_lines(event)) + sum(self.count(run, event) for run in self.days())

    def settled(self, run: str = "") -> int:
        """Matches of a day that are decided; by default the last one."""
        return self.count(run or self.days()[-1], "fixture_settled")

    def matches_of(self, entrant: str, run: str = "") -> int:
        lines = self.lines(run or self.days()[-1], "pair_drawn")
        return sum(
            f"-{entrant}-v-" in line["fixture"] or line["fixture"].endswith(f"-v-{entrant}")
            for line in lines
        )

    def rested(self, run: str) -> set[str]:
        """The entrants that have forfeited so often in a row that they rested."""
        lines = (self.runs / run / "tournament.jsonl").read_bytes().splitlines(keepends=True)
        book = DayRecord.of(run, lines).state.book
        assert book is not None
        return {entrant for entrant, player in book.players.items() if player.rests_until_ms}

    def verified(self, run: str) -> Verified:
        return verify_run(RunFiles(self.runs / run))

    def verify(self) -> Iterator[VerifiedRun]:
        """Verify the whole venue as it stands."""
        record = (self.folder / "venue.jsonl").read_bytes()
        return verify_venue(record, self._files(), verify_run)

    def _files(self) -> dict[str, Files]:
        return {path.name: RunFiles(path) for path in self.runs.iterdir()}


async def play_on(guest: Guest, think_s: float, act: Act = plays) -> None:
    """Act at every turn of every match, until the arena hangs up; a thought ends with its connection."""

    async def think(turn: Turn) -> None:
        await trio.sleep(think_s)
        with suppress(*GONE):
            await act(guest, turn)

    async with trio.open_nursery() as thoughts:
        with suppress(*GONE):
            while True:
                message = await guest.hear_next()
                guest.all_heard.clear()  # a month of it would be much
                if isinstance(message, MatchStart):
                    await guest.say(MatchReady(match=message.match))
                elif isinstance(message, Turn):
                    thoughts.start_soon(think, message)
        thoughts.cancel_scope.cancel()


@contextmanager
def _scripted(club: Club) -> Iterator[None]:
    """Play house bots by a script in place of their programs; the system's time is that of the club."""

    original = Launched._run_once

    async def run_once(launched: Launched) -> Ended:
        if not launched.command.words:
            return await original(launched)
        account = launched.account
        launched._token = account.token
        launched._came = False
        launched._lost_by = None
        bot = account.name.rpartition("-")[0]
        if bot not in club.crashing:
            guest = await club.connect(launched.address.removeprefix("unix:"))
            try:
                with suppress(HungUpError):
                    await guest.log_in(account.name, account.token)
                    await play_on(guest, club._think_s)
            finally:
                await club.close(guest)  # as a program that is ended
        return Ended(reason=Said("program.exit", {"status": 1}))

    def write(file: Any, lines: bytes) -> None:
        if club.disk.f_bavail:
            written(file, lines)
        else:
            written(file, lines[: len(lines) // 2])
            file._is_broken = True
            raise DiskError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file._path))

    def write_to_log(file: int, line: bytes) -> None:
        if not club.disk.f_bavail:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        disk_module.write_all(file, line)

    async def at_once(call: Any, *args: object, **_: object) -> object:
        await trio.lowlevel.checkpoint()
        return call(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Launched, "_run_once", run_once)
        patch.setattr(trio.to_thread, "run_sync", at_once)  # else the clock jumps meanwhile
        system = SimpleNamespace(
            time=lambda: club.now_ms() / 1000,
            perf_counter=time.perf_counter,
        )
        patch.setattr(clock, "time", system)
        patch.setattr(referee, "play", club.play)
        patch.setattr(pulse.os, "statvfs", lambda _: club.disk)
        patch.setattr(venue_log, "write_all", write_to_log)
        written = journal._File.write
        patch.setattr(journal._File, "write", write)
        patch.setattr(referee, "follow_input", lambda *_: None)
        patch.setattr(pulse, "PULSE_SECONDS", LOOK_SECONDS)
        patch.setattr(scheduler, "LOOK_SECONDS", LOOK_SECONDS)
        yield

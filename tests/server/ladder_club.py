"""A venue with its ladder as `arena serve` plays it, for tests on the mock clock: house bots are scripted."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
import trio

from arena.records.files import Files
from arena.records.ladder_chain import DayRecord
from arena.records.verify import Verified, verify_run
from arena.records.verify_venue import VerifiedRun, verify_venue
from arena.server.io.operator_log import Event
from arena.server.programs.launcher import Launched
from arena.server.programs.program import Ended
from arena.server.series.accounts import DAY_MS
from arena.server.series.admin_orders import ADDRESS_FILE, Answer, AnyOrder, MakeInvite
from arena.server.series.play import play
from arena.server.setup.referee_lines import Opened
from arena.server.setup.run_folder import RunFiles
from arena.server.setup.venue_folder import VENUE_FILE, VenueFolder
from arena.server.venue.venue import open_venue
from arena.words import Said
from protocol.greetings import Hello, Join, Joined
from protocol.messages import MatchReady, MatchStart, Turn
from tests.fixtures.operator import lines_of
from tests.fixtures.playing_room import Guest, HungUpError, first_legal
from tests.server.ladder_hall import until

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
NOTE: Final = "a note of a bot"
"""What all bots note with all turns."""


class Club:
    """The folder of a venue, and the referee that plays in it now."""

    def __init__(self, folder: Path, most_matches: int = 10_000) -> None:
        self.folder = folder
        self.most_matches = most_matches
        self.runs = folder / "runs"
        self.runs.mkdir(parents=True)
        (folder / "door").mkdir(mode=0o700)
        self.house: list[str] = []
        self.crashing: set[str] = set()
        """House bots that end at once."""
        self.tokens: dict[str, str] = {}
        self.events: list[Event] = []
        self.opened: list[Opened] = []
        self._guests: set[Guest] = set()
        self._ahead_ms = 0
        self._ended_ms = 0
        """When the last referee ended: a later one begins with the system's time, which stood still."""
        self.write(*HOUSE)

    def write(self, *house: str) -> None:
        """Write the operator's file; new house bots get their programs."""
        text = FILE.format(folder=self.folder, most_matches=self.most_matches)
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
        """Play in the venue as its referee does, and end as by a kill; yields a nursery for bots."""
        with _scripted(self):
            async with open_venue(self.events.append) as venue, trio.open_nursery() as nursery:
                self._clock = venue.loop.clock
                self._ahead_ms += max(0, self._ended_ms - self.now_ms())
                number = len(self.opened)
                nursery.start_soon(
                    play,
                    venue,
                    VenueFolder(self.folder),
                    "http://club.example/",
                    self.events.append,
                    self.opened.append,
                    self.now_ms,
                )
                await until(lambda: len(self.opened) > number)
                try:
                    yield nursery
                finally:
                    self._ended_ms = self.now_ms()
                    nursery.cancel_scope.cancel()
                    for guest in list(self._guests):
                        await self.close(guest)

    def now_ms(self) -> int:
        """The time of the venue, which a test can set forward."""
        return self._clock.now_ms() + self._ahead_ms

    def before_midnight(self) -> None:
        """Set the venue's clock to a minute and a half before midnight."""
        self._ahead_ms += DAY_MS - self.now_ms() % DAY_MS - 90_000

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

    async def live(self, name: str, fingerprint: str = "", think_s: float = THINK_S) -> None:
        """Play with a bot from elsewhere, which comes back whenever its connection is lost."""
        while True:
            with suppress(OSError):
                guest = await self.connect(str(self.folder / "door" / "socket"))
                with suppress(
                    HungUpError, AssertionError, trio.BrokenResourceError
                ):  # or it is told to wait
                    await guest.log_in(name, self.tokens[name], fingerprint=fingerprint)
                    await play_on(guest, think_s)
                await self.close(guest)
            await trio.sleep(5)

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

    def rests(self, run: str, entrant: str) -> bool:
        """Whether an entrant has forfeited so often that it rests."""
        lines = (self.runs / run / "tournament.jsonl").read_bytes().splitlines(keepends=True)
        book = DayRecord.of(run, lines).state.book
        assert book is not None
        return book.players[entrant].rests_until_ms > 0

    def verified(self, run: str) -> Verified:
        return verify_run(RunFiles(self.runs / run))

    def verify(self) -> Iterator[VerifiedRun]:
        """Verify the whole venue as it stands."""
        record = (self.folder / "venue.jsonl").read_bytes()
        return verify_venue(record, self._files(), verify_run)

    def _files(self) -> dict[str, Files]:
        return {path.name: RunFiles(path) for path in self.runs.iterdir()}


async def play_on(guest: Guest, think_s: float) -> None:
    """Play every match, with the first legal turn for every turn, until the arena hangs up."""
    while True:
        message = await guest.hear_next()
        if isinstance(message, MatchStart):
            await guest.say(MatchReady(match=message.match))
        elif isinstance(message, Turn):
            await trio.sleep(think_s)
            await guest.answer(message, moves=first_legal(message), info=NOTE)


@contextmanager
def _scripted(club: Club) -> Iterator[None]:
    """Play house bots by a script in place of their programs."""

    async def run_once(launched: Launched) -> Ended:
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
                    await play_on(guest, THINK_S)
            finally:
                await club.close(guest)
        return Ended(reason=Said("program.exit", {"status": 1}))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Launched, "_run_once", run_once)

        async def at_once(call: Any, *args: object, **_: object) -> object:
            await trio.lowlevel.checkpoint()
            return call(*args)

        patch.setattr(trio.to_thread, "run_sync", at_once)  # else the clock jumps meanwhile
        yield

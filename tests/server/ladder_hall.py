"""A venue with a ladder, as the series of days will have it, and scripted bots that play in it."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

import trio

from arena.records.ladder_facts import EntrantCame, LadderOpened
from arena.records.verify import Verified, verify_run
from arena.server.door.connection_limits import Room as RoomForBots
from arena.server.io.failures import causes
from arena.server.io.operator_log import Event
from arena.server.run.ladder_roster import Presence
from arena.server.run.ladder_run import OpenDay
from arena.server.run.tournament import Drained, Run, play_in
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.listen_section import ListenSection
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from arena.server.venue.venue import Venue, open_venue
from arena.tournaments.ladder_players import Player
from arena.words import SaidError
from protocol.messages import MatchReady, MatchStart, Turn
from tests.fixtures.operator import lines_of
from tests.fixtures.playing_room import Guest, HungUpError, token_of

PLAN = """
[tournament]
format = "ladder"
seats = {seats}
pairs = 1
[clock]
delay_ms = 2000
bank_ms = 10000
[limits]
turns = 4
join_ms = 60000
startup_ms = 10000
grace_ms = 10000
"""
MOST_GUESTS = 40
ANCHORS = ("random", "greedy", "deep")


class Hall:
    """A venue with the days of one ladder. It is also the `Members` of the venue."""

    def __init__(self, venue: Venue, nursery: trio.Nursery, directory: Path) -> None:
        self.venue = venue
        self.nursery = nursery
        self.directory = directory
        self.events: list[Event] = []
        self.days: dict[str, OpenDay] = {}
        self.runs: dict[str, Run] = {}
        self.ends: dict[str, BaseException | None] = {}
        self.programs: list[tuple[BotSection, Presence]] = []
        self._accounts: dict[str, Account] = {}
        self.builds: dict[str, list[str]] = {}
        """The fingerprints of each bot, in the order of its versions."""
        self.away: dict[str, str] = {}
        """Why a bot is not to be paired."""
        self.looked_at: list[str] = []
        """The bots that days have asked about."""
        self.matches_at_once: dict[str, int] = {}
        self._guests: list[Guest] = []
        self.socket = directory / "door"

    def open(self) -> None:
        """Open the door."""
        listen = ListenSection(address=f"unix:{self.socket}", insecure=True)
        self.venue.entrance.open_to_others(listen, self.directory)

    # Members

    def house(self) -> Iterable[tuple[BotSection, Presence]]:
        return self.programs

    def accounts(self) -> Iterable[Account]:
        return list(self._accounts.values())

    def presence(self, account: Account) -> Presence:
        name = account.name
        self.looked_at.append(name)
        if name in self.away:
            return self.away[name]  # type: ignore[return-value]
        if account.connection is None or account.login is None:
            return "left"
        builds = self.builds.setdefault(name, [])
        if account.login.fingerprint not in builds:
            builds.append(account.login.fingerprint)
        version = builds.index(account.login.fingerprint) + 1
        is_house = name in ANCHORS
        player = Player(
            entrant=f"{name}-{version}",
            bot=name,
            version=version,
            parent=f"{name}-{version - 1}" if version > 1 else "",
            is_house=is_house,
            is_anchor=is_house,
        )
        return EntrantCame(
            at_ms=0,
            player=player,
            fingerprint=account.login.fingerprint,
            at_once=self.matches_at_once.get(name, 8 if is_house else 1),
        )

    def join(self, *names: str) -> None:
        """Let bots log in from now on; the venue keeps them, whatever days there are."""
        for name in names:
            account = Account(name, token_of(name), grace_ms=10_000, changes_build=True)
            self._accounts[name] = account
            self.venue.entrance.borrow(account)
        for day in self.days.values():
            day.look(names)

    # Days

    def anchors(self) -> list[Player]:
        """The players of a first day."""
        return [
            Player(entrant=f"{name}-1", bot=name, version=1, is_house=True, is_anchor=True)
            for name in ANCHORS
        ]

    def begin(
        self, name: str, opening: LadderOpened | None = None, *, seats: int = 4, text: str = PLAN
    ) -> OpenDay:
        """Open a day, or go on with it."""
        if opening is None:
            opening = LadderOpened(at_ms=0, key_commitment="", players=self.anchors())
        plan_text = text.format(seats=seats)
        folder = RunFolder(self.directory / name)
        folder.open(plan_text)
        day = OpenDay(opening, self)
        self.days[name] = day
        self.runs[name] = Run(
            plan=parse_plan(plan_text),
            id=name,
            folder=folder,
            directory=self.directory,
            report=lambda _: None,
            show=self.events.append,
            day=day,
        )
        self.ends.pop(name, None)
        self.nursery.start_soon(self._play, self.runs[name])
        return day

    async def _play(self, run: Run) -> None:
        end: BaseException | None = None
        with closing(run.folder):
            try:
                await play_in(self.venue, run)
            except* (OSError, SaidError, Drained) as errors:
                [end] = causes(errors)
        self.ends[run.id] = end

    async def ended(self, name: str) -> BaseException | None:
        await until(lambda: name in self.ends)
        return self.ends[name]

    def lines(self, name: str, *events: str) -> list[dict[str, Any]]:
        """The lines of a day, or those of some kinds."""
        path = self.directory / name / "tournament.jsonl"
        if not path.exists():
            return []
        lines = lines_of(path)
        return [line for line in lines if not events or line["event"] in events]

    def settled(self, name: str) -> int:
        return self.count(name, "fixture_settled")

    def count(self, name: str, event: str) -> int:
        """How many lines of a kind a day has by now."""
        path = self.directory / name / "tournament.jsonl"
        if not path.exists():
            return 0
        return path.read_bytes().count(f'{{"event":"{event}"'.encode())

    def verified(self, name: str) -> Verified:
        return verify_run(self.runs[name].folder.files)

    # Bots

    async def come(self, name: str, **more: Any) -> Guest:
        guest = Guest(
            await trio.open_unix_socket(str(self.socket)),
            self.venue.loop.clock.now_ms,
            self.venue.loop.clock.loop_time,
        )
        self._guests.append(guest)
        await guest.log_in(name, **more)
        return guest

    async def live(self, name: str, fingerprint: str = "", think_s: float = 0.05) -> None:
        """Play, and come back whenever a connection is lost."""
        while True:
            with suppress(HungUpError):
                guest = await self.come(name, fingerprint=fingerprint)
                await self.play(guest, think_s)
            await trio.sleep(0.5)

    async def play(self, guest: Guest, think_s: float = 0.05) -> None:
        while True:
            message = await guest.hear_next()
            if isinstance(message, MatchStart):
                await guest.say(MatchReady(match=message.match))
            elif isinstance(message, Turn):
                await trio.sleep(think_s)
                await guest.answer(message)

    def all_live(self, names: Sequence[str], think_s: float = 0.05) -> None:
        self.join(*names)
        for name in names:
            self.nursery.start_soon(self.live, name, "", think_s)

    async def close(self) -> None:
        with trio.CancelScope(shield=True):
            for guest in self._guests:
                await trio.aclose_forcefully(guest.stream)


@asynccontextmanager
async def open_hall(directory: Path) -> AsyncIterator[Hall]:
    """A hall with an open door."""
    async with AsyncExitStack() as stack:
        venue = await stack.enter_async_context(open_venue(lambda _: None))
        nursery = await stack.enter_async_context(trio.open_nursery())
        hall = Hall(venue, nursery, directory)
        room = RoomForBots(files=MOST_GUESTS, private=0, public=MOST_GUESTS)
        stack.enter_context(venue.entrance.expecting(room))
        hall.open()
        stack.push_async_callback(hall.close)
        yield hall
        nursery.cancel_scope.cancel()


async def until(question: Callable[[], bool]) -> None:
    """Let the others go on until a condition holds, five hours of the mock clock at most."""
    with trio.fail_after(5 * 3600):
        while not question():  # noqa: ASYNC110 - on the mock clock it costs nothing to look again
            await trio.sleep(1)

"""A venue with cups, for tests: its accounts and log are real, its ladder is a book of ratings."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import trio

from arena.records.facts import TournamentEnded
from arena.records.ladder_day import LadderBook
from arena.records.lines import read_tournament
from arena.records.venue_facts import CupBegun, CupLeftOut
from arena.records.verify import Verified, verify_run
from arena.server.io.operator_log import Event
from arena.server.series.cups import Cups
from arena.server.series.days import Surroundings
from arena.server.setup.bot_section import BotSection
from arena.server.setup.run_folder import RunFiles
from arena.server.setup.venue_file import CupSection, VenuePlan, parse_venue
from arena.server.setup.weekly import WEEKDAYS
from tests.fixtures.ladder_books import book_of
from tests.fixtures.playing_room import HungUpError
from tests.server.house import FILE, LISTEN, House, open_house

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS
CUP: Final = """
[[cup]]
name = "{name}"
ladder = "vasa"
day = "{day}"
time = "{time}"
best = {best}
format = "{format}"
{more}
[cup.clock]
delay_ms = 60000
[cup.limits]
turns = 4
join_ms = 60000
sandbox = "off"
"""


class FakeLadders:
    """The ladders: a book."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.book: LadderBook | None = book_of({})
        self.house_bots: Sequence[str] = ()

    def book_of(self, ladder: str) -> LadderBook | None:
        assert ladder == "vasa"
        return self.book

    def house_of(self, ladder: str) -> Iterable[BotSection]:
        assert ladder == "vasa"
        for name in self.house_bots:
            yield BotSection(name=name, id=f"{name}-1", command="true", matches_at_once=2)


class Club:
    """A venue with cups."""

    def __init__(self, house: House, nursery: trio.Nursery, plan: VenuePlan) -> None:
        self.house = house
        self.nursery = nursery
        self.events: list[Event] = []
        self.ladders = FakeLadders(house)
        self.now_ms = house.log.now_ms
        self.house.accounts.plan = plan
        around = Surroundings(
            venue=house.venue,
            runs=house.folder / "runs",
            directory=house.folder,
            log=house.log,
            accounts=house.accounts,
            show=self.events.append,
        )
        self.around = around
        self.paired_otherwise: list[list[str]] = []
        """The bots that play in cups, whenever the ladders are to look at them again."""
        house.accounts.on_change = lambda _: self.paired_otherwise.append(self.aside)
        self.cups = Cups(around, cast("Any", self.ladders))

    def keep(self) -> None:
        """Keep the cups from now on."""
        self.nursery.start_soon(self.cups.keep)

    async def come(self, name: str, think_s: float = 0.0, **more: Any) -> None:
        """Let a bot join that plays from now on, and comes back after a lost connection."""
        token = await self.house.join(name)
        self.nursery.start_soon(partial(self.live, name, token, think_s, **more))
        await self.until(lambda: self.house.accounts.players[name].account.login is not None)

    async def live(self, name: str, token: str, think_s: float = 0.0, **more: Any) -> None:
        """Play, and come back after a lost connection or a refused login."""
        while True:
            with suppress(HungUpError):
                guest, _ = await self.house.try_login(name, token, **more)
                await guest.play_along(think_s)
            await trio.sleep(1)

    async def until(self, question: Callable[[], bool], step_s: float = 1.0) -> None:
        """Let time go on until a condition holds, ten days at most; look at each step."""
        with trio.fail_after(10 * 86_400):
            while not question():  # noqa: ASYNC110 - on the mock clock it costs nothing
                await trio.sleep(step_s)

    def lines(self) -> list[CupBegun | CupLeftOut]:
        """What the log has of cups."""
        return [line for line in self.house.lines() if isinstance(line, CupBegun | CupLeftOut)]

    def files(self, run: str) -> RunFiles:
        return RunFiles(self.house.folder / "runs" / run)

    def events_of(self, run: str) -> list[str]:
        """The kinds of lines in the record of a run."""
        record = self.files(run).get("tournament.jsonl", b"")
        return [type(fact).__name__ for _, fact in read_tournament("x", record)]

    def verified(self, run: str) -> Verified:
        return verify_run(self.files(run))

    def winners(self, run: str) -> list[str]:
        """The entrants at the first place when a run has ended."""
        record = self.files(run)["tournament.jsonl"]
        facts = [fact for _, fact in read_tournament("x", record)]
        [ended] = [fact for fact in facts if isinstance(fact, TournamentEnded)]
        return [row.entrant for row in ended.standings if row.place == 1]

    def told(self) -> list[tuple[str, str]]:
        """The events about cups, each with the cup."""
        events = [*self.events, *self.house.events]
        return [(event["event"], event["cup"]) for event in events if "cup" in event]

    @property
    def aside(self) -> list[str]:
        """The bots that play in cups now."""
        return sorted(bot for bots in self.around.in_cups.values() for bot in bots)

    def over(self) -> bool:
        """True if no cup is played now, and one was."""
        return any(self.paired_otherwise) and not self.around.in_cups


def cup_at(due_ms: int, **more: Any) -> str:
    """The section of a cup that is due at this time."""
    due = datetime.fromtimestamp(due_ms / 1000, UTC)
    fields = {"name": "sat", "best": 4, "format": "swiss-monrad-1", "more": ""} | more
    return CUP.format(day=WEEKDAYS[due.weekday()], time=f"{due:%H:%M}", **fields)


def in_minutes(minutes: int) -> int:
    """A full minute of this run of the mock clock, about so far from now."""
    now_ms = int(datetime.now(UTC).timestamp() * 1000)
    return (now_ms // MINUTE_MS + minutes) * MINUTE_MS


def plan_with(folder: Path, *cups: str) -> VenuePlan:
    text = FILE.format(listen=LISTEN.format(folder=folder), joining="invite")
    text = text.replace("[limits]", "[limits]\nidle_ms = 0")  # a week of pings takes long
    return parse_venue(text + "".join(cups))


def section_of(text: str) -> CupSection:
    return plan_with(Path("/"), text).cup[0]


@asynccontextmanager
async def open_club(folder: Path, *cups: str) -> AsyncIterator[Club]:
    """Open a venue with cups, new or again; the cups are kept once a test says so."""
    async with open_house(folder) as house, trio.open_nursery() as nursery:
        yield Club(house, nursery, plan_with(folder, *cups))
        nursery.cancel_scope.cancel()

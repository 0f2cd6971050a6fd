"""A venue with its accounts and its operator, for tests: a door on a Unix socket, no runs."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import trio

from arena.records.files import VENUE_RECORD
from arena.records.venue_book import venue_lines
from arena.records.venue_facts import VenueFact
from arena.server.io.operator_log import Event
from arena.server.series.accounts import Accounts, open_door
from arena.server.series.admin_orders import MakeInvite
from arena.server.series.administration import Administration
from arena.server.series.venue_log import VenueLog
from arena.server.setup.venue_file import parse_venue
from arena.server.setup.venue_folder import VENUE_FILE
from arena.server.venue.venue import Venue, open_venue
from protocol.greetings import Hello, Join, Joined
from protocol.messages import Error
from tests.fixtures.playing_room import Guest, login

FILE: Final = """
[venue]
name = "club"
joining = "{joining}"
{listen}
[limits]
sign_ups_a_day = 2
logins_a_minute = 3
[[ladder]]
name = "vasa"
[[bot]]
name = "random"
command = "true"
[[bot]]
name = "greedy"
command = "true"
[[bot]]
name = "neural"
command = "true"
"""
LISTEN: Final = '[listen]\naddress = "unix:{folder}/door/socket"'
FRONT: Final = "https://arena.example/"


class House:
    """A venue that is open."""

    def __init__(self, venue: Venue, folder: Path, joining: str, listen: str) -> None:
        self.venue = venue
        self.folder = folder
        self.events: list[Event] = []
        (folder / "door").mkdir(mode=0o700, exist_ok=True)
        listen = listen or LISTEN.format(folder=folder)
        (folder / VENUE_FILE).write_text(FILE.format(listen=listen, joining=joining))
        plan = parse_venue((folder / VENUE_FILE).read_text())
        self.log = VenueLog(folder, plan.venue.name, venue.loop.clock.now_ms)
        self.accounts = Accounts(venue.entrance, self.log, plan, front=FRONT)
        self.accounts.enrol_house(plan.bot)
        self.administration = Administration(folder, venue.entrance, self.accounts, self.log)
        self._guests: list[Guest] = []
        self.failures: list[BaseException] = []

    def lines(self) -> list[VenueFact]:
        """What stands in the log on the disk."""
        record = (self.folder / VENUE_RECORD).read_bytes()
        return [fact for _, fact in venue_lines.read(VENUE_RECORD, record)]

    def invite(self) -> str:
        """A new code."""
        return self.administration.obey(MakeInvite()).invite

    async def connect(self, path: str = "") -> Guest:
        """A new connection, at the door or another socket, whose hello has been heard."""
        guest = Guest(
            await trio.open_unix_socket(path or str(self.folder / "door" / "socket")),
            self.venue.loop.clock.now_ms,
            self.venue.loop.clock.loop_time,
        )
        self._guests.append(guest)
        await guest.hear(Hello)
        return guest

    async def hang_up(self) -> None:
        """Close all connections."""
        for guest in self._guests:
            await trio.aclose_forcefully(guest.stream)

    async def ask(self, name: str, invite: str | None = None, **more: Any) -> Joined | Error:
        """The answer to a join on a connection of its own, which ends with it."""
        guest = await self.connect()
        await guest.say(Join(protocol=1, name=name, invite=invite, **more))
        answer = await guest.hear_next()
        assert isinstance(answer, Joined | Error)
        await guest.is_cut_off()
        await guest.hang_up()
        return answer

    async def join(self, name: str, **more: Any) -> str:
        """Join with a new invite; gives the token."""
        answer = await self.ask(name, self.invite(), **more)
        assert isinstance(answer, Joined), answer
        return answer.token

    async def try_login(self, name: str, token: str, **more: Any) -> tuple[Guest, Any]:
        """A login, and what the arena says to it."""
        guest = await self.connect()
        await guest.say(login(name, token, **more))
        return guest, await guest.hear_next()


@asynccontextmanager
async def open_house(
    folder: Path, joining: str = "invite", listen: str = ""
) -> AsyncIterator[House]:
    """Open a venue in a folder, new or again."""
    events: list[Event] = []
    async with open_venue(events.append) as venue:
        house = House(venue, folder, joining, listen)
        house.events = events
        try:
            with open_door(venue.entrance, house.accounts.plan, folder):
                yield house
        finally:
            house.accounts.close()
            with trio.CancelScope(shield=True):
                await house.hang_up()

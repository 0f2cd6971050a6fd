"""The roster of a run: the bots that it borrows, and those that it starts."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import trio

from arena.records.facts import Way
from arena.server.door.connection_limits import room_for
from arena.server.io import secret_values
from arena.server.play.player import Player
from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import Containment, find_containment
from arena.server.programs.launcher import Launched
from arena.server.run.remote_bots import RemoteBots, borrowed_bots
from arena.server.run.resume import UnderWay, builds_in
from arena.server.run.seat_pages import SeatPages
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.setup.run_folder import Secrets
from arena.server.setup.seat_order import SeatOrder, SeatToServe
from arena.server.venue.venue import OpenRun, Venue
from arena.tournaments.schedule import Fixture
from protocol.messages import Bye

LAST_WORD_SECONDS: Final = 0.2
"""How long the arena's last word may take to be delivered."""


@dataclass(slots=True, eq=False)
class _Started:
    """A bot whose program was started for one match."""

    player: Player
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    has_ended: trio.Event = field(default_factory=trio.Event)


class Roster:
    """The players of every fixture."""

    def __init__(
        self,
        venue: Venue,
        run: OpenRun,
        remote: RemoteBots,
        containment: Containment,
        builds: Mapping[str, str],
        programs: trio.Nursery,
        sections: Mapping[str, BotSection],
    ) -> None:
        """`sections` are those of the entrants, by id."""
        self._sections = dict(sections)
        self._venue = venue
        self._run = run
        self._remote = remote
        self._containment = containment
        self._builds = builds
        self._programs = programs
        self._lasting = dict(remote.players)
        """The bots that stay: all remote ones, and those started for the whole run."""
        self._started: dict[tuple[str, str], _Started] = {}
        """The bots that were started for one match, by its id and the entrant."""
        self._matches_in_play: Counter[str] = Counter()
        """Number of matches that this run plays with each bot that no other run has."""

    @property
    def contained(self) -> dict[str, Way]:
        """The kind of containment of each bot that this machine starts."""
        launched = [name for name, bot in self._sections.items() if not bot.remote]
        return dict.fromkeys(launched, self._containment.way)

    @property
    def entrants(self) -> AbstractSet[str]:
        """The entrants that may be paired."""
        return self._sections.keys()

    def is_away(self, name: str) -> bool:
        """Return whether a bot connects from elsewhere, and is not connected."""
        player = self._remote.players.get(name)
        return player is not None and not player.is_connected

    def has_room(self, name: str) -> bool:
        """Return whether a bot can play another match, away or not; its other runs count."""
        player = self._remote.players.get(name)
        matches = self._matches_in_play[name]
        if player is not None:
            matches = player.matches_in_play
        return matches < self._sections[name].matches_at_once

    def change_matches(self, name: str, by: int) -> None:
        """Add `by` to the number of matches that this run plays with a bot; it may be negative."""
        player = self._remote.players.get(name)
        if player is None:
            self._matches_in_play[name] += by
            self._remote.on_change(name)
        else:
            player.change_matches(by)

    def tell_changes(self, tell: Callable[[str], object]) -> None:
        """Call `tell` with a bot's name when it comes, goes, or plays more or fewer matches."""
        self._remote.on_change = tell

    def start_lasting(self) -> None:
        """Start the programs that stay for the whole run."""
        for name, section in self._sections.items():
            if section.process == "run":
                self._lasting[name] = self._start(name, None, self._builds.get(name)).player

    def prepare(self, fixture: Fixture, builds: Mapping[str, str]) -> tuple[Player, Player]:
        """Return both players of a fixture, and start the programs that are needed for it alone.

        Bots in `builds` must have this fingerprint.
        """
        first = self._player(fixture, fixture.first, builds)
        second = self._player(fixture, fixture.second, builds)
        return first, second

    def _player(self, fixture: Fixture, name: str, builds: Mapping[str, str]) -> Player:
        """Return the player of an entrant; start its program if it has none."""
        lasting = self._lasting.get(name)
        if lasting is not None:
            return lasting
        started = self._started.get((fixture.id, name))
        if started is None:
            started = self._start(name, fixture.id, builds.get(name))
            self._started[fixture.id, name] = started
        return started.player

    async def release(self, fixture: Fixture) -> None:
        """End the programs of a match that is over, or is not to be played."""
        bots = []
        for name in (fixture.first, fixture.second):
            bot = self._started.pop((fixture.id, name), None)
            if bot is not None:
                bots.append(bot)
        for bot in bots:
            bot.player.account.dismiss(Bye(reason="the match is over"))
            self._venue.entrance.logins.forget(bot.player)
        self._venue.loop.end_batch()
        for bot in bots:
            bot.scope.cancel()
        for bot in bots:
            await bot.has_ended.wait()

    def _start(self, name: str, fixture: str | None, build: str | None) -> _Started:
        """Start a program, for a fixture or the whole run.

        It must have the fingerprint `build`, if that is not None.
        """
        run = self._run
        account = Account(
            name,
            secret_values.new_token(),
            grace_ms=0,
            idle_ms=run.plan.limits.idle_ms,
            is_launched=True,
            keeps_remarks=self._venue.entrance.doorkeeper is None,
            build=build,
        )
        log = run.log
        if fixture:
            log = log.bind(match=fixture)
        program = Launched(
            loop=self._venue.loop,
            account=account,
            command=command_of(self._sections[name], run.directory),
            containment=self._containment,
            address=self._venue.entrance.address,
            output=run.folder.bot_output(name, fixture),
            log=log,
        )
        started = _Started(Player(account, self._venue.loop, program=program))
        self._venue.entrance.logins.expect(started.player)
        self._programs.start_soon(self._keep, program, started)
        return started

    async def _keep(self, program: Launched, started: _Started) -> None:
        """Run a program to its end; its bot may log in as long."""
        try:
            with started.scope:
                await program.run(started.player.program_ended)
        finally:
            self._venue.entrance.logins.forget(started.player)
        started.has_ended.set()

    async def dismiss(self) -> None:
        """Say goodbye to the bots that have stayed, unless other runs need them."""
        word = Bye(reason="the tournament is over")
        for name, player in self._lasting.items():
            if name not in self._remote.players:
                player.account.dismiss(word)
        self._remote.give_back(self._venue.entrance, word)
        seconds = LAST_WORD_SECONDS if self._lasting else 0
        await trio.sleep(seconds)

    def take_back(self) -> None:
        """Take back all messages of this batch, and cut off bots that play for other runs, too.

        Those bots are told everything again when they have come back.
        """
        for player in self._lasting.values():
            player.take_back()
        for started in self._started.values():
            started.player.take_back()


def open_entrance(venue: Venue, run: OpenRun) -> Containment:
    """Listen for the programs of a run; returns how they are contained."""
    run.containment = find_containment(
        run.plan,
        hidden=run.places,
        directory=run.directory,
        others=venue.places,
    )
    venue.entrance.open()
    return run.containment


@asynccontextmanager
async def open_roster(
    venue: Venue,
    run: OpenRun,
    secrets: Secrets,
    *,
    under_way: Mapping[str, UnderWay],
    accounts: Mapping[str, Account],
    pages: SeatPages | None = None,
    tell_seats: Callable[[SeatOrder], object] | None = None,
) -> AsyncIterator[Roster]:
    """Let the bots in, and wait for those from elsewhere. This is all that a run needs.

    Bots of attempts `under_way` must have the fingerprints that they had. `accounts` are those that
    entrants have in the venue. `pages` have the seats of
    persons; the wait for bots begins when they are served. `tell_seats` gets the seats, too. Raises
    what `borrowed_bots` raises, and `PagesError`.
    """
    plan = run.plan
    containment = open_entrance(venue, run)
    builds = builds_in(under_way.values())
    launched = [bot for bot in plan.bot if not bot.remote]
    if launched:
        venue.keep_fork_server()
    with (
        venue.entrance.expecting(room_for(plan)),
        borrowed_bots(venue.entrance, run, secrets, builds, accounts) as remote,
    ):
        if launched:
            containment.log_to(run.log, launched, run.directory)
        async with trio.open_nursery() as programs:
            make_order = partial(_order_of_pages, run, venue.entrance.address, remote)
            if tell_seats is not None:
                tell_seats(make_order())
            if pages is not None:
                await programs.start(pages.keep, make_order, run.log)
            if plan.tournament.absent == "forfeit":  # else their matches wait for them
                await remote.gather(plan.limits.join_ms)
            sections = {bot.entrant: bot for bot in plan.bot}
            yield Roster(venue, run, remote, containment, builds, programs, sections)
            programs.cancel_scope.cancel()


def _order_of_pages(run: OpenRun, address: str, remote: RemoteBots) -> SeatOrder:
    """Return the seats that pages are to serve; without pages, those of all who connect."""
    seats = []
    for bot in run.plan.by_pages or run.plan.from_elsewhere:
        seat = SeatToServe(
            entrant=bot.entrant,
            token=remote.players[bot.entrant].account.token,
            is_taken=remote.has_come(bot.entrant),
        )
        seats.append(seat)
    return SeatOrder(
        run=str(run.folder.path),
        address=address,
        seats=tuple(seats),
    )

"""The roster of a day of a ladder: bots of the house, and those from elsewhere as they come."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import trio

from arena.records.ladder_facts import WhyGone
from arena.server.door.connection_limits import room_for
from arena.server.play.player import Player
from arena.server.programs.containment import Containment, find_containment
from arena.server.run.ladder_log import Arrival, LadderLog
from arena.server.run.remote_bots import RemoteBots
from arena.server.run.resume import builds_in
from arena.server.run.roster import Roster
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.venue.entrance import STOPPED
from arena.server.venue.venue import OpenRun, Venue
from arena.words import Said
from protocol.errors import ErrorCode
from protocol.messages import Bye, Error

Presence: TypeAlias = Arrival | WhyGone
"""The version of a bot that can be paired now, or why none can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseBot:
    """A program of the operator, which is started for each match."""

    section: BotSection
    """Its command; the id of the section is that of the version."""
    arrival: Arrival


class Members(Protocol):
    """The bots of a venue, as a day asks for them."""

    def house(self) -> Iterable[HouseBot]:
        """Return the programs of the operator that play in this ladder."""

    def accounts(self) -> Iterable[Account]:
        """Return the accounts of the bots from elsewhere; each is one value while it lasts."""

    def presence(self, account: Account) -> Presence:
        """Return the version that a connected bot has logged in as, or why it is not paired."""


@dataclass(slots=True, eq=False)
class _Borrowed:
    """A bot from elsewhere while the day lasts."""

    player: Player
    matches: int = 0
    """Matches of this day that it plays."""
    entrant: str = ""
    """The version that is there; empty while none is."""


class LadderRoster(Roster):
    """The players of a day: they come and go, and lines say so."""

    def __init__(
        self,
        venue: Venue,
        run: OpenRun,
        containment: Containment,
        programs: trio.Nursery,
        log: LadderLog,
        members: Members,
    ) -> None:
        super().__init__(venue, run, RemoteBots([], run.log), containment, {}, programs, {})
        self._log = log
        self._members = members
        self._house: dict[str, HouseBot] = {}
        self._borrowed: dict[str, _Borrowed] = {}
        """The bots from elsewhere, by the names of their accounts."""
        self._bot_of: dict[str, str] = {}
        """The account of each entrant from elsewhere."""
        self._patience: set[str] = set()
        """Absent entrants whose matches wait for them a while."""
        self._changed: dict[str, None] = {}
        """The accounts that have to be looked at."""
        self._wakes = trio.Event()

    # Who is there

    def look(self) -> None:
        """See who has joined or left the venue, or may play again: ask the members anew."""
        self._borrow_new()
        for name in self._borrowed:
            self._changed[name] = None
        self._take_house()
        self._wakes.set()

    def tell_all(self) -> None:
        """Let the scheduler look at every entrant: the day is being closed."""
        for entrant in self.entrants:
            self._remote.on_change(entrant)

    def _take_house(self) -> None:
        """Let the programs of the operator come and go as the members say."""
        house = {bot.arrival.entrant: bot for bot in self._members.house()}
        for entrant in self._house.keys() - house.keys():
            self._log.goes(entrant, "replaced")
        self._house |= house
        for entrant, bot in house.items():
            self._sections[entrant] = bot.section
        self._log.contain(self.contained)
        for entrant, bot in house.items():
            self._log.comes(bot.arrival)
            self._remote.on_change(entrant)

    def _borrow_new(self) -> None:
        """Borrow the bots that have joined since the last look. Raises `AccountError`."""
        for account in self._members.accounts():
            if account.name in self._borrowed:
                continue
            player = self._venue.entrance.borrow(account)
            self._borrowed[account.name] = _Borrowed(player)
            player.seen_by.append(self._seen)
            player.on_matches.append(self._note_change)

    def await_players(self, entrants: Collection[str], builds: Mapping[str, str]) -> None:
        """Wait a while for the bots of matches that go on; they must have these fingerprints."""
        for entrant in entrants:
            bot = self._log.book.players[entrant].known.bot
            borrowed = self._borrowed.get(bot)
            if borrowed is not None:
                self._bot_of[entrant] = bot
                self._lasting[entrant] = borrowed.player
                account = borrowed.player.account
                account.build = account.build or builds.get(entrant)
                self._wait_for(entrant)

    def _seen(self, account: Account, lost: Said | None) -> None:
        """Note that a bot has logged in, or that it has lost its connection for this reason."""
        if lost is None:
            self._run.log.info("bot_returned", name=account.name)
        else:
            self._run.log.warning("bot_lost", name=account.name, reason=lost)
        self._note_change(account.name)

    def _note_change(self, bot: str) -> None:
        self._changed[bot] = None
        self._wakes.set()

    async def keep_lines(self) -> None:
        """Write, for ever, who comes and goes; a batch in which it is noticed ends first."""
        while True:
            await self._wakes.wait()
            self._wakes = trio.Event()
            changed, self._changed = self._changed, {}
            for bot in changed:
                if bot in self._borrowed:
                    self._update(self._borrowed[bot])

    def _update(self, borrowed: _Borrowed) -> None:
        """Write that a bot has come or gone, and tell the scheduler."""
        presence = self._presence(borrowed)
        entrant = borrowed.entrant
        if isinstance(presence, Arrival) and presence.entrant != entrant:
            if entrant:
                self._log.goes(entrant, "replaced")
            self._bot_of[presence.entrant] = presence.bot
            self._lasting[presence.entrant] = borrowed.player
            self._patience.discard(presence.entrant)
            borrowed.entrant = presence.entrant
            self._log.comes(presence)
            entrant = presence.entrant
        elif entrant and not isinstance(presence, Arrival):
            self._log.goes(entrant, presence)
            borrowed.entrant = ""
            if presence == "left":
                self._wait_for(entrant)
        if entrant:
            self._remote.on_change(entrant)
        for other, bot in self._bot_of.items():
            if bot == borrowed.player.account.name and other != entrant:
                self._remote.on_change(other)

    def _presence(self, borrowed: _Borrowed) -> Presence:
        player = borrowed.player
        if not player.is_connected:
            return "left"
        presence = self._members.presence(player.account)
        if isinstance(presence, Arrival):
            elsewhere = player.matches_in_play - borrowed.matches
            if elsewhere and player.matches_in_play >= presence.at_once:
                return "elsewhere"
        return presence

    def _wait_for(self, entrant: str) -> None:
        """Let the matches of an absent entrant wait for a while before they go on without it."""
        if self._log.book.players[entrant].in_play:
            self._patience.add(entrant)
            self._programs.start_soon(self._lose_patience, entrant)

    async def _lose_patience(self, entrant: str) -> None:
        await trio.sleep(self._run.plan.limits.join_ms / 1000)
        self._patience.discard(entrant)
        self._remote.on_change(entrant)

    # What the scheduler asks

    @property
    def entrants(self) -> AbstractSet[str]:
        """The entrants that may be paired."""
        return self._house.keys() | self._bot_of.keys()

    def is_away(self, name: str) -> bool:
        """Return whether the matches of a bot wait for it."""
        player = self._lasting.get(name)
        if player is None or player.is_connected:
            return False
        return name in self._patience

    def has_room(self, name: str) -> bool:
        """Return whether a bot can play another match, away or not; its other runs count."""
        player = self._log.book.players.get(name)
        came = None if player is None else player.came
        most = 1 if came is None else came.at_once
        bot = self._bot_of.get(name)
        if bot is not None:
            return self._borrowed[bot].player.matches_in_play < most
        house = self._house.get(name)
        if house is not None:
            most = house.arrival.at_once
        return self._matches_in_play[name] < most

    def change_matches(self, name: str, by: int) -> None:
        """Add `by` to the number of matches that this run plays with a bot; it may be negative."""
        bot = self._bot_of.get(name)
        if bot is None:
            super().change_matches(name, by)
            return
        borrowed = self._borrowed[bot]
        borrowed.matches += by
        borrowed.player.change_matches(by)
        if not borrowed.player.matches_in_play:
            borrowed.player.account.build = None  # it may come back as another version
        self._remote.on_change(name)

    async def dismiss(self) -> None:
        """Give the bots back to the venue."""
        self.give_back(Bye(reason="the day is over"))
        await trio.lowlevel.checkpoint()

    def give_back(self, word: Bye | Error) -> None:
        """Give all bots back; `word` goes to those that nobody else has borrowed."""
        for borrowed in self._borrowed.values():
            player = borrowed.player
            player.seen_by.remove(self._seen)
            player.on_matches.remove(self._note_change)
            self._venue.entrance.give_back(player, word)
        self._borrowed = {}


@asynccontextmanager
async def open_ladder_roster(
    venue: Venue,
    run: OpenRun,
    log: LadderLog,
    members: Members,
) -> AsyncIterator[LadderRoster]:
    """Let the bots of a venue play in a day; those of matches that go on are waited for."""
    house = [bot.section for bot in members.house()]
    plan = run.plan
    containment = find_containment(
        plan, hidden=run.places, directory=run.directory, others=venue.places
    )
    run.containment = containment
    venue.entrance.open()
    venue.keep_fork_server()
    containment.log_to(run.log, house, run.directory)
    with venue.entrance.expecting(room_for(plan)):
        async with trio.open_nursery() as programs:
            roster = LadderRoster(venue, run, containment, programs, log, members)
            try:
                roster.look()
                in_play = [name for name, player in log.book.players.items() if player.in_play]
                roster.await_players(in_play, builds_in(log.under_way.values()))
                programs.start_soon(roster.keep_lines)
                yield roster
            finally:
                roster.give_back(ErrorCode.SHUTTING_DOWN.to_message(STOPPED))
            programs.cancel_scope.cancel()

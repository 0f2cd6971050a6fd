"""The roster of a day of a ladder: bots of the house, and those from elsewhere as they come."""

from collections.abc import AsyncIterator, Iterable
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import trio

from arena.records.ladder_facts import EntrantCame, WhyGone
from arena.server.door.connection_limits import room_for
from arena.server.play.player import Player
from arena.server.programs.containment import Containment, find_containment
from arena.server.run.ladder_log import LadderLog
from arena.server.run.remote_bots import RemoteBots
from arena.server.run.roster import Roster
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.venue.entrance import STOPPED
from arena.server.venue.venue import OpenRun, Venue
from arena.words import Said
from protocol.errors import ErrorCode
from protocol.messages import Bye, Error

Presence: TypeAlias = EntrantCame | WhyGone
"""The line of a version of a bot that can be paired now, without its time, or why none can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseBot:
    """A program of the operator, which is started for each match."""

    section: BotSection
    """Its command; the id of the section is that of the version."""
    coming: EntrantCame
    """The line of its coming, without its time."""
    why_away: WhyGone | None = None
    """Why it is not paired; its matches in play go on."""


class Members(Protocol):
    """The bots of a venue, as a day asks for them."""

    def house(self) -> Iterable[HouseBot]:
        """Return the programs of the operator that play in this ladder."""

    def accounts(self) -> Iterable[Account]:
        """Return the accounts of the bots from elsewhere; each is one value while it lasts."""

    def presence(self, account: Account) -> Presence:
        """Return the version that a connected bot has logged in as, or why it is not paired."""


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
        self._borrowed: dict[str, Player] = {}
        """The bots from elsewhere, by the names of their accounts."""
        self._there: dict[str, str] = {}
        """The version of each of them that is there."""
        self._patience: set[str] = set()
        """Absent entrants whose matches wait for them a while."""
        self._changed: dict[str, None] = {}
        """The accounts that have to be looked at."""
        self._wakes = trio.Event()

    # Who is there

    def look(self) -> None:
        """See who has joined or left the venue, or may play again: ask the members again."""
        self._borrow_new()
        for name in self._borrowed:
            self._changed[name] = None
        self._take_house()
        self._wakes.set()

    def tell_all(self) -> None:
        """Let the scheduler look at every entrant: the day is being closed."""
        for entrant in self._log.book.players:
            self._remote.on_change(entrant)

    def _take_house(self) -> None:
        """Let the programs of the operator come and go as the members say."""
        house = {bot.coming.player.entrant: bot for bot in self._members.house()}
        for entrant in self._sections.keys() - house.keys():
            self._log.goes(entrant, "replaced")
        for entrant, bot in house.items():
            self._sections[entrant] = bot.section
            if bot.why_away is None:
                self._log.comes(bot.coming)
            else:
                self._log.goes(entrant, bot.why_away)
            self._log.contain({entrant: self._containment.way})
            self._remote.on_change(entrant)

    def _borrow_new(self) -> None:
        """Borrow the bots that have joined since the last look. Raises `AccountError`."""
        for account in self._members.accounts():
            if account.name in self._borrowed:
                continue
            player = self._venue.entrance.borrow(account)
            self._borrowed[account.name] = player
            player.seen_by.append(self._seen)
            player.on_matches.append(self._note_change)

    def await_players(self) -> None:
        """Wait a while for the bots of matches that go on; they come as the versions they were."""
        for entrant, player in self._log.book.players.items():
            bot = player.identity.bot
            if bot not in self._borrowed or not self._log.book.is_playing(entrant):
                continue
            lasting = self._borrowed[bot]
            self._lasting[entrant] = lasting
            if not lasting.is_connected and player.last_coming is not None:
                lasting.account.build = player.last_coming.fingerprint
            self._wait_for(entrant)

    def _seen(self, account: Account, lost: Said | None) -> None:
        """Note that a bot has logged in, or that it has lost its connection for this reason."""
        if lost is None:
            self._run.log.info("bot_returned", name=account.name)
        else:
            self._run.log.warning("bot_lost", name=account.name, reason=lost)
            self._let_change(self._borrowed[account.name])
        self._note_change(account.name)

    def _let_change(self, player: Player) -> None:
        """Let a bot without a match come back as another version."""
        if not player.matches_in_play:
            player.account.build = None

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
                    self._update(bot, self._borrowed[bot])

    def _update(self, bot: str, player: Player) -> None:
        """Write that a bot has come or gone, and tell the scheduler."""
        presence = self._presence(player)
        entrant = self._there.get(bot)
        if isinstance(presence, EntrantCame):
            if presence.player.entrant != entrant:
                if entrant is not None:
                    self._log.goes(entrant, "replaced")
                self._lasting[presence.player.entrant] = player
                self._patience.discard(presence.player.entrant)
                self._there[bot] = presence.player.entrant
                self._log.comes(presence)
        elif entrant is not None:
            self._log.goes(entrant, presence)
            del self._there[bot]
            if presence == "left":
                self._wait_for(entrant)
        for version, lasting in self._lasting.items():
            if lasting is player:
                self._remote.on_change(version)

    def _presence(self, player: Player) -> Presence:
        if not player.is_connected:
            return "left"
        account = player.account
        presence = self._members.presence(account)
        if isinstance(presence, EntrantCame):
            elsewhere = player.matches_in_play - self._matches_in_play[account.name]
            if elsewhere and player.matches_in_play >= presence.at_once:
                return "elsewhere"
        return presence

    def _wait_for(self, entrant: str) -> None:
        """Let the matches of an absent entrant wait for a while before they go on without it."""
        if self._log.book.is_playing(entrant):
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
        return self._sections.keys() | self._lasting.keys()

    def is_away(self, name: str) -> bool:
        """Return whether the matches of a bot wait for it."""
        player = self._lasting.get(name)
        if player is None or player.is_connected:
            return False
        return name in self._patience

    def has_room(self, name: str) -> bool:
        """Return whether a bot can play another match, away or not; its other runs count."""
        player = self._log.book.players.get(name)
        coming = None if player is None else player.last_coming
        most = 1 if coming is None else coming.at_once
        lasting = self._lasting.get(name)
        if lasting is None or name in self._sections:
            return self._matches_in_play[name] < most
        return lasting.matches_in_play < most

    def change_matches(self, name: str, by: int) -> None:
        """Add `by` to the number of matches that this run plays with a bot; it may be negative."""
        if name in self._sections:
            super().change_matches(name, by)
            return
        player = self._lasting[name]
        self._matches_in_play[player.account.name] += by
        player.change_matches(by)
        self._let_change(player)
        self._remote.on_change(name)

    async def dismiss(self) -> None:
        """Give the bots back to the venue."""
        self.give_back(Bye(reason="the day is over"))
        await trio.lowlevel.checkpoint()

    def give_back(self, word: Bye | Error) -> None:
        """Give all bots back; `word` goes to those that no other run has borrowed."""
        for player in self._borrowed.values():
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
                roster.await_players()
                programs.start_soon(roster.keep_lines)
                yield roster
            finally:
                roster.give_back(ErrorCode.SHUTTING_DOWN.to_message(STOPPED))
            programs.cancel_scope.cancel()

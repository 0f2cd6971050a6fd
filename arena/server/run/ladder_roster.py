"""The roster of a day of a ladder: bots of the house, and those from elsewhere as they come."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Protocol, TypeAlias

import trio

from arena.records.ladder_facts import EntrantCame, WhyGone
from arena.server.door.connection_limits import room_for
from arena.server.io.door_reasons import english
from arena.server.play.player import Player
from arena.server.programs.containment import Containment
from arena.server.run.ladder_log import LadderLog
from arena.server.run.remote_bots import RemoteBots
from arena.server.run.roster import Roster, open_entrance
from arena.server.setup.account import Account
from arena.server.setup.bot_section import BotSection
from arena.server.venue.entrance import STOPPED
from arena.server.venue.venue import OpenRun, Venue
from protocol.errors import ErrorCode
from protocol.messages import Bye

Presence: TypeAlias = EntrantCame | WhyGone
"""The line of a version of a bot that can be paired now, without its time, or why none can."""


class Members(Protocol):
    """The bots of a venue, as a day asks for them."""

    def house(self) -> Iterable[tuple[BotSection, Presence]]:
        """Return the programs of the operator that play in this ladder, which start for each match.

        The id of a section is that of the version. Matches in play of one that is away go on.
        """

    def accounts(self) -> Iterable[Account]:
        """Return the accounts of the bots from elsewhere; each is one value while it lasts."""

    def presence(self, account: Account) -> Presence:
        """Return the version that a bot has logged in as, or why it is not paired."""


class LadderRoster(Roster):
    """The players of a day: they come and go, and lines say so."""

    def __init__(
        self,
        venue: Venue,
        run: OpenRun,
        remote: RemoteBots,
        containment: Containment,
        programs: trio.Nursery,
        log: LadderLog,
        members: Members,
    ) -> None:
        super().__init__(venue, run, remote, containment, {}, programs, {})
        remote.on_change = self._note_change
        self._log = log
        self._members = members
        self._tell: Callable[[str], object] = lambda _: None
        """Lets the scheduler look at an entrant."""
        self._there: dict[str, str] = {}
        """The version of each bot from elsewhere that is there."""
        self._versions: dict[str, set[str]] = defaultdict(set)
        """The versions of each of them that were there on this day."""
        self._patience: set[str] = set()
        """Absent entrants whose matches wait for them a while."""
        self._changed: dict[str, None] = {}
        """The accounts that have to be looked at."""
        self._wakes = trio.Event()
        log.on_rest = self._tell_rest
        log.before_draw = self._write_changes

    # Who is there

    def look(self, bots: Iterable[str]) -> None:
        """See whether these bots have joined, or may play again, and who of the house may play.

        Raises `AccountError`.
        """
        for account in self._members.accounts():
            if account.name not in self._remote.players:
                self._remote.borrow(self._venue.entrance, account.name, account)
        for name in bots:
            self._note_change(name)
        self._take_house()

    def tell_all(self) -> None:
        """Let the scheduler look at every entrant: the day is being closed."""
        for entrant in self._log.book.players:
            self._tell(entrant)

    def _take_house(self) -> None:
        """Let the programs of the operator come and go as the members say."""
        left_out = set(self._sections)
        for section, presence in self._members.house():
            entrant = section.entrant
            left_out.discard(entrant)
            self._sections[entrant] = section
            if isinstance(presence, EntrantCame):
                self._log.comes(presence)
            else:
                self._log.goes(entrant, presence)
            self._log.contain({entrant: self._containment.way})
            self._tell(entrant)
        for entrant in left_out:
            self._log.goes(entrant, "replaced")

    def await_players(self) -> None:
        """Wait a while for the bots of matches that go on; they come as the versions they were."""
        for entrant, player in self._log.book.players.items():
            bot = player.identity.bot
            lasting = self._remote.players.get(bot)
            if lasting is None or not self._log.book.is_playing(entrant):
                continue
            self._lend(entrant, lasting)
            self._wait_for(entrant)

    def tell_changes(self, tell: Callable[[str], object]) -> None:
        """Call `tell` with an entrant when it comes, goes, or plays more or fewer matches."""
        self._tell = tell

    def _note_change(self, bot: str) -> None:
        """Note that a bot from elsewhere is to be looked at; a program can be told of at once."""
        if bot in self._sections:
            self._tell(bot)
        else:
            self._changed[bot] = None
            self._wakes.set()

    async def keep_lines(self) -> None:
        """Write, for ever, who comes and goes; a batch in which it is noticed ends first."""
        while True:
            await self._wakes.wait()
            self._wakes = trio.Event()
            self._write_changes()

    def _write_changes(self) -> None:
        changed, self._changed = self._changed, {}
        for bot in changed:
            if bot in self._remote.players:
                self._update(bot, self._remote.players[bot])

    def _update(self, bot: str, player: Player) -> None:
        """Write that a bot has come or gone, and tell the scheduler."""
        presence = self._presence(player)
        entrant = self._there.get(bot)
        if isinstance(presence, EntrantCame):
            if presence.player.entrant != entrant:
                if entrant is not None:
                    self._log.goes(entrant, "replaced")
                self._lend(presence.player.entrant, player)
                self._patience.discard(presence.player.entrant)
                self._there[bot] = presence.player.entrant
                self._log.comes(presence)
                self._tell_rest(presence.player.entrant)
                self._venue.loop.end_batch()
        elif entrant is not None:
            self._log.goes(entrant, presence)
            del self._there[bot]
            if presence == "left":
                self._wait_for(entrant)
        for version in self._versions[bot]:
            self._tell(version)

    def _lend(self, entrant: str, player: Player) -> None:
        """Let a bot from elsewhere play as this version."""
        self._lasting[entrant] = player
        self._versions[player.account.name].add(entrant)

    def _tell_rest(self, entrant: str) -> None:
        """Tell a bot from elsewhere that it rests, for which forfeits, and until when."""
        today = self._log.book.players.get(entrant)
        player = self._lasting.get(entrant)
        if today is None or player is None or not today.is_there:
            return
        if today.rests_until_ms > self._run.clock.now_ms():
            until = datetime.fromtimestamp(today.rests_until_ms / 1000, UTC)
            words = english(
                "door.rests_itself",
                count=len(today.forfeited),
                matches=", ".join(today.forfeited),
                until=f"{until:%Y-%m-%d %H:%M}",
            )
            player.send(ErrorCode.RESTING.to_message(words))

    def _presence(self, player: Player) -> Presence:
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
        self._tell(entrant)

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
        self._tell(name)

    async def dismiss(self) -> None:
        """Give the bots back to the venue."""
        self._remote.give_back(self._venue.entrance, Bye(reason="the day is over"))
        await trio.lowlevel.checkpoint()


@asynccontextmanager
async def open_ladder_roster(
    venue: Venue,
    run: OpenRun,
    log: LadderLog,
    members: Members,
) -> AsyncIterator[LadderRoster]:
    """Let the bots of a venue play in a day; those of matches that go on are waited for."""
    house = [section for section, _ in members.house() if section.command]
    containment = open_entrance(venue, run)
    venue.keep_fork_server()
    containment.log_to(run.log, house, run.directory)
    with venue.entrance.expecting(room_for(run.plan)):
        async with trio.open_nursery() as programs:
            remote = RemoteBots([], run.log)
            roster = LadderRoster(venue, run, remote, containment, programs, log, members)
            try:
                roster.look([account.name for account in members.accounts()])
                roster.await_players()
                programs.start_soon(roster.keep_lines)
                yield roster
            finally:
                remote.give_back(venue.entrance, ErrorCode.SHUTTING_DOWN.to_message(STOPPED))
            programs.cancel_scope.cancel()

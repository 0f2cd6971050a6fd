"""Plays the fixtures of an agenda in one process: decides what is played when."""

from typing import Final

import trio

from arena.games.result import Seat
from arena.matches.facts import Entrant, GameEnded, MatchFact, MatchOpened
from arena.matches.match import open_match
from arena.matches.state import Match
from arena.records.dice import deal_from
from arena.records.facts import DiceRevealed
from arena.server.io.journal import BackgroundSync
from arena.server.play.player import Player
from arena.server.play.table import Table
from arena.server.run.evidence import Evidence
from arena.server.run.resume import UnderWay
from arena.server.run.roster import Roster
from arena.server.run.tournament_log import BotThinks, GamesPlayed, TournamentLog
from arena.server.run.workers.chunk import ChunkAgenda
from arena.server.setup.tournament_file import AHEAD
from arena.server.venue.venue import OpenRun, Venue
from arena.tournaments.schedule import Fixture
from protocol.messages import Receipt

LOOK_SECONDS: Final = 1.0
"""Time between two looks at which bots think."""
LONG_THOUGHT_MS: Final = 5000
"""A bot that thinks longer about a turn is named: else a match seems to stand still."""
Agenda = TournamentLog | ChunkAgenda
"""The fixtures to play, and where their results go: a whole tournament, or the chunk of a
worker."""


class Scheduler:
    """Plays everything on an agenda with the players of a roster."""

    def __init__(
        self,
        venue: Venue,
        run: OpenRun,
        agenda: Agenda,
        roster: Roster,
    ) -> None:
        plan = run.plan
        self._most = plan.at_once
        """The most matches that may be played at once."""
        self._waits = plan.tournament.absent == "wait" or plan.format.needs_venue
        """True if the matches of a bot wait while it is away."""
        self._join_s = plan.limits.join_ms / 1000
        self._break_ms = plan.limits.break_ms
        self._rules = plan.game()
        self._folder = run.folder
        self._loop = venue.loop
        self._turns = venue.turns
        self._run = run
        self._clock = run.clock
        self._draining = run.draining
        self._agenda = agenda
        self._roster = roster
        self._seated: dict[str, Fixture] = {}
        """The fixtures whose entrants have their seats."""
        self._free: set[str] = set()
        """The entrants that can play a match more now."""
        self._away: set[str] = set()
        """The entrants whose matches wait for them."""
        self._not_awaited: list[Fixture] = []
        """Matches under way that go on although a bot is away."""
        self._prepared: dict[str, Fixture] = {}
        """Fixtures whose programs were started ahead of them."""
        self._tables: dict[str, Table] = {}
        """The matches that are being played."""
        self._syncing = BackgroundSync()
        self._freed = trio.lowlevel.ParkingLot()
        """Waits for a change of who is free."""

    async def play_all(self) -> None:
        """Go on with matches under way, and play the other fixtures as their entrants become free.

        Matches under way come first, but wait for a table and their entrants like all others: no
        clock runs yet.
        """
        self._agenda.contain(self._roster.contained)
        self._run.break_off = self._break_off
        self._roster.tell_changes(self._look_at)
        for name in self._roster.entrants:
            self._look_at(name)
        try:
            await self._play_all()
        finally:
            for table in self._tables.values():
                table.give_up()  # its record says how far it has come
            for fixture in list(self._seated.values()):
                self._leave_seats(fixture)
        await self._roster.dismiss()

    async def _play_all(self) -> None:
        """Play all fixtures, each in a task, until none waits."""
        fixture = await self._next()
        if fixture is not None or self._is_waiting:
            self._roster.start_lasting()
        async with trio.open_nursery() as syncing, trio.open_nursery() as nursery:
            syncing.start_soon(self._syncing.run)
            syncing.start_soon(self._watch_thoughts)
            while True:
                if fixture is not None:
                    nursery.start_soon(self._play_fixture, fixture)
                elif self._seated or self._can_play or self._agenda.has_more:
                    self._prepare_coming()
                    await self._await_change()
                elif self._agenda.waiting:
                    await self._await_absent()
                else:
                    break
                fixture = await self._next()
            syncing.cancel_scope.cancel()

    async def _await_change(self) -> None:
        """Wait until an entrant is free, or the agenda may have another match."""
        with trio.move_on_after(self._agenda.look_again_s):
            await self._freed.park()

    def _break_off(self) -> None:
        """Ask and tell nothing more, and take back the messages of this batch: the run fails."""
        for table in self._tables.values():
            table.give_up()
        self._roster.take_back()

    async def _next(self) -> Fixture | None:
        """Return the next fixture to play, once it has seats and its entrants are free."""
        if not self._is_waiting and not self._seated:
            fixture = await self._agenda.next(frozenset())  # draws a round, which may take long
            assert fixture is None, "no entrant is free"
        if self._is_waiting:
            await self._draining.before_a_match()
        await self._turns.wait(self._run)
        fixture = await self._find_next()
        if fixture is not None:
            self._seated[fixture.id] = fixture
            for name in fixture.entrants:
                self._roster.change_matches(name, by=1)
        self._turns.done(self._run, is_seated=fixture is not None)
        return fixture

    @property
    def _is_waiting(self) -> bool:
        return bool(self._agenda.waiting or self._not_awaited or self._agenda.has_more)

    async def _find_next(self) -> Fixture | None:
        """Take out a fixture that can be played, first one whose absent bots are not awaited."""
        if len(self._seated) >= self._most:
            return None
        for fixture in self._not_awaited:
            if all(map(self._roster.has_room, fixture.entrants)):
                self._not_awaited.remove(fixture)
                return fixture
        return await self._agenda.next(self._free)

    def _leave_seats(self, fixture: Fixture) -> None:
        """Free the seats of a match that is over, or no longer played here."""
        del self._seated[fixture.id]
        for name in fixture.entrants:
            self._roster.change_matches(name, by=-1)

    def _look_at(self, name: str) -> None:
        """See whether an entrant can play: it has come or gone, or plays more or fewer matches."""
        if self._waits and self._roster.is_away(name):
            self._away.add(name)
        else:
            self._away.discard(name)
        if name not in self._away and self._roster.has_room(name):
            self._free.add(name)
            if self._is_waiting:
                self._turns.call(self._run)
        else:
            self._free.discard(name)
        self._freed.unpark_all()

    def _prepare_coming(self) -> None:
        """Start the programs of the matches that come next."""
        for fixture in self._agenda.waiting.next_fixtures(AHEAD, self._away):
            if fixture.id not in self._agenda.under_way:
                self._prepared[fixture.id] = fixture
                self._roster.prepare(fixture, {})

    async def _release_unneeded(self) -> None:
        """End the programs that were started for fixtures which are not to be played any more."""
        for fixture in list(self._prepared.values()):
            if not self._agenda.is_open(fixture):
                del self._prepared[fixture.id]
                await self._roster.release(fixture)

    async def _watch_thoughts(self) -> None:
        """Tell every second which bots think long, until they have answered."""
        thinking_before: set[str] = set()
        while True:
            await trio.sleep(LOOK_SECONDS)
            now_ms = self._clock.now_ms()
            thinking: set[str] = set()
            for fixture, table in self._tables.items():
                thought = longest_thought(table.match, now_ms)
                if thought is None:
                    continue
                entrant, thought_ms = thought
                if thought_ms >= LONG_THOUGHT_MS:
                    thinking.add(fixture)
                    thinks = BotThinks(
                        fixture=fixture,
                        name=entrant.name,
                        seconds=thought_ms // 1000,
                        may_be_long=bool(entrant.kind),
                    )
                    self._agenda.tell_progress(thinks)
            for fixture in sorted(thinking_before - thinking):
                self._agenda.tell_progress(
                    BotThinks(
                        fixture=fixture,
                        name="",
                        seconds=0,
                    )
                )
            thinking_before = thinking

    def _missing(self) -> list[str]:
        waiting = self._agenda.waiting.entrants
        return sorted(name for name in self._away if waiting[name])

    @property
    def _can_play(self) -> bool:
        """True while a fixture waits only for connected bots, even if another run has them."""
        present = self._roster.entrants - self._away
        return bool(self._not_awaited) or self._agenda.waiting.can_be_played(present)

    async def _await_absent(self) -> None:
        """Wait until a fixture can be played; give up the absent bots if none comes for `join_ms`.

        A bot that comes and goes, again and again, counts once.
        """
        assert isinstance(self._agenda, TournamentLog), "a worker has no bots from elsewhere"
        awaited = self._missing()  # those that have not come since nothing can be played
        while self._agenda.waiting and not self._can_play:
            self._agenda.await_entrants(self._missing())
            with trio.move_on_after(self._join_s) as patience:
                while self._away.issuperset(awaited) and not self._can_play:
                    self._turns.done(self._run, is_seated=False)
                    await self._freed.park()
            if patience.cancelled_caught and not self._can_play:
                await self._give_up(self._agenda)
            awaited = [name for name in awaited if name in self._away]
        self._agenda.await_entrants(())

    async def _give_up(self, log: TournamentLog) -> None:
        """Go on with matches under way, where absent bots are judged as at any time.

        If there are none, void all that waits for absent bots.
        """
        self._not_awaited = log.waiting.take_out_all(lambda fixture: fixture.id in log.under_way)
        if not self._not_awaited:
            await log.give_up(self._missing())
            await self._release_unneeded()

    async def _play_fixture(self, fixture: Fixture) -> None:
        """Play a fixture until it is settled, or void for good, or has to wait."""
        await self._draining.before_a_match()
        self._prepared.pop(fixture.id, None)
        under_way = self._agenda.under_way.pop(fixture.id, None)
        if under_way is not None:
            opened = under_way.match.setting.opened
            await self._play_attempt(fixture, opened, under_way.seed, under_way)
        while self._agenda.is_open(fixture) and self._away.isdisjoint(fixture.entrants):
            await self._draining.before_a_match()
            opened, seed = await self._agenda.issue(fixture)
            await self._play_attempt(fixture, opened, seed)
        await self._roster.release(fixture)  # if it was only prepared
        if self._agenda.is_open(fixture):  # void, and now it waits
            self._agenda.waiting.put_back(fixture)
        await self._release_unneeded()
        self._leave_seats(fixture)

    async def _play_attempt(
        self,
        fixture: Fixture,
        opened: MatchOpened,
        seed: bytes,
        under_way: UnderWay | None = None,
    ) -> None:
        """Play one attempt, and release the programs that were started for it."""
        builds: dict[str, str] = {}
        if under_way is not None:
            builds = under_way.builds
        players = self._roster.prepare(fixture, builds)
        await self._play_match(opened, seed, players, under_way)
        await self._roster.release(fixture)

    async def _play_match(
        self,
        opened: MatchOpened,
        seed: bytes,
        players: tuple[Player, Player],
        under_way: UnderWay | None,
    ) -> None:
        """Seat the bots, wait for the end, seal the record, settle, tell the bots."""
        record = self._folder.match_record(opened.match)
        journal = self._folder.open_journal(opened.match)
        ahead_ms = self._clock.ahead_ms
        evidence = Evidence(self._folder.evidence, record, self._rules, opened, players, ahead_ms)
        if under_way is not None:
            match = under_way.match
        else:
            match = open_match(self._rules, opened, deal_from(opened, seed))

        def note(fact: MatchFact, match_before: Match) -> None:
            evidence.note(fact, match_before)
            if isinstance(fact, GameEnded):
                self._syncing.add(journal)
                progress = GamesPlayed(fixture=opened.match, games=len(table.games))
                self._agenda.tell_progress(progress)

        table = Table(
            self._loop,
            match,
            seed,
            players,
            journal,
            note,
            break_ms=self._break_ms,
            ahead_ms=ahead_ms,
        )
        if under_way is not None:
            evidence.recall(under_way.facts)
            games_over = under_way.games
            progress = GamesPlayed(fixture=opened.match, games=len(games_over))
            self._agenda.tell_progress(progress)
            table.resume(games_over, under_way.last_ms)
        else:
            table.begin()
        self._draining.take_in(table)
        self._tables[opened.match] = table
        self._loop.end_batch()
        end = await table.over()
        del self._tables[opened.match]
        await table.await_confirmations()
        journal.write(
            DiceRevealed(
                at_ms=self._clock.now_ms(),
                attempt=opened.attempt,
                dice_seed=seed.hex(),
            )
        )
        journal.seal()
        lines, sha256 = journal.mark()
        self._syncing.leave(journal)
        await journal.wait_synced()
        self._folder.close_journal(opened.match)
        games = [game.result for game in table.games]
        winner = await self._agenda.conclude(opened.match, opened.attempt, games, end)
        table.tell_result(winner, Receipt(lines=lines, sha256=sha256))
        self._loop.end_batch()
        self._draining.let_go(table)


def longest_thought(match: Match, now_ms: int) -> tuple[Entrant, int] | None:
    """Return the bot that has thought longest about a turn by now, and for how many milliseconds.

    None if no bot thinks. A bot that is away does not think, though its clock may run.
    """
    longest: tuple[int, Seat] | None = None
    for game in match.games:
        if game.written_ms is None or not match.standing.present[game.mover - 1]:
            continue
        thought = (now_ms - game.written_ms, game.mover)
        if longest is None or thought > longest:
            longest = thought
    if longest is None:
        return None
    thought_ms, seat = longest
    ready = match.standing.ready[seat - 1]
    assert ready is not None, "it has a turn"
    return ready.entrant, thought_ms

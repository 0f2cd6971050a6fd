"""Plays the fixtures of an agenda in one process: decides what is played when."""

from collections import Counter, deque
from itertools import islice

import trio

from arena.matches.facts import GameEnded, MatchFact, MatchOpened
from arena.matches.match import open_match
from arena.matches.state import Match
from arena.records.dice import deal_from
from arena.records.facts import DiceRevealed
from arena.server.io.event_loop import EventLoop
from arena.server.io.journal import BackgroundSync
from arena.server.play.player import Player
from arena.server.play.table import Table
from arena.server.run.evidence import Evidence
from arena.server.run.resume import UnderWay
from arena.server.run.roster import Roster
from arena.server.run.shutdown import Shutdown
from arena.server.run.tournament_log import TournamentLog
from arena.server.run.workers.chunk import ChunkAgenda
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import AHEAD, Plan
from arena.tournaments.schedule import Fixture, parse_fixture
from protocol.messages import Receipt

Agenda = TournamentLog | ChunkAgenda
"""The fixtures to play, and where their results go: a whole tournament, or the chunk that a worker was given."""


async def play_agenda(
    plan: Plan, folder: RunFolder, loop: EventLoop, agenda: Agenda, roster: Roster, shutdown: Shutdown
) -> None:
    """Play everything on an agenda with the players of the roster."""
    if contained := roster.contained:
        agenda.contain(contained)
    await Scheduler(plan, folder, loop, agenda, roster, shutdown).play_all()
    await roster.dismiss()


class Scheduler:
    """Plays everything on an agenda: a tournament, or the part of it that a worker was given."""

    def __init__(
        self, plan: Plan, folder: RunFolder, loop: EventLoop, agenda: Agenda, roster: Roster, shutdown: Shutdown
    ) -> None:
        self._most = 2 * plan.at_once
        """The most seats that may be taken at once."""
        self._at_once = {bot.entrant: bot.matches_at_once for bot in plan.bot}
        self._rules = plan.game()
        self._folder = folder
        self._loop = loop
        self._agenda = agenda
        self._roster = roster
        self._playing: Counter[str] = Counter()
        """How many matches each entrant plays now."""
        self._shutdown = shutdown
        self._syncing = BackgroundSync()
        self._freed = trio.Event()

    async def play_all(self) -> None:
        """Go on with matches under way, and play the rest, each fixture as soon as both its entrants are free.

        Matches under way come first, but wait for a table and their entrants like all others: no clock runs yet.
        """
        waiting = deque([*map(parse_fixture, self._agenda.under_way), *self._agenda.left_to_play()])
        waiting += await self._agenda.draw()
        if waiting:
            self._roster.start_lasting()
        async with trio.open_nursery() as syncing, trio.open_nursery() as nursery:
            syncing.start_soon(self._syncing.run)
            while waiting or self._playing.total():
                if free := self._find_free(waiting):
                    waiting.remove(free)
                    self._playing.update(free.entrants)
                    nursery.start_soon(self._play_fixture, free)
                else:
                    for fixture in islice(waiting, AHEAD):
                        if fixture.id not in self._agenda.under_way and self._agenda.is_open(fixture):
                            self._roster.prepare(fixture)
                    self._freed = trio.Event()
                    await self._freed.wait()
                    waiting += await self._agenda.draw()
            syncing.cancel_scope.cancel()

    def _find_free(self, waiting: deque[Fixture]) -> Fixture | None:
        if self._playing.total() >= self._most:
            return None
        busy = {name for name, number in self._playing.items() if number >= self._at_once[name]}
        return next((fixture for fixture in waiting if busy.isdisjoint(fixture.entrants)), None)

    async def _play_fixture(self, fixture: Fixture) -> None:
        await self._shutdown.before_a_match()
        if under_way := self._agenda.under_way.pop(fixture.id, None):
            await self._play_attempt(fixture, under_way.match.setting.opened, under_way.seed, under_way)
        while self._agenda.is_open(fixture):
            await self._shutdown.before_a_match()
            await self._play_attempt(fixture, *await self._agenda.issue(fixture))
        await self._roster.release(fixture)  # if it was only prepared
        self._playing.subtract(fixture.entrants)
        self._freed.set()

    async def _play_attempt(
        self, fixture: Fixture, opened: MatchOpened, seed: bytes, under_way: UnderWay | None = None
    ) -> None:
        players = self._roster.prepare(fixture, under_way.builds if under_way else None)
        await self._play_match(opened, seed, players, under_way)
        await self._roster.release(fixture)

    async def _play_match(
        self, opened: MatchOpened, seed: bytes, players: tuple[Player, Player], under_way: UnderWay | None
    ) -> None:
        """Seat the bots, wait for the end, seal the record, settle, tell the bots."""
        record = self._folder.match_record(opened.match)
        journal = self._folder.open_journal(opened.match)
        evidence = Evidence(self._folder.evidence, record, self._rules, opened, players)
        match = under_way.match if under_way else open_match(self._rules, opened, deal_from(opened, seed))

        def note(fact: MatchFact, before: Match) -> None:
            evidence.note(fact, before)
            if isinstance(fact, GameEnded):
                self._syncing.add(journal)
                self._agenda.tell_games(opened.match, len(table.games))

        table = Table(self._loop, match, seed, players, journal, note)
        if under_way:
            evidence.recall(under_way.facts)
            self._agenda.tell_games(opened.match, len(under_way.games))
            table.resume(under_way.games)
        else:
            table.begin()
        self._shutdown.take_in(table)
        self._loop.end_batch()
        end = await table.over()
        await table.await_confirmations()
        journal.write(DiceRevealed(at_ms=self._loop.clock.now_ms(), attempt=opened.attempt, dice_seed=seed.hex()))
        journal.seal()
        lines, sha256 = journal.mark()
        self._syncing.leave(journal)
        await journal.wait_synced()
        self._folder.close_journal(opened.match)
        games = [game.result for game in table.games]
        winner = await self._agenda.conclude(opened.match, opened.attempt, games, end)
        table.tell_result(winner, Receipt(lines=lines, sha256=sha256))
        self._loop.end_batch()
        self._shutdown.let_go(table)

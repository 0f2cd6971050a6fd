"""Plays the fixtures of an agenda in one process: decides what is played when and by which bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import trio

from arena.matches.facts import GameEnded, MatchFact, MatchOpened
from arena.matches.match import open_match
from arena.matches.state import Match
from arena.records.dice import deal_from
from arena.records.facts import DiceRevealed
from arena.server.io import secret_values
from arena.server.io.event_loop import EventLoop
from arena.server.io.journal import BackgroundSync
from arena.server.io.operator_log import Log
from arena.server.io.private_folder import SOCKET, private_folder
from arena.server.play.player import Player
from arena.server.play.table import Table
from arena.server.programs.containment import Containment, find_containment
from arena.server.programs.launcher import Launched
from arena.server.programs.program import LaunchedProgram
from arena.server.run.entrance import Entrance
from arena.server.run.evidence import Evidence
from arena.server.run.resume import UnderWay, builds_in
from arena.server.run.shutdown import Shutdown
from arena.server.run.tournament_log import TournamentLog
from arena.server.run.workers.chunk import ChunkAgenda
from arena.server.setup.account import Account
from arena.server.setup.run_folder import RunFolder, Secrets
from arena.server.setup.tournament_file import Plan
from arena.tournaments.schedule import Fixture, parse_fixture
from protocol.messages import Receipt

Agenda = TournamentLog | ChunkAgenda
"""The fixtures to play, and where their results go: a whole tournament, or the chunk that a worker was given."""

LAST_WORD_SECONDS: Final = 0.2
"""How long the arena's last word may take to be delivered."""


class Scheduler:
    """Plays everything on an agenda: a tournament, or the part of it that a worker was given."""

    def __init__(
        self,
        plan: Plan,
        folder: RunFolder,
        loop: EventLoop,
        agenda: Agenda,
        entrance: Entrance,
        containment: Containment,
        shutdown: Shutdown,
        log: Log,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._loop = loop
        self._agenda = agenda
        self._entrance = entrance
        self._rules = plan.game()
        self._sections = {bot.entrant: bot for bot in plan.bot}
        self._lasting = dict(entrance.remote)
        """The bots that stay for the whole run: all remote ones, and those launched for it."""
        self._programs: dict[str, LaunchedProgram] = {}
        """Those launched for the whole run."""
        self._playing: Counter[str] = Counter()
        """How many matches each entrant plays now."""
        self._containment = containment
        self._shutdown = shutdown
        self._log = log
        self._syncing = BackgroundSync()
        self._freed = trio.Event()

    async def play_all(self) -> None:
        """Go on with matches under way, and play the rest, each fixture as soon as both its entrants are free.

        Matches under way come first, but wait for a table and their entrants like all others: no clock runs yet.
        """
        left = await self._agenda.next_to_play()
        waiting = [*map(parse_fixture, self._agenda.under_way), *left]
        async with trio.open_nursery() as launched, trio.open_nursery() as nursery:
            launched.start_soon(self._syncing.run)
            if waiting:
                builds = builds_in(self._agenda.under_way.values())
                for section in self._plan.bot:
                    if section.process == "run":
                        player, launch = self._launch(section.entrant, None, builds.get(section.entrant))
                        self._lasting[section.entrant] = player
                        self._programs[section.entrant] = launch.program
                        launched.start_soon(launch.run)
            while waiting or self._playing.total():
                free = self._find_free(waiting)
                if free:
                    waiting.remove(free)
                    self._playing.update((free.first, free.second))
                    nursery.start_soon(self._play_fixture, free)
                elif self._playing.total():
                    self._freed = trio.Event()
                    await self._freed.wait()
                if not waiting and not self._playing.total():
                    waiting = await self._agenda.next_to_play()
            for player in self._lasting.values():
                player.account.dismiss("the tournament is over")
            await trio.sleep(LAST_WORD_SECONDS if self._lasting else 0)
            launched.cancel_scope.cancel()

    def _find_free(self, waiting: Sequence[Fixture]) -> Fixture | None:
        if self._playing.total() >= 2 * self._plan.at_once:
            return None
        busy = {name for name, number in self._playing.items() if number >= self._sections[name].matches_at_once}
        return next((fixture for fixture in waiting if busy.isdisjoint(fixture.entrants)), None)

    async def _play_fixture(self, fixture: Fixture) -> None:
        await self._shutdown.before_a_match()
        if under_way := self._agenda.under_way.pop(fixture.id, None):
            await self._play_attempt(fixture, under_way.match.setting.opened, under_way.seed, under_way)
        while self._agenda.is_open(fixture):
            await self._shutdown.before_a_match()
            await self._play_attempt(fixture, *await self._agenda.issue(fixture))
        self._playing.subtract((fixture.first, fixture.second))
        self._freed.set()

    async def _play_attempt(
        self, fixture: Fixture, opened: MatchOpened, seed: bytes, under_way: UnderWay | None = None
    ) -> None:
        names = (fixture.first, fixture.second)
        builds = under_way.builds if under_way else {}
        launched = {
            name: self._launch(name, fixture.id, builds.get(name)) for name in names if name not in self._lasting
        }
        playing = self._lasting | {name: player for name, (player, _) in launched.items()}
        programs = self._programs | {name: launch.program for name, (_, launch) in launched.items()}
        players = (playing[fixture.first], playing[fixture.second])
        if not launched:  # nothing runs beside the match; nurseries of hundreds of matches cost memory
            await self._play_match(opened, seed, players, programs, under_way)
            return
        async with trio.open_nursery() as nursery:
            for _, launch in launched.values():
                nursery.start_soon(launch.run)
            await self._play_match(opened, seed, players, programs, under_way)
            for player, _ in launched.values():
                player.account.dismiss("the match is over")
                self._entrance.logins.forget(player)
            self._loop.end_batch()
            nursery.cancel_scope.cancel()

    async def _play_match(
        self,
        opened: MatchOpened,
        seed: bytes,
        players: tuple[Player, Player],
        programs: Mapping[str, LaunchedProgram],
        under_way: UnderWay | None,
    ) -> None:
        """Seat the bots, wait for the end, seal the record, settle, tell the bots."""
        record = self._folder.match_record(opened.match)
        journal = self._folder.open_journal(opened.match)
        evidence = Evidence(self._folder.evidence, record, self._rules, opened, players, programs)
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

    def _launch(self, name: str, fixture: str | None, build: str | None) -> tuple[Player, Launched]:
        """An entrant's program, for a fixture or the whole run; `build` is the fingerprint it must have, if any."""
        account = Account(name, secret_values.new_token(), grace_ms=0)
        account.build = build
        player = Player(account, self._loop)
        self._entrance.logins.expect(player)
        launch = Launched(
            loop=self._loop,
            account=account,
            command=self._sections[name].arguments,
            containment=self._containment,
            address=self._entrance.address,
            reads=self._sections[name].reads,
            output=self._folder.bot_output(name, fixture),
            log=self._log.bind(match=fixture) if fixture else self._log,
        )
        return player, launch


async def play_agenda(
    plan: Plan,
    folder: RunFolder,
    directory: Path,
    loop: EventLoop,
    agenda: Agenda,
    secrets: Secrets,
    shutdown: Shutdown,
    log: Log,
    hidden: Sequence[Path] = (),
) -> None:
    """Open the entrance, play everything on the agenda, and close it; commands of bots run in `directory`.

    `hidden` are folders that no bot may see, besides the one of the records.
    """
    containment = find_containment(plan, hidden=[folder.path, *hidden], directory=directory)
    entrance = Entrance(loop, plan, folder, directory, log)
    with private_folder() as private:
        try:
            entrance.open(private / SOCKET, secrets, builds_in(agenda.under_way.values()))
            if launched := [bot for bot in plan.bot if not bot.remote]:
                containment.log_to(log, launched)
                agenda.contain(dict.fromkeys((bot.entrant for bot in launched), containment.way))
            await entrance.await_remote()
            await Scheduler(plan, folder, loop, agenda, entrance, containment, shutdown, log).play_all()
        except BaseException:
            entrance.stop("the run was stopped; ask its operator whether it goes on")
            raise
        finally:
            entrance.shut()
        entrance.stop("the tournament is over")

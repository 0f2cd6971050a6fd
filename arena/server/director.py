"""Runs a tournament: listens, launches, issues fixtures, settles them, and ends with the standings."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Final

import trio

from arena.games import ruleset_record
from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records.dice import commitment
from arena.records.facts import (
    DiceRevealed,
    EntrantWithdrawn,
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    GameSummary,
    TournamentEnded,
    TournamentFact,
    TournamentOpened,
    result_of,
    summary_of,
)
from arena.records.reading import read_tournament, whole_lines
from arena.records.table import ended_fact, schedule_of, standings_of
from arena.records.verify import TOURNAMENT_RECORD
from arena.server import chance, resume
from arena.server.bot import Bot
from arena.server.folder import RunFolder
from arena.server.hall import Hall
from arena.server.journal import Journal
from arena.server.launcher import Launched
from arena.server.link import Link
from arena.server.listener import accept_links, address_of, open_listener
from arena.server.lobby import Lobby
from arena.server.plan import BotSection, Plan
from arena.server.session import Session
from arena.server.table import Table
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Fixture

ATTEMPTS: Final = 3
"""How often a fixture that both bots leave void is played; then it counts for neither."""

Report = Callable[[TournamentFact | str], object]
"""Told of every line of the tournament record, and of what an operator should know."""


class Director:
    """One run of a tournament in its folder, from wherever an earlier run left it."""

    def __init__(self, plan: Plan, folder: RunFolder, directory: Path, report: Report) -> None:
        self._plan = plan
        self._folder = folder
        self._directory = directory
        self._report = report
        self._rules = plan.game()
        self._bots = {bot.name: bot for bot in plan.bot}
        self._secrets = folder.read_secrets()
        self._lobby = Lobby()
        self._remote: dict[str, Bot] = {}
        self._facts: list[TournamentFact] = []
        self._busy: set[str] = set()
        self._freed = trio.Event()
        self._address = ""

    async def run(self) -> None:
        """Play every fixture that is left; the folder must be open. An exception leaves it ready to be resumed."""
        with tempfile.TemporaryDirectory(prefix="arena-") as private:
            async with trio.open_nursery() as nursery:
                self._hall = Hall(nursery)
                nursery.start_soon(self._hall.deadlines.watch)
                self._journal = self._open_record()
                try:
                    if not self._is_finished():
                        self._listen(f"unix:{private}/arena.sock")
                        await self._await_remote()
                        await self._play_all()
                        await self._say_goodbye()
                        self._finish()
                    elif isinstance(self._facts[-1], TournamentEnded):
                        self._journal.seal()  # the earlier run was stopped just before
                finally:
                    self._journal.close()
                nursery.cancel_scope.cancel()

    # The record

    def _open_record(self) -> Journal:
        """The tournament's record, with what an earlier run left made whole."""
        path = self._folder.tournament_record
        if path.exists():
            data = path.read_bytes()
            kept = whole_lines(data)
            if kept != data:
                path.write_bytes(kept)
            self._facts = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, kept)]
        journal = Journal(path)
        if not self._facts:
            self._journal = journal
            self._write(self._opened())
        return journal

    def _opened(self) -> TournamentOpened:
        plan = self._plan
        return TournamentOpened(
            at_ms=self._hall.clock.now_ms(),
            name=plan.tournament.name,
            schedule="round_robin",
            cycles=plan.tournament.cycles,
            best_game=plan.tournament.best_game,
            strikes=plan.limits.strikes,
            entrants=plan.names,
            ruleset=ruleset_record(self._rules),
            terms=plan.terms,
            file_sha256=hashlib.sha256((self._folder.path / "tournament.toml").read_bytes()).hexdigest(),
        )

    def _write(self, fact: TournamentFact) -> None:
        """A line of the tournament's record, safe on the disk before anybody hears of it."""
        self._journal.write(fact)
        self._journal.sync()
        self._facts.append(fact)
        self._report(fact)

    def _is_finished(self) -> bool:
        return any(isinstance(fact, TournamentEnded) for fact in self._facts)

    def _finish(self) -> None:
        opened = self._facts[0]
        assert isinstance(opened, TournamentOpened), "the first line of every tournament record"
        self._write(ended_fact(standings_of(opened, self._facts), self._hall.clock.now_ms()))
        self._journal.seal()

    # Bots

    def _listen(self, private: str) -> None:
        """Open the private address for launched bots, and a second one if bots connect from elsewhere."""
        addresses = [private] + [self._plan.listen.address] * any(bot.remote for bot in self._plan.bot)
        numbers = count(1)

        def serve(link: Link) -> None:
            name = f"s{next(numbers)}"
            session = Session(self._hall, link, name, f"arena {version('brade-arena')}", self._lobby.find)
            self._hall.spawn(session.run)

        for address in addresses:
            listener = open_listener(address)
            self._hall.spawn(accept_links, self._hall, listener, serve)
            self._address = self._address or address_of(listener)
        for section in self._plan.bot:
            if section.remote:
                self._expect_remote(section)
        if self._remote:
            names = ", ".join(self._remote)
            self._report(
                f"waiting at {address_of(listener)} for {names}; tokens are in {self._folder.path}/secrets.json"
            )

    def _expect_remote(self, section: BotSection) -> None:
        if section.token_file is not None:
            token = (self._directory / section.token_file).read_text().strip()
        else:
            token = self._secrets.tokens.get(section.name) or chance.new_token()
            self._secrets.tokens[section.name] = token
            self._folder.write_secrets(self._secrets)
        bot = Bot(section.name, token, grace_ms=self._plan.limits.grace_ms)
        self._remote[section.name] = bot
        self._lobby.expect(bot)

    async def _await_remote(self) -> None:
        """Give the bots from elsewhere time to log in; who does not come forfeits match by match."""
        with trio.move_on_after(self._plan.limits.join_ms / 1000):
            for bot in self._remote.values():
                joined = trio.Event()
                bot.on_login = joined.set
                if bot.session is None:
                    await joined.wait()

    async def _say_goodbye(self) -> None:
        """Let the bots from elsewhere know that it is over."""
        for bot in self._remote.values():
            bot.dismiss("the tournament is over")
        await trio.lowlevel.checkpoint()

    # Fixtures

    async def _play_all(self) -> None:
        """Play what is left, several fixtures at once, no entrant in two of them."""
        opened = self._facts[0]
        assert isinstance(opened, TournamentOpened), "the first line of every tournament record"
        self._settle_leftovers()
        waiting = [fixture for fixture in schedule_of(opened) if not self._is_decided(fixture)]
        self._withdraw()
        async with trio.open_nursery() as nursery:
            playing = 0
            while waiting or playing:
                waiting = [one for one in waiting if not self._withdrawn() & {one.first, one.second}]
                playing = len(self._busy) // 2
                free = [one for one in waiting if not self._busy & {one.first, one.second}]
                if free and playing < self._plan.tournament.at_once:
                    fixture = free[0]
                    waiting.remove(fixture)
                    self._busy |= {fixture.first, fixture.second}
                    nursery.start_soon(self._play_fixture, fixture)
                elif playing:
                    self._freed = trio.Event()
                    await self._freed.wait()
                    playing = len(self._busy) // 2

    def _is_decided(self, fixture: Fixture) -> bool:
        return any(
            isinstance(fact, FixtureSettled) or (isinstance(fact, FixtureVoided) and fact.is_last)
            for fact in self._facts
            if getattr(fact, "fixture", None) == fixture.id
        )

    def _withdrawn(self) -> set[str]:
        return {fact.entrant for fact in self._facts if isinstance(fact, EntrantWithdrawn)}

    def _withdraw(self) -> None:
        """Withdraw every entrant with more strikes than allowed (M5)."""
        strikes = dict.fromkeys(self._plan.names, 0)
        for fact in self._facts:
            if isinstance(fact, FixtureSettled | FixtureVoided):
                played = result_of(fact.fixture, ())
                strikes[played.first] += fact.strikes[0]
                strikes[played.second] += fact.strikes[1]
        for name, number in strikes.items():
            if number > self._plan.limits.strikes and name not in self._withdrawn():
                self._write(EntrantWithdrawn(at_ms=self._hall.clock.now_ms(), entrant=name, strikes=number))

    def _settle_leftovers(self) -> None:
        """Fixtures that were under way when an earlier run was stopped: settle what was complete, void the rest."""
        now_ms = self._hall.clock.now_ms()
        for fact in resume.leftovers(self._facts):
            attempt = resume.close_attempt(self._folder, fact, self._opened_for(fact), self._secrets, now_ms)
            self._conclude(fact.fixture, fact.attempt, attempt.games, attempt.end)

    def _opened_for(self, issued: FixtureIssued) -> MatchOpened:
        played = result_of(issued.fixture, ())
        return MatchOpened(
            at_ms=issued.at_ms,
            match=issued.fixture,
            attempt=issued.attempt,
            ruleset=ruleset_record(self._rules),
            terms=self._plan.terms,
            entrants=(played.first, played.second),
            dice_commitment=issued.dice_commitment,
        )

    async def _play_fixture(self, fixture: Fixture) -> None:
        """Play a fixture until it is decided."""
        try:
            while not self._is_decided(fixture):
                await self._play_attempt(fixture)
        finally:
            self._busy -= {fixture.first, fixture.second}
            self._freed.set()

    async def _play_attempt(self, fixture: Fixture) -> None:
        now_ms = self._hall.clock.now_ms()
        earlier = [fact for fact in self._facts if isinstance(fact, FixtureIssued) and fact.fixture == fixture.id]
        seed = chance.new_seed()
        self._secrets.seeds[fixture.id] = seed.hex()
        self._folder.write_secrets(self._secrets)
        issued = FixtureIssued(
            at_ms=now_ms, fixture=fixture.id, attempt=len(earlier) + 1, dice_commitment=commitment(seed)
        )
        self._write(issued)
        journal = Journal(self._folder.match_record(fixture.id))
        async with trio.open_nursery() as nursery:
            one = self._seat(fixture, fixture.first, nursery)
            two = self._seat(fixture, fixture.second, nursery)
            table = Table(self._hall, self._rules, self._opened_for(issued), seed, (one, two), journal)
            self._hall.end_batch()
            await table.over.wait()
            journal.write(DiceRevealed(at_ms=self._hall.clock.now_ms(), attempt=issued.attempt, dice_seed=seed.hex()))
            journal.seal()
            journal.close()
            games = [summary_of(game, (fixture.first, fixture.second)) for game in table.games]
            winner = self._conclude(fixture.id, issued.attempt, games, table.end)
            table.tell_result(winner)
            for bot in (one, two):
                if bot.name not in self._remote:
                    bot.dismiss("the match is over")
                    self._lobby.forget(bot)
            self._hall.end_batch()
            nursery.cancel_scope.cancel()

    def _seat(self, fixture: Fixture, name: str, nursery: trio.Nursery) -> Bot:
        """The bot of an entrant for one match: the one that connected from elsewhere, or a program launched for it."""
        if name in self._remote:
            return self._remote[name]
        bot = Bot(name, chance.new_token(), grace_ms=0)
        self._lobby.expect(bot)
        launched = Launched(
            self._hall,
            bot,
            self._bots[name].arguments,
            address=self._address,
            directory=self._directory,
            output=self._folder.bot_output(fixture.id, name),
        )
        nursery.start_soon(launched.run)
        return bot

    def _conclude(
        self, fixture: str, attempt: int, games: Sequence[GameSummary], end: MatchEnded | MatchVoided | None
    ) -> str | None:
        """Settle or void a finished attempt in the tournament's record; gives the winner of the match."""
        now_ms = self._hall.clock.now_ms()
        digest = hashlib.sha256(self._folder.match_record(fixture).read_bytes()).hexdigest()
        winner = None
        if isinstance(end, MatchEnded):
            decision = decide_match(result_of(fixture, games), self._plan.tournament.best_game)
            winner = decision.winner
            self._write(
                FixtureSettled(
                    at_ms=now_ms,
                    fixture=fixture,
                    attempt=attempt,
                    games=games,
                    score=end.score,
                    winner=winner,
                    decision=decision.reason,
                    strikes=end.strikes,
                    record_sha256=digest,
                )
            )
        elif end is not None:
            before = [one for one in self._facts if isinstance(one, FixtureVoided) and one.fixture == fixture]
            by_bots = [one for one in before if one.reason != resume.STOPPED]
            is_last = end.reason != resume.STOPPED and len(by_bots) + 1 >= ATTEMPTS
            self._write(
                FixtureVoided(
                    at_ms=now_ms,
                    fixture=fixture,
                    attempt=attempt,
                    reason=end.reason,
                    strikes=end.strikes,
                    is_last=is_last,
                    record_sha256=digest,
                )
            )
        self._secrets.seeds.pop(fixture, None)
        self._folder.write_secrets(self._secrets)
        self._withdraw()
        return winner


def run_tournament(plan: Plan, folder: RunFolder, directory: Path, report: Report) -> None:
    """Run a tournament to its end in an open folder; commands of bots run in `directory`."""

    async def main() -> None:
        await Director(plan, folder, directory, report).run()

    trio.run(main)

"""The tournament's own record while it is being played: what was issued, settled, voided, and who was withdrawn."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence

from arena.games import Game, ruleset_record
from arena.matches.facts import MatchEnded, MatchOpened, MatchVoided
from arena.records.dice import commitment
from arena.records.facts import (
    ATTEMPTS,
    STOPPED,
    EntrantWithdrawn,
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    GameSummary,
    TournamentEnded,
    TournamentFact,
    TournamentOpened,
    result_of,
)
from arena.records.reading import read_tournament, whole_lines
from arena.records.table import ended_fact, schedule_of, standings_of
from arena.records.verify import TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.server import chance, resume
from arena.server.clock import Clock
from arena.server.folder import RunFolder
from arena.server.journal import Journal
from arena.server.plan import Plan
from arena.server.reporting import Report
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Fixture, parse_fixture


class Ledger:
    """`tournament.jsonl`, opened where an earlier run left it; every line is on the disk before a bot hears of it."""

    def __init__(self, plan: Plan, rules: Game[object], folder: RunFolder, clock: Clock, report: Report) -> None:
        self._plan = plan
        self._ruleset = ruleset_record(rules)
        self._folder = folder
        self._clock = clock
        self._report = report
        self.secrets = folder.read_secrets()
        path = folder.tournament_record
        data = path.read_bytes() if path.exists() else b""
        kept = whole_lines(data)
        if len(kept) < len(data):
            os.truncate(path, len(kept))  # the last line was cut short
        self._facts: list[TournamentFact] = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, kept)]
        self._journal = Journal(path)
        if not self._facts:
            self._write(self._header())
            self._journal.sync()
        opened = self._facts[0]
        assert isinstance(opened, TournamentOpened), "written by us, or checked when it was read"
        self.opened = opened

    def _header(self) -> TournamentOpened:
        plan = self._plan
        return TournamentOpened(
            at_ms=self._clock.now_ms(),
            name=plan.tournament.name,
            schedule="round_robin",
            cycles=plan.tournament.cycles,
            best_game=plan.best_game,
            strikes=plan.limits.strikes,
            entrants=plan.names,
            ruleset=self._ruleset,
            terms=plan.terms,
            file_sha256=hashlib.sha256((self._folder.path / TOURNAMENT_FILE).read_bytes()).hexdigest(),
        )

    def _write(self, fact: TournamentFact) -> None:
        self._journal.write(fact)
        self._facts.append(fact)
        self._report(fact)

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()

    # What it says

    def left_to_play(self) -> list[Fixture]:
        """Fixtures not decided, in the order of play, without those of entrants that were withdrawn."""
        withdrawn = self._withdrawn()
        return [
            fixture
            for fixture in schedule_of(self.opened)
            if not self.is_decided(fixture) and not withdrawn & {fixture.first, fixture.second}
        ]

    def is_decided(self, fixture: Fixture) -> bool:
        """Whether the fixture is settled, or void for good."""
        settled = {fact.fixture for fact in self._facts if isinstance(fact, FixtureSettled)}
        void = {fact.fixture for fact in self._facts if isinstance(fact, FixtureVoided) and fact.is_last}
        return fixture.id in settled | void

    def is_barred(self, fixture: Fixture) -> bool:
        """Whether one of its entrants was withdrawn."""
        return bool(self._withdrawn() & {fixture.first, fixture.second})

    def _withdrawn(self) -> set[str]:
        return {fact.entrant for fact in self._facts if isinstance(fact, EntrantWithdrawn)}

    @property
    def is_finished(self) -> bool:
        """Whether the standings are written."""
        return any(isinstance(fact, TournamentEnded) for fact in self._facts)

    # What is added to it

    async def issue(self, fixture: Fixture) -> tuple[MatchOpened, bytes]:
        """Begin another attempt at a fixture; gives the header of its match record, and the seed of its dice."""
        earlier = [fact for fact in self._facts if isinstance(fact, FixtureIssued) and fact.fixture == fixture.id]
        if not self.secrets.dice_key:
            self.secrets.dice_key = chance.new_dice_key().hex()
            self._folder.write_secrets(self.secrets)
        attempt = len(earlier) + 1
        seed = self._seed(fixture.id, attempt)
        issued = FixtureIssued(
            at_ms=self._clock.now_ms(), fixture=fixture.id, attempt=attempt, dice_commitment=commitment(seed)
        )
        self._write(issued)
        await self._journal.wait_synced()
        return self._match_header(issued), seed

    def _seed(self, fixture: str, attempt: int) -> bytes:
        return chance.dice_seed(bytes.fromhex(self.secrets.dice_key), fixture, attempt)

    def _match_header(self, issued: FixtureIssued) -> MatchOpened:
        fixture = parse_fixture(issued.fixture)
        return MatchOpened(
            at_ms=issued.at_ms,
            match=issued.fixture,
            attempt=issued.attempt,
            ruleset=self._ruleset,
            terms=self._plan.terms,
            entrants=(fixture.first, fixture.second),
            dice_commitment=issued.dice_commitment,
        )

    async def conclude(
        self, fixture: str, attempt: int, games: Sequence[GameSummary], end: MatchEnded | MatchVoided
    ) -> str | None:
        """Settle or void an attempt whose match record is sealed; gives the winner of the match."""
        record = hashlib.sha256(self._folder.match_record(fixture).read_bytes()).hexdigest()
        now_ms = self._clock.now_ms()
        winner = None
        if isinstance(end, MatchEnded):
            decision = decide_match(result_of(fixture, games), self.opened.best_game)
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
                    record_sha256=record,
                )
            )
        else:
            self._write(
                FixtureVoided(
                    at_ms=now_ms,
                    fixture=fixture,
                    attempt=attempt,
                    reason=end.reason,
                    strikes=end.strikes,
                    is_last=end.reason != STOPPED and self._voids_by_bots(fixture) + 1 >= ATTEMPTS,
                    record_sha256=record,
                )
            )
        self._withdraw_struck()
        await self._journal.wait_synced()
        return winner

    def _voids_by_bots(self, fixture: str) -> int:
        voids = [fact for fact in self._facts if isinstance(fact, FixtureVoided) and fact.fixture == fixture]
        return sum(fact.reason != STOPPED for fact in voids)

    def _withdraw_struck(self) -> None:
        """Withdraw every entrant with more strikes than allowed (M5)."""
        strikes = dict.fromkeys(self.opened.entrants, 0)
        for fact in self._facts:
            if isinstance(fact, FixtureSettled | FixtureVoided):
                fixture = parse_fixture(fact.fixture)
                strikes[fixture.first] += fact.strikes[0]
                strikes[fixture.second] += fact.strikes[1]
        for name, number in strikes.items():
            if number > self.opened.strikes and name not in self._withdrawn():
                self._write(EntrantWithdrawn(at_ms=self._clock.now_ms(), entrant=name, strikes=number))

    async def settle_leftovers(self) -> None:
        """Attempts that were under way when an earlier run was stopped: settle what is complete, void the rest."""
        for issued in resume.leftovers(self._facts):
            header = self._match_header(issued)
            seed = self._seed(issued.fixture, issued.attempt) if self.secrets.dice_key else None
            attempt = resume.close_attempt(self._folder, issued, header, seed, self._clock.now_ms())
            assert attempt.end is not None, "close_attempt has brought it to an end"
            await self.conclude(issued.fixture, issued.attempt, attempt.games, attempt.end)
        self._withdraw_struck()

    async def finish(self) -> None:
        """Write the standings and close the record, unless an earlier run has."""
        if not self.is_finished:
            self._write(ended_fact(standings_of(self.opened, self._facts), self._clock.now_ms()))
        if isinstance(self._facts[-1], TournamentEnded):
            self._journal.seal()
        await self._journal.wait_synced()

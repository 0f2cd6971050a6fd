"""Verification of a whole run: dice, legality, endings, points, standings, and that no byte has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from arena.matches.facts import MatchEnded, MatchVoided
from arena.records.facts import (
    EntrantWithdrawn,
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    RecordClosed,
    TournamentEnded,
    TournamentFact,
    TournamentOpened,
    result_of,
)
from arena.records.lines import RecordError, encode_line
from arena.records.reading import Attempt, read_attempts, read_tournament
from arena.records.replay import Replay
from arena.records.table import ended_fact, schedule_of, standings_of
from arena.tournaments.results import decide_match

TOURNAMENT_FILE = "tournament.toml"
TOURNAMENT_RECORD = "tournament.jsonl"
MATCHES = "matches/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was found to be in order."""

    fixtures: int
    """Fixtures settled, out of `scheduled`."""
    scheduled: int
    games: int
    turns: int
    is_finished: bool
    """Whether the tournament record is complete and closed."""


def verify_run(files: Mapping[str, bytes]) -> Verified:
    """Check every record of a run; raises `RecordError` at the first difference.

    `files` holds the bytes of `tournament.toml`, `tournament.jsonl` and every `matches/<fixture>.jsonl`. A run that
    is still going on, or was interrupted, is verified as far as it goes.
    """
    for name in (TOURNAMENT_FILE, TOURNAMENT_RECORD):
        if name not in files:
            raise RecordError(name, "the file is missing from the run")
    facts = read_tournament(TOURNAMENT_RECORD, files[TOURNAMENT_RECORD])
    if not facts or not isinstance(facts[0][1], TournamentOpened):
        raise RecordError(f"{TOURNAMENT_RECORD}:1", "a tournament record begins with tournament_opened")
    opened = facts[0][1]
    found = hashlib.sha256(files[TOURNAMENT_FILE]).hexdigest()
    if found != opened.file_sha256:
        raise RecordError(TOURNAMENT_FILE, f"its SHA-256 is {found}, the record was opened with {opened.file_sha256}")
    check = _Check(opened, files)
    for where, fact in facts[1:]:
        check.take(where, fact)
    return check.result(facts)


def verify_attempt(attempt: Attempt) -> None:
    """Replay one attempt; raises `RecordError` at the first difference."""
    where = attempt.facts[0][0] if attempt.facts else "the record"
    replay = Replay(attempt.opened, attempt.seed, where)
    for where, fact in attempt.facts:
        replay.take(fact, where)
    if attempt.is_closed and not (replay.is_complete and attempt.seed is not None):
        raise RecordError(where, "the attempt is closed, but the match is not over or its seed is not revealed")


class _Check:
    """Goes through a tournament record and the match records it speaks of."""

    def __init__(self, opened: TournamentOpened, files: Mapping[str, bytes]) -> None:
        self._opened = opened
        self._files = files
        self._fixtures = {fixture.id for fixture in schedule_of(opened)}
        self._attempts: dict[str, list[Attempt]] = {}
        self._issued: dict[str, int] = {}
        self._settled: set[str] = set()
        self._strikes = dict.fromkeys(opened.entrants, 0)
        self._before: list[TournamentFact] = []
        for name in sorted(files):
            if name.startswith(MATCHES):
                self._read_match(name)

    def _read_match(self, name: str) -> None:
        fixture = name.removeprefix(MATCHES).removesuffix(".jsonl")
        if fixture not in self._fixtures:
            raise RecordError(name, "no fixture of this tournament has this name")
        attempts = read_attempts(name, self._files[name])
        self._attempts[fixture] = attempts
        for number, attempt in enumerate(attempts, start=1):
            where, header = f"{name}: attempt {number}", attempt.opened
            wanted = (fixture, number, *fixture.split("-", 1)[1].split("-v-"))
            if (header.match, header.attempt, *header.entrants) != wanted:
                raise RecordError(where, f"match_opened is of {header.match}, attempt {header.attempt}")
            if header.ruleset != self._opened.ruleset or header.terms != self._opened.terms:
                raise RecordError(where, "ruleset or terms are not those of the tournament")
            verify_attempt(attempt)

    def take(self, where: str, fact: TournamentFact) -> None:
        """Check one line of the tournament record against the ones before it and the match records."""
        if isinstance(fact, FixtureIssued):
            self._issue(where, fact)
        elif isinstance(fact, FixtureSettled):
            self._settle(where, fact)
        elif isinstance(fact, FixtureVoided):
            attempt = self._closed_attempt(where, fact)
            end = attempt.end
            if not isinstance(end, MatchVoided) or (end.reason, end.strikes) != (fact.reason, fact.strikes):
                raise RecordError(where, "the match record does not say that this attempt was void for this reason")
            self._add_strikes(fact)
        elif isinstance(fact, EntrantWithdrawn):
            if self._strikes.get(fact.entrant) != fact.strikes or fact.strikes <= self._opened.strikes:
                found = self._strikes.get(fact.entrant)
                raise RecordError(
                    where, f"{fact.entrant} is withdrawn for {fact.strikes} strikes, the matches say {found}"
                )
        elif isinstance(fact, TournamentEnded):
            expected = ended_fact(standings_of(self._opened, self._before), fact.at_ms)
            if encode_line(expected) != encode_line(fact):
                raise RecordError(where, f"the standings must be {encode_line(expected).decode()}")
        elif isinstance(fact, TournamentOpened):
            raise RecordError(where, "a tournament is opened once")
        self._before.append(fact)

    def _issue(self, where: str, fact: FixtureIssued) -> None:
        if fact.fixture not in self._fixtures:
            raise RecordError(where, f"{fact.fixture} is not in the schedule")
        if fact.fixture in self._settled or fact.attempt != self._issued.get(fact.fixture, 0) + 1:
            raise RecordError(where, f"attempt {fact.attempt} at {fact.fixture} cannot begin here")
        self._issued[fact.fixture] = fact.attempt
        attempts = self._attempts.get(fact.fixture, [])
        if len(attempts) >= fact.attempt:
            commitment = attempts[fact.attempt - 1].opened.dice_commitment
            if commitment != fact.dice_commitment:
                raise RecordError(where, f"the dice commitment is not that of the match record, {commitment}")

    def _settle(self, where: str, fact: FixtureSettled) -> None:
        attempt = self._closed_attempt(where, fact)
        end = attempt.end
        if not isinstance(end, MatchEnded):
            raise RecordError(where, f"the match record of {fact.fixture} does not end with match_ended")
        games = attempt.games
        if list(fact.games) != games or fact.score != end.score or fact.strikes != end.strikes:
            raise RecordError(where, f"games, score or strikes of {fact.fixture} are not those of its match record")
        decision = decide_match(result_of(fact.fixture, games), self._opened.best_game)
        if (fact.winner, fact.decision) != (decision.winner, decision.reason):
            raise RecordError(where, f"{fact.fixture} must be decided: {decision.reason}")
        self._settled.add(fact.fixture)
        self._add_strikes(fact)

    def _closed_attempt(self, where: str, fact: FixtureSettled | FixtureVoided) -> Attempt:
        """The attempt a line speaks of, closed and with the bytes it was settled with."""
        attempts = self._attempts.get(fact.fixture, [])
        if fact.fixture in self._settled or self._issued.get(fact.fixture) != fact.attempt:
            raise RecordError(where, f"attempt {fact.attempt} at {fact.fixture} is not under way here")
        if len(attempts) < fact.attempt or not attempts[fact.attempt - 1].is_closed:
            raise RecordError(where, f"the match record of {fact.fixture} has no closed attempt {fact.attempt}")
        attempt = attempts[fact.attempt - 1]
        data = self._files[f"{MATCHES}{fact.fixture}.jsonl"][: attempt.size_bytes]
        if hashlib.sha256(data).hexdigest() != fact.record_sha256:
            raise RecordError(where, f"the match record of {fact.fixture} is not the one that was settled")
        return attempt

    def _add_strikes(self, fact: FixtureSettled | FixtureVoided) -> None:
        first, second = fact.fixture.split("-", 1)[1].split("-v-")
        self._strikes[first] += fact.strikes[0]
        self._strikes[second] += fact.strikes[1]

    def result(self, facts: list[tuple[str, TournamentFact]]) -> Verified:
        """What was found; raises `RecordError` if the tournament has ended and its record was not closed."""
        is_ended = any(isinstance(fact, TournamentEnded) for _, fact in facts)
        is_closed = isinstance(facts[-1][1], RecordClosed)
        if is_ended != is_closed:
            raise RecordError(facts[-1][0], "the tournament has ended, but its record is not closed")
        attempts = [attempt for fixture in self._settled for attempt in self._attempts[fixture][-1:]]
        return Verified(
            fixtures=len(self._settled),
            scheduled=len(self._fixtures),
            games=sum(len(attempt.games) for attempt in attempts),
            turns=sum(game.turns for attempt in attempts for game in attempt.games),
            is_finished=is_closed,
        )

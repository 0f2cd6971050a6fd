"""Remains of an interrupted run: attempts that were issued, but not settled or voided."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from arena.matches.events import MatchStopped
from arena.matches.facts import GameEnded, MatchFact, MatchOpened
from arena.matches.match import advance
from arena.matches.state import Match, can_go_on
from arena.records.facts import (
    STOPPED,
    DiceRevealed,
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    TournamentFact,
)
from arena.records.lines import Attempt, RecordError, read_attempts
from arena.records.replay import Replay
from arena.server.io.clock import RunClock
from arena.server.io.journal import Journal, mend_record
from arena.server.setup.run_folder import RunFolder
from arena.words import Said


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class UnderWay:
    """An attempt that goes on where its record stops: all that a table needs to take it over."""

    seed: bytes
    match: Match
    """The match as it was when the arena stopped."""
    facts: Sequence[MatchFact]
    """The facts in the record, without the header."""

    @property
    def games(self) -> list[GameEnded]:
        """The games that are over, in the order of their numbers."""
        games = [fact for fact in self.facts if isinstance(fact, GameEnded)]
        return sorted(games, key=lambda ended: ended.game)

    @property
    def last_ms(self) -> int:
        """The time of the last fact."""
        if not self.facts:
            return self.match.setting.opened.at_ms
        return self.facts[-1].at_ms

    @property
    def builds(self) -> dict[str, str]:
        """The fingerprints of the bots that have come to it, by entrant; they may not change."""
        builds = {}
        for bot in self.match.standing.ready:
            if bot is not None:
                builds[bot.entrant.name] = bot.entrant.fingerprint
        return builds


def builds_in(attempts: Iterable[UnderWay]) -> dict[str, str]:
    """Return the fingerprints of all bots that have come to these attempts, by entrant."""
    builds: dict[str, str] = {}
    for attempt in attempts:
        builds |= attempt.builds
    return builds


def leftovers(facts: Sequence[TournamentFact]) -> list[FixtureIssued]:
    """Return the attempts that were under way."""
    under_way: dict[tuple[str, int], FixtureIssued] = {}
    for fact in facts:
        if isinstance(fact, FixtureIssued):
            under_way[fact.fixture, fact.attempt] = fact
        elif isinstance(fact, FixtureSettled | FixtureVoided):
            del under_way[fact.fixture, fact.attempt]
    return list(under_way.values())


def take_up(
    folder: RunFolder,
    opened: MatchOpened,
    seed: bytes | None,
    clock: RunClock,
) -> Attempt | UnderWay:
    """Repair the match record of a leftover attempt; returns the attempt if its match is over.

    An attempt whose dice were not settled yet is void, as is one without a record: it is played
    again with other dice, so that a bot gains nothing by breaking it off. An attempt whose record
    holds both reveals always goes on.

    A last line that was cut short is removed, and facts that followed from the last event but were
    not written are added. If the record is ahead of the clock, the clock is set forward. Raises
    `RecordError` if the record is damaged, or the match is under way and its seed is not
    known.
    """
    path = folder.match_record(opened.match)
    attempts = read_attempts(path.name, mend_record(path))
    journal = Journal(path)
    try:
        if len(attempts) < opened.attempt:
            journal.write(opened)
            attempts.append(Attempt(opened=opened, facts=[]))
        attempt = attempts[-1]
        if attempt.is_closed:
            return attempt
        if seed is None:
            raise RecordError(str(path), Said("record.no_dice_key"))
        under_way = _complete(attempt, seed, path.name, journal, clock)
        if not under_way.match.is_over:
            return under_way
        if attempt.seed is None:
            journal.write(
                DiceRevealed(
                    at_ms=clock.now_ms(),
                    attempt=opened.attempt,
                    dice_seed=seed.hex(),
                )
            )
        record = journal.seal()
        journal.sync()
        return read_attempts(path.name, record)[-1]
    finally:
        journal.close()


def _complete(
    attempt: Attempt,
    seed: bytes,
    file: str,
    journal: Journal,
    clock: RunClock,
) -> UnderWay:
    """Replay an attempt, and write the facts that its record lacks.

    The attempt becomes void if it cannot go on.
    """
    replay = Replay(attempt.opened, seed, file)
    last_ms = attempt.opened.at_ms
    facts: list[MatchFact] = []
    for where, fact in attempt.facts:
        replay.check(fact, where)
        facts.append(fact)
    if facts:
        last_ms = max(last_ms, facts[-1].at_ms)
    clock.catch_up(last_ms)
    added = list(replay.missing())
    match = replay.match
    if not match.is_over and not can_go_on(match):
        step = advance(match, MatchStopped(at_ms=clock.now_ms(), reason=STOPPED))
        added += step.facts
        match = step.match
    for fact in added:
        journal.write(fact)
    return UnderWay(
        seed=seed,
        match=match,
        facts=[*facts, *added],
    )

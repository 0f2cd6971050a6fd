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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """An attempt that goes on where its record stops: everything that a table needs to take it over."""

    seed: bytes
    match: Match
    """The match as it was when the arena stopped."""
    facts: Sequence[MatchFact]
    """The facts in the record, without the header."""

    @property
    def games(self) -> list[GameEnded]:
        """The games that are over, in the order of their numbers."""
        return sorted(
            (fact for fact in self.facts if isinstance(fact, GameEnded)), key=lambda fact: fact.game
        )

    @property
    def last_ms(self) -> int:
        """The time of the last fact."""
        return self.facts[-1].at_ms if self.facts else self.match.setting.opened.at_ms

    @property
    def builds(self) -> dict[str, str]:
        """The fingerprints of the bots that have come to it, by entrant; they may not change."""
        ready = self.match.standing.ready
        return {one.entrant.name: one.entrant.fingerprint for one in ready if one is not None}


def builds_in(attempts: Iterable[UnderWay]) -> dict[str, str]:
    """Return the fingerprints of all bots that have come to these attempts, by entrant."""
    return {name: build for attempt in attempts for name, build in attempt.builds.items()}


def leftovers(facts: Sequence[TournamentFact]) -> list[FixtureIssued]:
    """The attempts that were under way."""
    issued = {
        (fact.fixture, fact.attempt): fact for fact in facts if isinstance(fact, FixtureIssued)
    }
    for fact in facts:
        if isinstance(fact, FixtureSettled | FixtureVoided):
            del issued[fact.fixture, fact.attempt]
    return list(issued.values())


def take_up(
    folder: RunFolder,
    opened: MatchOpened,
    seed: bytes | None,
    clock: RunClock,
) -> Attempt | UnderWay:
    """Repair the match record of a leftover attempt; returns the attempt if its match is over.

    An attempt whose dice were not settled yet is void, as is one without a record: it is played
    again with other dice, so that nobody gains by breaking it off. An attempt whose record holds
    both reveals always goes on.

    A last line that was cut short is removed, and facts that followed from the last event but were
    not written are added. If the record is ahead of the clock, the clock is set forward. Raises
    `RecordError` if the record is not in order, or the match is under way and its seed is not
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
        replay = Replay(attempt.opened, seed, path.name)
        for where, fact in attempt.facts:
            replay.take(fact, where)
        clock.catch_up(max([attempt.opened.at_ms, *(fact.at_ms for _, fact in attempt.facts[-1:])]))
        added, match = replay.missing(), replay.match
        if not match.is_over and not can_go_on(match):
            step = advance(match, MatchStopped(at_ms=clock.now_ms(), reason=STOPPED))
            added, match = [*added, *step.facts], step.match
        for fact in added:
            journal.write(fact)
        if not match.is_over:
            facts = [*(fact for _, fact in attempt.facts), *added]
            return UnderWay(seed=seed, match=match, facts=facts)
        if attempt.seed is None:
            journal.write(
                DiceRevealed(at_ms=clock.now_ms(), attempt=opened.attempt, dice_seed=seed.hex())
            )
        data = journal.seal()
        journal.sync()
        return read_attempts(path.name, data)[-1]
    finally:
        journal.close()

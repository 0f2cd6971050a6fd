"""What an interrupted run left behind: attempts that were issued, but never settled or voided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.matches import match
from arena.matches.facts import MatchOpened
from arena.records.facts import DiceRevealed, FixtureIssued, FixtureSettled, FixtureVoided, TournamentFact
from arena.records.reading import Attempt, read_attempts, whole_lines
from arena.records.replay import Replay
from arena.server.folder import RunFolder, Secrets
from arena.server.journal import Journal

STOPPED: Final = "the arena was stopped"
"""Why an attempt is void that was under way when its arena ended."""


def leftovers(facts: Sequence[TournamentFact]) -> list[FixtureIssued]:
    """The attempts that were under way."""
    issued = {(fact.fixture, fact.attempt): fact for fact in facts if isinstance(fact, FixtureIssued)}
    for fact in facts:
        if isinstance(fact, FixtureSettled | FixtureVoided):
            del issued[fact.fixture, fact.attempt]
    return list(issued.values())


def close_attempt(
    folder: RunFolder, issued: FixtureIssued, opened: MatchOpened, secrets: Secrets, now_ms: int
) -> Attempt:
    """Bring the match record of a leftover attempt to an end and give the attempt.

    A last line that was cut short is taken off. A match that was over stays as it was; one that was not is voided,
    its dice are revealed, and it will be played again with others.
    """
    path = folder.match_record(issued.fixture)
    data = whole_lines(path.read_bytes()) if path.exists() else b""
    path.write_bytes(data)
    attempts = read_attempts(path.name, data)
    journal = Journal(path)
    if len(attempts) < issued.attempt:
        journal.write(opened)
        attempts.append(Attempt(opened=opened, facts=[]))
    attempt = attempts[-1]
    if attempt.is_closed:
        journal.close()
        return attempt
    seed = secrets.seeds[issued.fixture]
    if attempt.end is None:
        replay = Replay(attempt.opened, bytes.fromhex(seed), path.name)
        for where, fact in attempt.facts:
            replay.take(fact, where)
        for action in match.void(replay.state, STOPPED, now_ms).actions:
            journal.write(action)
    if attempt.seed is None:
        journal.write(DiceRevealed(at_ms=now_ms, attempt=issued.attempt, dice_seed=seed))
    data = journal.seal()
    journal.close()
    return read_attempts(path.name, data)[-1]

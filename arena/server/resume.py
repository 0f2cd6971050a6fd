"""What an interrupted run left behind: attempts that were issued, but never settled or voided."""

from __future__ import annotations

import os
from collections.abc import Sequence

from arena.matches import match
from arena.matches.facts import MatchOpened
from arena.records.facts import STOPPED, DiceRevealed, FixtureIssued, FixtureSettled, FixtureVoided, TournamentFact
from arena.records.lines import RecordError
from arena.records.reading import Attempt, read_attempts, whole_lines
from arena.records.replay import Replay
from arena.server.folder import RunFolder
from arena.server.journal import Journal


def leftovers(facts: Sequence[TournamentFact]) -> list[FixtureIssued]:
    """The attempts that were under way."""
    issued = {(fact.fixture, fact.attempt): fact for fact in facts if isinstance(fact, FixtureIssued)}
    for fact in facts:
        if isinstance(fact, FixtureSettled | FixtureVoided):
            del issued[fact.fixture, fact.attempt]
    return list(issued.values())


def close_attempt(
    folder: RunFolder, issued: FixtureIssued, opened: MatchOpened, seed: bytes | None, now_ms: int
) -> Attempt:
    """Bring the match record of a leftover attempt to an end and give the attempt.

    A last line that was cut short is taken off, and what followed from the last event, but was not written any more,
    is added. A match that is over then stands; one that is not is voided, and will be played again with other dice.
    Raises `RecordError` for a record that is not in order, and for one under way whose seed is not known.
    """
    path = folder.match_record(issued.fixture)
    data = path.read_bytes() if path.exists() else b""
    whole = whole_lines(data)
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    attempts = read_attempts(path.name, whole)
    journal = Journal(path)
    if len(attempts) < issued.attempt:
        journal.write(opened)
        attempts.append(Attempt(opened=opened, facts=[]))
    attempt = attempts[-1]
    if attempt.is_closed:
        journal.close()
        return attempt
    if seed is None:
        raise RecordError(str(path), "this match was under way, but secrets.json does not hold the dice key any more")
    now_ms = max([now_ms, *(fact.at_ms for _, fact in attempt.facts[-1:])])
    replay = Replay(attempt.opened, seed, path.name)
    for where, fact in attempt.facts:
        replay.take(fact, where)
    for missing in replay.missing():
        journal.write(missing)
    for action in match.void(replay.state, STOPPED, now_ms).actions:
        journal.write(action)
    if attempt.seed is None:
        journal.write(DiceRevealed(at_ms=now_ms, attempt=issued.attempt, dice_seed=seed.hex()))
    data = journal.seal()
    journal.sync()
    journal.close()
    return read_attempts(path.name, data)[-1]

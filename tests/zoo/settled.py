"""The end of a match in a room, as the scheduler sees to it: settled, and verified by its record."""

from __future__ import annotations

from arena.matches.facts import MatchEnded, MatchVoided
from arena.records.facts import DiceRevealed
from arena.records.lines import read_attempts
from arena.records.replay import verify_attempt
from arena.server.io.journal import Journal
from arena.server.play.table import Table
from tests.fixtures.playing_room import SEED, Room

LONGEST_LINE = 16_384
"""Bytes of a line of a record, whatever a bot says."""


async def settle(room: Room, table: Table) -> MatchEnded | MatchVoided:
    """Wait for the end of a match, tell the bots, and check its record."""
    end = await table.over()
    path = room.folder / f"{table.id}.jsonl"
    journal = Journal(path)
    journal.write(DiceRevealed(at_ms=room.loop.clock.now_ms(), attempt=1, dice_seed=SEED.hex()))
    data = journal.seal()
    journal.close()
    table.tell_result(None)
    room.loop.end_batch()
    assert max(map(len, data.splitlines())) <= LONGEST_LINE
    [attempt] = read_attempts(path.name, data)
    assert attempt.end == end
    verify_attempt(attempt)
    if isinstance(end, MatchEnded):
        assert len(attempt.games) == attempt.opened.terms.games
        assert sum(end.score) == sum(game.points for game in attempt.games)
    return end

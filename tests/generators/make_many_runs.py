"""Writes run folders with many short matches, to measure the pages with them.

    python -m tests.generators.make_many_runs FOLDER --runs 10000 --matches 10

Each match has three games of a few turns, as in tests/fixtures/small_run.py. The dice are those of
that match, so `arena verify` would refuse them; the pages do not verify.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
from pathlib import Path
from typing import Final

import msgspec

from arena.records.facts import FixtureIssued, FixtureSettled, TournamentFact, TournamentOpened
from arena.records.files import MATCHES, TOURNAMENT_FILE, TOURNAMENT_RECORD, match_record
from arena.records.lines import closing_line
from arena.records.lines_of_play import ended_fact
from arena.records.state import TournamentState
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.schedule import Fixture
from tests.fixtures.small_run import (
    FIXTURE,
    attempt_record,
    closed,
    file_of,
    issued,
    opened_tournament,
    played_attempt,
    settled,
)

MOST_ENTRANTS: Final = 50
"""Of a run; more matches are played in more cycles."""
HOUR_MS: Final = 3_600_000
MATCH_MS: Final = 12_000


class Model:
    """The match that all matches are copies of."""

    def __init__(self) -> None:
        played = played_attempt(attempt=1)
        record = attempt_record(played)
        self.lines = record[: record.rindex(b"\n", 0, -1) + 1]
        """All but the line that closes the record."""
        self.issued = issued(played)
        self.settled = settled(played, record)

    def record_of(self, fixture: Fixture) -> bytes:
        """Return the record of a match between other entrants."""
        lines = self.lines.replace(FIXTURE.encode(), fixture.id.encode())
        lines = lines.replace(b'"anna"', f'"{fixture.first}"'.encode())
        lines = lines.replace(b'"bo"', f'"{fixture.second}"'.encode())
        return lines + closing_line(lines) + b"\n"

    def facts_of(
        self, fixture: Fixture, at_ms: int, record: bytes
    ) -> tuple[FixtureIssued, FixtureSettled]:
        """Return the lines of a match in the tournament record."""
        winner = fixture.first if self.settled.winner == "anna" else fixture.second
        begun = msgspec.structs.replace(self.issued, at_ms=at_ms, fixture=fixture.id)
        over = msgspec.structs.replace(
            self.settled,
            at_ms=at_ms + MATCH_MS,
            fixture=fixture.id,
            winner=winner,
            violations=(0, 0),
            record_sha256=hashlib.sha256(record).hexdigest(),
        )
        return begun, over


def write_run(folder: Path, model: Model, number: int, matches: int) -> None:
    """Write a finished run of this number of matches, or a few more so that all meet all."""
    pairs = 1
    entrants = 2
    while pairs < matches and entrants < MOST_ENTRANTS:
        entrants += 1
        pairs = entrants * (entrants - 1) // 2
    cycles = math.ceil(matches / pairs)
    names = [f"bot-{place:02}" for place in range(1, entrants + 1)]
    header: TournamentOpened = opened_tournament(entrants=names)
    header = msgspec.structs.replace(
        header,
        name=f"run {number}",
        at_ms=header.at_ms + number * HOUR_MS,
        schedule=RoundRobin(cycles=cycles),
    )
    state = TournamentState(header)
    facts: list[TournamentFact] = [header]
    now_ms = header.at_ms
    (folder / MATCHES).mkdir(parents=True)
    for fixture in state.fixtures.values():
        record = model.record_of(fixture)
        (folder / match_record(fixture.id)).write_bytes(record)
        begun, over = model.facts_of(fixture, now_ms, record)
        facts += [begun, over]
        now_ms = over.at_ms
    for fact in facts[1:]:
        state.apply(fact)
    facts.append(ended_fact(state.standings(), now_ms))
    (folder / TOURNAMENT_FILE).write_bytes(file_of(header))
    (folder / TOURNAMENT_RECORD).write_bytes(closed(b"", facts))


def main() -> None:
    """Write the folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a new folder")
    parser.add_argument("--runs", type=int, default=100, metavar="N")
    parser.add_argument(
        "--matches", type=int, default=10, metavar="N", help="of each run, at least"
    )
    options = parser.parse_args()
    if options.folder.exists():
        sys.exit(f"{options.folder} exists; give a new folder")
    model = Model()
    width = len(str(options.runs))
    for number in range(1, options.runs + 1):
        write_run(options.folder / f"run-{number:0{width}}", model, number, options.matches)
    print(f"{options.runs} runs of {options.matches} matches in {options.folder}")


if __name__ == "__main__":
    main()

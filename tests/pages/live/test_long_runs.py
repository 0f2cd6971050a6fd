"""A run that is watched for long: what the pages keep grows little with its matches, and not with their turns."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.matches.facts import MatchOpened
from arena.pages.live import watching
from arena.pages.live.watching import Watcher
from arena.records.files import TOURNAMENT_RECORD, match_record
from arena.records.lines import encode_line, match_lines
from arena.tournaments.formats.round_robin import RoundRobin
from tests.fixtures.asked_pages import add
from tests.fixtures.small_run import (
    RECORD,
    issued,
    opened_tournament,
    played_attempt,
    settled,
    small_run,
)

WARM, MATCHES, AT_ONCE = 120, 170, 8
"""Whatever has a bound has reached it after the first of these; some lists keep the last hundred."""
BYTES_A_MATCH = 3000
"""That a settled match may take: its result, of which the standings are made, and its place in the
schedule; and on a busy machine its share of what is being read just then. A record that was kept
would be a hundred times as much."""


class Run:
    """A run of many equal matches, which are written one after the other while others are being played."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "matches").mkdir(parents=True)
        entrants = [f"bot-{number:02}" for number in range(21)]
        self.fixtures = RoundRobin(cycles=4).fixtures(entrants)
        opened = opened_tournament(entrants=entrants)
        self.say(
            msgspec.structs.replace(opened, schedule=RoundRobin(cycles=4), ruleset=opened.ruleset)
        )
        sitting = played_attempt(attempt=1)
        self.issued, self.settled = issued(sitting), settled(sitting, b"")
        record = small_run()[RECORD].split(b"\n")
        start = next(
            n
            for n, line in enumerate(record)
            if b'"event":"match_opened"' in line and b'"attempt":2' in line
        )
        self.header: Any = match_lines.read_line(RECORD, record[start])
        assert isinstance(self.header, MatchOpened)
        self.lines = record[start + 1 : -2]

    def say(self, fact: msgspec.Struct) -> None:
        add(self.folder, TOURNAMENT_RECORD, [encode_line(fact)])

    def begin(self, number: int) -> None:
        one = self.fixtures[number]
        self.say(msgspec.structs.replace(self.issued, fixture=one.id))
        opened = msgspec.structs.replace(
            self.header, match=one.id, attempt=1, entrants=(one.first, one.second)
        )
        add(
            self.folder,
            match_record(one.id),
            [encode_line(opened), *self.lines[: len(self.lines) // 2]],
        )

    def end(self, number: int) -> None:
        one = self.fixtures[number]
        add(self.folder, match_record(one.id), self.lines[len(self.lines) // 2 :])
        self.say(msgspec.structs.replace(self.settled, fixture=one.id, winner=one.first))


@pytest.mark.slow
def test_memory_is_flat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first page has a viewer, and the page of each match is asked for once."""
    run = Run(tmp_path / "run")
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0)  # so that there is news with every look
    watcher = Watcher(run.folder)
    watcher.overview.viewers = 1
    used: list[int] = []
    tracemalloc.start()
    for number in range(MATCHES):
        run.begin(number)
        watcher.look()
        watcher.watched(run.fixtures[number].id, is_page=True)
        if number >= AT_ONCE:
            run.end(number - AT_ONCE)
        watcher.look()
        if number in (WARM, MATCHES - 1):
            gc.collect()
            used.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert watcher.run.page().settled == MATCHES - AT_ONCE
    assert not watcher.run.broken
    grown = (used[1] - used[0]) / (MATCHES - 1 - WARM)
    assert grown < BYTES_A_MATCH, f"{grown:.0f} bytes a match"
    watcher.close()

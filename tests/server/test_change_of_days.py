"""A change of days while all seats are taken: each match counts once, in the day that it belongs to."""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import pytest

from arena.tournaments.schedule import parse_fixture
from tests.server.ladder_club import FILE, Club
from tests.server.ladder_hall import until

BOTS: Final = ("anna", "bert", "cecil", "dora", "erik")
THINK_S: Final = 4.0


@pytest.mark.slow
@pytest.mark.parametrize("is_killed", [False, True])
async def test_a_match_in_play_at_midnight_counts_once(tmp_path: Path, is_killed: bool) -> None:
    club = Club(tmp_path / "venue", text=FILE.replace("seats = 3", "seats = 6"), think_s=THINK_S)
    club.before_midnight()
    async with club.served() as bots:
        for name in BOTS:
            await club.join(name)
            bots.start_soon(club.live, name, "", THINK_S)
        await until(lambda: len(club.days()) == 2)
        if is_killed:
            club.kill()
        first, second = club.days()
        await until(lambda: club.count(second, "edges_taken") == 1)
        await until(lambda: club.settled(second) >= 6)
    lines = (club.runs / first / "tournament.jsonl").read_bytes().splitlines(keepends=True)
    [opened] = club.lines(second, "ladder_opened")
    [taken] = club.lines(second, "edges_taken")
    before = opened["before"]["lines"]
    for moment in (opened["before"], taken["before"]):
        digest = hashlib.sha256(b"".join(lines[: moment["lines"]])).hexdigest()
        assert (moment["run"], moment["sha256"]) == (first, digest)
    assert taken["before"]["lines"] == len(lines)
    drawn = fixtures(lines[:before], "pair_drawn")
    counted = fixtures(lines[:before], "fixture_settled")
    drained = fixtures(lines[before:], "fixture_settled")
    assert len(drained) == 6
    assert drawn.keys() == counted.keys() | drained.keys()
    assert not fixtures(lines[before:], "pair_drawn")
    assert (units(opened), units(taken)) == (len(counted), len(drained))
    drawn_after = {line["fixture"]: line["at_ms"] for line in club.lines(second, "pair_drawn")}
    for fixture, at_ms in drained.items():
        for name in bots_of(fixture):
            again = [drawn_after[later] for later in drawn_after if name in bots_of(later)]
            assert all(later_ms >= at_ms for later_ms in again), name
    assert [run.run for run in club.verify()] == [first, second]


def fixtures(lines: list[bytes], event: str) -> dict[str, int]:
    """The fixtures that lines of a kind name, with the times of the lines."""
    named = {}
    for line in map(json.loads, lines):
        if line["event"] == event:
            assert line["fixture"] not in named
            named[line["fixture"]] = line["at_ms"]
    return named


def bots_of(fixture: str) -> list[str]:
    """The bots from elsewhere that play a match."""
    names = [entrant.rpartition("-")[0] for entrant in parse_fixture(fixture).entrants]
    return [name for name in names if name in BOTS]


def units(line: dict[str, Any]) -> int:
    """How many units the edges of a line have."""
    return sum(edge[2] + edge[5] + edge[6] for edge in line["edges"])

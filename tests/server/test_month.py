"""A venue for a month of the mock clock: nothing is lost, and nothing piles up."""

import gc
import pathlib
import tracemalloc
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
import trio

from arena.server.series.admin_orders import Ban, Reload
from arena.server.series.operator_days import KEPT
from tests.fixtures.disks import disk
from tests.fixtures.operator import lines_of
from tests.fixtures.playing_room import Guest
from tests.server.ladder_club import AGAIN_S, BEGINS, LOOK_SECONDS, Act, Club, plays
from tests.server.ladder_hall import until
from tests.zoo.faults import hangs_up, is_silent

DAYS: Final = 30
HOUR_S: Final = 3600
THINK_S: Final = 2400.0
"""Bots think for 40 minutes about a turn, so that a day has some 25 matches."""
MOST_GROWTH: Final = 1.1
"""Of the memory from the third day to the last."""
FILE: Final = """
[venue]
name = "club"
[listen]
address = "unix:{folder}/door/socket"
[limits]
idle_ms = 0
[[ladder]]
name = "vasa"
ruleset = "vasa"
pairs = 1
seats = 3
[ladder.clock]
delay_ms = 3600000
bank_ms = 3600000
[ladder.limits]
turns = 4
sandbox = "off"
[[cup]]
name = "sat"
ladder = "vasa"
day = "saturday"
time = "20:00"
zone = "Europe/Stockholm"
best = 4
format = "round_robin"
[cup.clock]
delay_ms = 3600000
bank_ms = 3600000
[cup.limits]
turns = 4
sandbox = "off"
"""


class Month:
    """A venue, and the bots from elsewhere that live in it."""

    def __init__(self, club: Club, bots: trio.Nursery) -> None:
        self.club = club
        self._bots = bots
        self._lives: dict[str, trio.CancelScope] = {}

    async def until(self, day: int, hour: float) -> None:
        """Wait for an hour of a day; the first day is 0, and begins at nine."""
        at = BEGINS.replace(hour=0) + timedelta(days=day, hours=hour)
        await trio.sleep_until((at - BEGINS).total_seconds())

    async def join(self, name: str) -> None:
        await self.club.join(name)
        self.live(name, "first")

    def live(self, name: str, fingerprint: str, act: Act = plays) -> None:
        """Let a bot play from now on, in this version."""
        self.leave(name)
        scope = self._lives[name] = trio.CancelScope()

        async def life() -> None:
            with scope:
                await self.club.live(name, fingerprint, THINK_S, act=act)

        self._bots.start_soon(life)

    def leave(self, name: str) -> None:
        """Let a bot end."""
        if name in self._lives:
            self._lives.pop(name).cancel()

    async def drawn_within(self, hours: float) -> int:
        """How many pairs are drawn in the next hours."""
        before = self.club.lines_of_all("pair_drawn")
        await trio.sleep(hours * HOUR_S)
        return self.club.lines_of_all("pair_drawn") - before


class SometimesGone:
    """A bot that loses its connection at each tenth of its turns."""

    def __init__(self) -> None:
        self._turns = 0

    async def __call__(self, guest: Guest, turn: Any) -> None:
        self._turns += 1
        if self._turns % 10:
            await plays(guest, turn)
        else:
            await hangs_up(guest, turn)


def memory() -> int:
    """The bytes that Python has got since the beginning of the test.

    It leaves out those of pathlib, which interns the parts of paths: once in a while the table of
    all interned strings of the process doubles there.
    """
    gc.collect()
    snapshot = tracemalloc.take_snapshot()
    snapshot = snapshot.filter_traces([tracemalloc.Filter(False, pathlib.__file__)])
    return sum(trace.size for trace in snapshot.traces)


@pytest.mark.soak
async def test_thirty_days(tmp_path: Path) -> None:
    club = Club(tmp_path / "venue", text=FILE, think_s=THINK_S, refused_s=1800.0)
    tracemalloc.start()
    try:
        async with club.served() as bots:
            month = Month(club, bots)
            used = await live_for_a_month(month)
    finally:
        tracemalloc.stop()
    check_days(club)
    check_cups(club)
    check_operator_log(club)
    for earlier, later in pairwise(club.verify()):
        assert earlier.verified is not None
        assert earlier.verified.is_finished or later.run == club.days()[-1]
    assert used[1] <= MOST_GROWTH * used[0], used


async def live_for_a_month(month: Month) -> tuple[int, int]:
    """All that happens to a venue; gives the memory after the third day and after the last."""
    club = month.club
    for name in ("anna", "bert", "cecil", "dora"):
        await month.join(name)
    await club.join("erik")
    month.live("erik", "first", SometimesGone())
    await month.until(1, 10)
    club.kill()
    await month.until(2, 5)
    club.disk = disk(free=0)  # no line can be written
    await until(lambda: club.failures >= 3)  # it is started again, in vain
    club.disk = disk(free=500)
    await trio.sleep(2 * AGAIN_S)
    club.failures = 0
    assert await month.drawn_within(5) > 0
    month.live("anna", "second")
    await month.until(2, 21)  # the first cup is played
    assert len(club.venue_lines("cup_begun")) == 1
    club.kill()
    await month.until(3, 12)  # by now all code has been loaded
    after_third = memory()
    await month.join("frida")
    await month.until(6, 12)
    assert (await club.order(Ban(bot="bert", why="too loud"))).is_done
    await month.until(7, 1)
    club.crashing.add("deep")
    await month.until(8, 1)
    club.crashing.clear()
    await month.until(8, 10)
    club.disk = disk(free=40)
    await trio.sleep(LOOK_SECONDS)
    assert await month.drawn_within(5) == 0
    club.disk = disk(free=500)
    assert await month.drawn_within(5) > 0
    assert (await club.order(Ban(bot="bert", lift=True))).is_done
    await month.until(11, 12)
    month.live("anna", "first")  # its old version again
    await month.until(14, 0.01)  # a day drains
    club.kill()
    await month.until(15, 2)
    month.live("dora", "first", is_silent)
    await month.until(16, 12)
    month.live("dora", "first")
    await month.until(16, 18.99)  # a cup is due
    club.kill()
    await month.until(17, 8)
    club.build("deep", "second")
    assert (await club.order(Reload())).is_done
    await month.until(18, 3)
    month.leave("cecil")
    await month.until(20, 5)
    await month.join("gustav")
    await month.until(22, 5)
    month.live("frida", "second")
    await month.until(24, 5)
    club.kill()
    await trio.sleep(90)
    club.kill()
    await month.until(DAYS, 12)
    return after_third, memory()


def check_days(club: Club) -> None:
    """Each day is there, and each match is played once and counted once."""
    dates = [f"vasa-{(BEGINS + timedelta(days=day)).date()}" for day in range(DAYS + 1)]
    assert club.days() == dates
    rested: set[str] = set()
    counted = 0
    for before, run in pairwise(club.days()):
        assert sorted(fixtures(club, before, "fixture_settled")) == sorted(
            fixtures(club, before, "pair_drawn")
        )
        counted += club.settled(before)
        [opened] = club.lines(run, "ladder_opened")
        [taken] = club.lines(run, "edges_taken")
        edges = [*opened["edges"], *taken["edges"]]
        assert sum(edge[2] + edge[5] + edge[6] for edge in edges) == counted
        rested |= club.rested(before)
    assert {"deep-1", "dora-1"} <= rested <= {"deep-1", "dora-1", "erik-1"}
    assert counted > 600


def fixtures(club: Club, run: str, event: str) -> list[str]:
    return [line["fixture"] for line in club.lines(run, event)]


def check_cups(club: Club) -> None:
    """Each Saturday had its cup."""
    assert not club.venue_lines("cup_left_out")
    cups = [line["run"] for line in club.venue_lines("cup_begun")]
    assert cups == [f"sat-2026-11-{day:02}" for day in (7, 14, 21, 28)]
    for cup in cups:
        assert Counter(fixtures(club, cup, "fixture_settled")).total() == 6
        assert club.count(cup, "tournament_ended") == 1


def check_operator_log(club: Club) -> None:
    """It has no lines that are too old."""
    lines = lines_of(club.folder / "operator.jsonl")
    first = datetime.fromisoformat(lines[0]["timestamp"])
    now = datetime.fromtimestamp(club.now_ms() / 1000, UTC)
    assert first > now - KEPT - timedelta(hours=1)

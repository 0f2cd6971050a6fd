"""The chances on the cards: each position is judged once, in few and bounded pieces of work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.analysis import evaluator_for
from arena.games import load_game
from arena.pages.following import MatchFollower
from arena.pages.live import chances
from arena.pages.live.chances import Chances
from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving.app import web_app
from tests.fixtures.asked_pages import HERE, add, begun, follow, lines_of, write_run
from tests.fixtures.report_runs import long_run
from tests.fixtures.small_run import FIXTURE, RECORD

VASA = load_game("vasa")
AFTER_TURNS = 30
"""Lines of the record after which the first game is well under way."""


def followed(lines: int, ruleset: str = "vasa") -> MatchFollower:
    follower = MatchFollower(RECORD)
    follower.read(lines_of(long_run(load_game(ruleset))[RECORD])[:lines])
    follower.advance()
    return follower


async def test_it_is_the_chance_of_seat_1_by_the_evaluator_that_ships() -> None:
    evaluator = evaluator_for(VASA)
    seen = set()
    for number in range(AFTER_TURNS, AFTER_TURNS + 4):
        follower = followed(number)
        position = follower.position_to_judge()
        assert position is not None
        seen.add(position.to_move)
        found = await Chances().judge({FIXTURE: position})
        last = follower.small_board().last
        assert last is not None
        assert position.to_move == 3 - last.seat
        [win] = evaluator.wins([VASA.flip(position.position).state])
        expected = win if last.seat == 1 else 1 - win
        assert found == {FIXTURE: pytest.approx(expected, abs=0.006)}
    assert seen == {1, 2}


async def test_a_position_is_judged_once_and_all_that_changed_go_together(monkeypatch) -> None:
    judged = Chances()
    asked: list[int] = []
    compute = judged._chances_of

    def count(positions: Any) -> list[float]:
        asked.append(len(positions))
        return compute(positions)

    monkeypatch.setattr(judged, "_chances_of", count)
    before, after = (
        followed(lines).position_to_judge() for lines in (AFTER_TURNS, AFTER_TURNS + 1)
    )
    shown = {f"r{number}-a-v-b": before for number in range(1, 65)}
    assert len(await judged.judge(shown)) == 64
    assert await judged.judge(shown) == {}
    await judged.judge({**shown, "r1-a-v-b": after})
    assert asked == [64, 1]
    assert judged.of("r1-a-v-b", 1) is not None
    assert judged.of("r1-a-v-b", 2) is None, "another game has no chance yet"
    await judged.judge({})
    assert judged.of("r1-a-v-b", 1) is None, "what is not shown is forgotten"


async def test_it_rests_much_longer_than_it_computes(monkeypatch) -> None:
    judged = Chances()
    await judged.judge({FIXTURE: followed(AFTER_TURNS).position_to_judge()})
    clock = iter([100.0, 103.0])
    monkeypatch.setattr(chances.time, "thread_time", lambda: next(clock))
    await judged.judge({FIXTURE: followed(AFTER_TURNS + 1).position_to_judge()})
    assert judged.pause_seconds == 3 * chances.REST
    await judged.judge({})
    assert judged.pause_seconds == chances.PAUSE_SECONDS


async def test_without_an_evaluator_there_is_no_chance() -> None:
    judged = Chances()
    position = followed(AFTER_TURNS, "brandubh-1").position_to_judge()
    assert position is not None
    assert await judged.judge({FIXTURE: position}) == {}
    assert not judged.are_possible
    assert followed(AFTER_TURNS, "brandubh-1").small_board().pips == ()


def test_between_games_nothing_is_judged() -> None:
    follower = followed(10_000)
    assert follower.book is not None
    assert follower.book.end is not None
    assert follower.position_to_judge() is None
    assert MatchFollower(RECORD).position_to_judge() is None


async def first_page(folder: Path, watcher: Watcher, judge: Callable) -> list:
    """What a viewer of the first page is told, before and after the boards were judged."""
    lines = lines_of(long_run()[RECORD])
    app = web_app(RunPages(watcher).routes(), HERE)
    async with trio.open_nursery() as nursery:
        viewer = await follow(app, "/events/run", nursery)
        watcher.look()
        with trio.fail_after(20):
            await judge()
        watcher._told_at = 0
        watcher.look()
        await trio.testing.wait_all_tasks_blocked()
        add(folder, RECORD, lines[20:21])
        watcher._told_at = 0
        watcher.look()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    return viewer.events


async def test_viewers_get_the_chances_apart_from_the_boards(tmp_path: Path) -> None:
    folder = write_run(tmp_path, begun(long_run(), 20))
    with closing(Watcher(folder)) as watcher:
        events = await first_page(folder, watcher, watcher._judge_boards_once)
    snapshot, boards, judged, turn = [content for _, _, content in events]
    assert "chance" not in snapshot["running"][0]
    assert "chance" not in boards["boards"][0]
    assert "boards" not in judged
    assert 0 < judged["chances"][FIXTURE] < 1
    assert turn["boards"][0]["chance"] == judged["chances"][FIXTURE], "until it is judged again"


async def test_a_fault_only_leaves_the_chances_out(tmp_path: Path, monkeypatch, capsys) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Chances, "_chances_of", fail)
    folder = write_run(tmp_path, begun(long_run(), 20))
    with closing(Watcher(folder)) as watcher:
        events = await first_page(folder, watcher, watcher._judge_boards)
        assert not watcher.chances.are_possible, "it is not tried again"
    assert ["boards" in content for _, _, content in events] == [False, True, False, True]
    assert [content.get("has_chances") for _, _, content in events] == [True, None, False, None]
    assert "chances" not in events[-1][2]
    assert capsys.readouterr().err.count("a fault of the pages, which go on") == 1


@pytest.mark.slow
def test_the_pages_start_without_numpy() -> None:
    """The modules of the pages load no evaluator: a run without one never needs it."""
    import subprocess

    code = "import sys, arena.pages.live.run_pages; sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

"""Standings that take long to compute: a thread does it, and viewers get those before."""

from __future__ import annotations

from pathlib import Path
from threading import Event, get_ident

import pytest
import trio
import trio.testing

from arena.pages.contents import RunPage
from arena.pages.following import RunFollower
from arena.pages.live import run_table
from arena.pages.live.watching import Watcher
from arena.records.files import TOURNAMENT_RECORD
from tests.fixtures.asked_pages import add, write_run
from tests.fixtures.small_run import RECORD, small_run


class SlowRun:
    """Lets the standings of a run wait, and knows in which thread they were computed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads: list[int] = []
        self.go_on = Event()
        page = RunFollower.page

        def slow_page(follower: RunFollower, delay_ms: int = 0) -> RunPage:
            self.threads.append(get_ident())
            if get_ident() != self.here:
                assert self.go_on.wait(30)
            return page(follower, delay_ms)

        self.here = get_ident()
        monkeypatch.setattr(RunFollower, "page", slow_page)
        monkeypatch.setattr(run_table, "QUICK_SECONDS", -1.0)
        monkeypatch.setattr(run_table, "REST", 0)


async def test_viewers_get_the_standings_before_while_a_thread_computes_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = small_run()
    lines = files[TOURNAMENT_RECORD].splitlines()
    folder = tmp_path / "run"
    write_run(folder, {RECORD: files[RECORD], TOURNAMENT_RECORD: b"\n".join(lines[:4]) + b"\n"})
    watcher = Watcher(folder)
    watcher.look()
    slow = SlowRun(monkeypatch)
    assert watcher.overview_now().run.settled == 0
    assert slow.threads == [slow.here]  # nothing was known before
    add(folder, TOURNAMENT_RECORD, lines[4:5])
    watcher.look()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watcher.ask, lambda: watcher.table.compute(watcher.run))
        await trio.testing.wait_all_tasks_blocked()
        assert watcher.overview_now().run.settled == 0
        add(folder, TOURNAMENT_RECORD, lines[5:])
        watcher.look()
        assert watcher.run.lines == 5, "the state does not change under the thread"
        slow.go_on.set()
    assert len(slow.threads) == 2
    assert slow.threads[1] != slow.here
    assert watcher.overview_now().run.settled == 1
    watcher.look()
    assert watcher.run.lines == len(lines)
    assert len(slow.threads) == 2
    watcher.close()


async def test_standings_that_are_quick_are_those_of_the_last_line(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write_run(folder, small_run())
    watcher = Watcher(folder)
    watcher.look()
    assert watcher.overview_now().run.is_finished
    assert watcher.table.is_quick
    watcher.close()

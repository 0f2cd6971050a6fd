"""The pages of a run while its records grow: what is answered, and what viewers are told."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio
from starlette.types import ASGIApp

from arena.pages.following import MatchFollower, RunFollower
from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving.app import web_app
from arena.records.lines import RecordError
from arena.tournaments.standings import Standings
from arena.words import say
from tests.fixtures.asked_pages import (
    HERE,
    Answered,
    add,
    ask,
    begun,
    follow,
    joined,
    lines_of,
    write_run,
)
from tests.fixtures.report_runs import HOSTILE, long_run
from tests.fixtures.small_run import FIXTURE, RECORD, Files, small_run

LOG = "tournament.jsonl"


class Watched:
    def __init__(self, folder: Path, delay_ms: int) -> None:
        self.folder = folder
        self.watcher = Watcher(folder, delay_ms)
        self.app: ASGIApp = web_app(RunPages(self.watcher).routes(), HERE)


@pytest.fixture
def watch(tmp_path: Path) -> Iterator:
    with ExitStack() as open_ones:

        def begin(files: Files, delay_ms: int = 0) -> Watched:
            found = Watched(write_run(tmp_path / "run", files), delay_ms)
            open_ones.enter_context(closing(found.watcher))
            return found

        yield begin


async def test_the_first_page_has_everything(watch) -> None:
    watched = watch(small_run())
    page = (await ask(watched.app, "/api/run")).json
    assert page["run"]["is_finished"]
    assert [row["id"] for row in page["run"]["entrants"]] == ["anna", "bo"]
    assert page["running"] == []
    assert page["games"]["found"] == 3
    assert (await ask(watched.app, "/api/bots/bo")).json["matches"][0]["fixture"] == FIXTURE
    cells = (await ask(watched.app, "/api/crosstable")).json
    assert [len(row) for row in cells] == [2, 2]
    assert cells[0][1][0][:2] == cells[1][0][0][1::-1]


async def test_a_match_is_seen_turn_by_turn(watch) -> None:
    files = long_run()
    lines = lines_of(files[RECORD])
    watched = watch(begun(files, 10))
    async with trio.open_nursery() as nursery:
        first = await follow(watched.app, f"/events/matches/{FIXTURE}", nursery)
        for number in range(10, 30):
            add(watched.folder, RECORD, lines[number : number + 1])
            await look_later(watched, 0.003)
        second = await follow(watched.app, f"/events/matches/{FIXTURE}", nursery)
        add(watched.folder, RECORD, lines[30:40])
        await look_later(watched, 0.005)
        nursery.cancel_scope.cancel()
    seen = [steps_of(one.events) for one in (first, second)]
    page = (await ask(watched.app, f"/api/matches/{FIXTURE}")).json
    assert seen[0] == seen[1] == page["shown"][0]["steps"]
    assert len({(step[0], step[1], step[4]) for step in seen[0]}) >= 30
    assert first.events[0][0] == second.events[0][0] == "snapshot"
    assert [kind for kind, *_ in first.events].count("snapshot") == 1


async def test_a_match_says_who_leads_and_then_who_has_won_it(watch) -> None:
    files = small_run()
    lines = lines_of(files[RECORD])
    watched = watch(begun(files, len(lines) - 1))
    follower = MatchFollower(RECORD)
    told = []
    for line in lines:
        follower.read([line])
        for _, change in follower.advance():
            if change.kind in ("ended", "over"):
                assert change.outcome == follower.page().outcome
                told.append(say(change.outcome))
    assert told == [
        "this attempt is void and counts for neither: both bots are gone",
        "no points yet",
        "anna leads on points, 6 against 0",
        "anna leads on points, 12 against 0",
        "anna won on points, 12 against 0",
    ]
    page = (await ask(watched.app, f"/api/matches/{FIXTURE}")).json
    assert say(page["outcome"]) == told[-1]


def steps_of(events: list) -> list:
    """The steps of the first game that a viewer has seen."""
    steps: list = []
    for kind, _, content in events:
        if kind == "snapshot":
            steps = [step for game in content["shown"] for step in game["steps"]]
        elif content["kind"] == "game":
            steps = []
        elif content["kind"] == "step":
            steps += content["steps"]
    return steps


@pytest.mark.parametrize("is_new_process", [False, True])
async def test_a_viewer_that_comes_back_goes_on_where_it_was(watch, is_new_process: bool) -> None:
    files = long_run()
    lines = lines_of(files[RECORD])
    watched = watch(begun(files, 12))
    async with trio.open_nursery() as nursery:
        first = await follow(watched.app, f"/events/matches/{FIXTURE}", nursery)
        add(watched.folder, RECORD, lines[12:20])
        await look_later(watched, 0.005)
        nursery.cancel_scope.cancel()
    last = first.events[-1][1]
    add(watched.folder, RECORD, lines[20:35])
    if is_new_process:
        watched.watcher.close()
        watched = Watched(watched.folder, 0)
    async with trio.open_nursery() as nursery:
        again = await follow(watched.app, f"/events/matches/{FIXTURE}", nursery, last_event_id=last)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    watched.watcher.close()
    assert [kind for kind, *_ in again.events] == ["change"] * 15
    assert [int(key.split("-")[0]) for _, key, _ in again.events] == list(range(21, 36))


async def test_after_a_change_of_the_record_everything_is_sent_again(watch) -> None:
    files = long_run()
    lines = lines_of(files[RECORD])
    watched = watch(begun(files, 20))
    async with trio.open_nursery() as nursery:
        viewer = await follow(watched.app, f"/events/matches/{FIXTURE}", nursery)
        (watched.folder / RECORD).write_bytes(joined(lines[:14]))
        watched.watcher.look()
        await trio.testing.wait_all_tasks_blocked()
        assert viewer.events[-1][0] == "snapshot"
        assert steps_of(viewer.events) == viewer.events[-1][2]["shown"][0]["steps"]
        add(watched.folder, RECORD, [lines[14][:-9]])
        watched.watcher.look()
        await trio.testing.wait_all_tasks_blocked()
        assert f"{RECORD}:15" in say(viewer.events[-1][2]["broken"])
        (watched.folder / RECORD).write_bytes(joined(lines[:22]))
        watched.watcher.look()
        await trio.testing.wait_all_tasks_blocked()
        assert "broken" not in viewer.events[-1][2]
        nursery.cancel_scope.cancel()


async def test_the_overview_follows_the_run(watch) -> None:
    files = long_run()
    watched = watch(begun(files, 12))
    lines, log = lines_of(files[RECORD]), lines_of(files[LOG])
    async with trio.open_nursery() as nursery:
        viewer = await follow(watched.app, "/events/run", nursery)
        assert [board["fixture"] for board in viewer.events[0][2]["running"]] == [FIXTURE]
        before = viewer.events[0][2]["running"][0]["position"]
        add(watched.folder, RECORD, lines[12:16])
        await look_later(watched)
        assert last_news(viewer, "boards")[0]["position"] != before
        add(watched.folder, RECORD, lines[16:])
        add(watched.folder, LOG, log[2:])
        await look_later(watched)
        assert last_news(viewer, "gone") == [FIXTURE]
        assert last_news(viewer, "run")["is_finished"]
        assert last_news(viewer, "games")["found"] == 3
        nursery.cancel_scope.cancel()


def last_news(viewer: Answered, key: str) -> Any:
    """Return the last value of this key: chances are judged beside, and may come as later news."""
    for kind, _, content in reversed(viewer.events):
        if kind == "news" and key in content:
            return content[key]
    raise AssertionError(f"no news has {key!r}")


async def look_later(watched: Watched, seconds: float = 0.15) -> None:
    await trio.sleep(seconds)
    watched.watcher.look()
    await trio.testing.wait_all_tasks_blocked()


async def test_with_a_delay_nothing_is_seen_early(watch) -> None:
    files = long_run()
    log = [msgspec.json.decode(line) for line in lines_of(files[LOG]) if b"at_ms" in line]
    after_ms = int(time.time() * 1000) - log[-1]["at_ms"]
    early = watch(files, after_ms + 3_600_000)
    assert (await ask(early.app, "/api/run")).status == 503
    assert (await ask(early.app, f"/api/matches/{FIXTURE}/1/1")).status == 503
    early.watcher.close()
    playing = watch(files, int(time.time() * 1000) - (log[1]["at_ms"] + log[-1]["at_ms"]) // 2)
    page = (await ask(playing.app, "/api/run")).json
    assert (page["run"]["settled"], page["games"]["found"], len(page["running"])) == (0, 0, 1)
    match = (await ask(playing.app, f"/api/matches/{FIXTURE}")).json
    assert (match["state"], match["seed"], match["is_over"]) == ("under way", "", False)
    assert (await ask(playing.app, f"/api/matches/{FIXTURE}?attempt=1")).status == 404
    playing.watcher.close()
    late = watch(files, after_ms - 60_000)
    assert (await ask(late.app, "/api/run")).json["run"]["is_finished"]


async def test_a_finished_match_is_that_of_the_report(watch) -> None:
    watched = watch(small_run())
    match = (await ask(watched.app, f"/api/matches/{FIXTURE}")).json
    assert (match["state"], match["attempt"], match["attempts"]) == ("settled", 2, 2)
    assert len(match["seed"]) == 64
    assert [row["game"] for row in match["games"]] == [1, 2, 3]
    for game in (1, 2, 3):
        found = (await ask(watched.app, f"/api/matches/{FIXTURE}/2/{game}")).json
        assert found["game"]["ended"]["game"] == game
    assert say(match["outcome"]) == "anna won on points, 12 against 0"
    void = (await ask(watched.app, f"/api/matches/{FIXTURE}?attempt=1")).json
    assert (void["state"], bool(void["void"])) == ("void", True)
    assert say(void["outcome"]).startswith("this attempt is void and counts for neither: ")
    for target in (
        f"/api/matches/{FIXTURE}/2/9",
        f"/api/matches/{FIXTURE}/7/1",
        "/api/matches/r9-x-v-y",
        "/api/bots/x",
    ):
        answered = await ask(watched.app, target)
        assert answered.status == 404
        assert len(answered.text.split()) > 3


async def test_a_damaged_match_record_is_told_where_its_attempt_is_missing(watch) -> None:
    watched = watch(small_run())
    (watched.folder / RECORD).write_bytes(b"no record\n")
    for target in (f"/api/matches/{FIXTURE}", f"/api/matches/{FIXTURE}/2/1"):
        answered = await ask(watched.app, target)
        assert (answered.status, f"{RECORD}:1" in answered.text) == (404, True)


@pytest.mark.parametrize(
    "target",
    [
        "/api/games?sort=x",
        "/api/games?start=-1",
        "/api/games?most=1e9",
        f"/api/matches/{FIXTURE}?attempt=one",
    ],
)
async def test_what_makes_no_sense_is_refused(watch, target: str) -> None:
    answered = await ask(watch(small_run()).app, target)
    assert answered.status == 400
    assert "expected" in answered.text


async def test_nothing_that_a_bot_says_becomes_markup(watch) -> None:
    watched = watch(long_run())
    answered = await ask(watched.app, f"/api/matches/{FIXTURE}/1/1")
    assert json.loads(answered.json["game"]["steps"][2][-1]["info"]) == {"note": HOSTILE}
    assert answered.headers["content-type"] == "application/json"
    assert (
        (await ask(watched.app, f"/{HOSTILE[:40]}"))
        .headers["content-type"]
        .startswith("text/plain")
    )


async def test_a_run_that_has_not_begun_or_is_damaged_is_told(watch) -> None:
    files = small_run()
    watched = watch({"tournament.toml": files["tournament.toml"]})
    assert (await ask(watched.app, "/api/run")).status == 503
    async with trio.open_nursery() as nursery:
        viewer = await follow(watched.app, "/events/run", nursery)
        assert viewer.events == [
            ("trouble", "", "The run has not started yet: its tournament record has no line.")
        ]
        write_run(watched.folder, {name: files[name] for name in (LOG, RECORD)})
        await look_later(watched)
        assert viewer.events[-1][2]["run"]["is_finished"]
        (watched.folder / LOG).write_bytes(b"no record\n")
        await look_later(watched)
        assert f"{LOG}:1" in say(viewer.events[-1][2])
        nursery.cancel_scope.cancel()


async def test_a_run_whose_records_give_no_standings_is_told_on_every_page(
    watch, monkeypatch
) -> None:
    def table(_: RunFollower) -> Standings:
        raise RecordError(LOG, "no standings follow from it")

    watched = watch(small_run())
    monkeypatch.setattr(RunFollower, "table", table)
    for address in ("run", "crosstable", "pairings", "bots/anna", f"matches/{FIXTURE}"):
        answered = await ask(watched.app, f"/api/{address}")
        assert (answered.status, "no standings follow" in answered.text) == (503, True), address

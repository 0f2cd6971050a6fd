"""Faults of the pages themselves: each is told to their operator and costs one answer; the pages go on."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.lowlevel

from arena.pages import following, growing_file, index
from arena.pages.by_hand import hand_pages, hand_seat
from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_room import HandRoom
from arena.pages.live import run_pages, watched, watching
from arena.pages.live.chances import Chances
from arena.pages.live.run_pages import RunPages
from arena.pages.live.watching import Watcher
from arena.pages.serving import app, event_stream, faults, listening
from arena.pages.serving.app import web_app
from arena.pages.serving.http_connection import Exchange, HttpConnection
from arena.pages.serving.listening import open_socket, serve
from arena.pages.site_files import site_version
from arena.person import advice
from tests.fixtures.asked_pages import (
    HERE,
    Answered,
    add,
    ask,
    ask_into,
    begun,
    follow,
    lines_of,
    write_run,
)
from tests.fixtures.report_runs import long_run
from tests.fixtures.small_run import FIXTURE, RECORD
from tests.pages.live.fault_injector import WORDS, Injector
from tests.pages.live.test_hand_pages import TAB, TOKEN, Seat

FEW, MANY = 300, 1500
"""Faults of the pages of a run, in each test."""
TARGETS = (
    "/",
    "/api/run",
    "/api/crosstable",
    "/api/pairings",
    "/api/games?find=bo&sort=turns",
    "/api/bots/anna",
    f"/api/matches/{FIXTURE}",
    f"/api/matches/{FIXTURE}/1/1",
    f"/assets/{site_version()}/report.css",
    "/api/matches/r9-x-v-y",
)
REQUEST = (
    f"GET /assets/{site_version()}/report.css HTTP/1.1\r\n"
    "Host: 127.0.0.1\r\nConnection: close\r\n\r\n"
).encode()


@pytest.fixture
def inject(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, float], Injector]:
    """An injector; whatever waits after a fault waits for a moment, and every fault is told."""
    for module, name in (
        (watching, "AGAIN_SECONDS"),
        (watched, "AGAIN_SECONDS"),
        (watching, "IDLE_SECONDS"),
    ):
        monkeypatch.setattr(module, name, 0.02)
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.002)
    monkeypatch.setattr(faults, "MOST", 10**9)
    return lambda seed, rate: Injector(seed, rate, monkeypatch)


def into_the_pages_of_a_run(injector: Injector) -> None:
    """Handlers, streams, followers and the tasks of the index."""
    injector.wrap(app, "refusal_of", "site_files")
    injector.wrap(
        RunPages,
        *[name for name in vars(RunPages) if not name.startswith("__") and name != "routes"],
    )
    injector.wrap(run_pages, "read_record", "game_of_attempt")
    tasks = {"follow", "_learn_for_ever", "close", "until_ms"}
    own = {
        name
        for name, value in vars(Watcher).items()
        if callable(value) and not name.startswith("__")
    }
    injector.wrap(Watcher, *sorted(own - tasks))
    injector.wrap(watching, "learnt_of_all")
    injector.wrap(watched.WatchedMatch)
    injector.wrap(watched, "event")
    injector.wrap(growing_file.GrowingFile)
    injector.wrap(following.Follower)
    injector.wrap(following.RunFollower)
    injector.wrap(following.MatchFollower)
    injector.wrap(following.InStep)
    injector.wrap(
        index.Index,
        *[name for name in vars(index.Index) if name[0] != "_" and name != "close"],
        "_ask",
    )
    injector.wrap(event_stream.Channel)


async def grow(folder: Path, chance: random.Random) -> None:
    """A run goes on while it is watched, in pieces; now and then it begins anew."""
    files = long_run()
    while True:
        write_run(folder, begun(files, 0))
        rest = lines_of(files[RECORD])
        while rest:
            add(folder, RECORD, rest[:7])
            del rest[:7]
            await trio.sleep(chance.choice((0, 0.001, 0.004)))
        write_run(folder, files)
        await trio.sleep(0.02)


async def view(
    target: Callable[..., Any], address: str, seen: list[Answered], chance: random.Random
) -> None:
    """Somebody who follows a stream for a while, hangs up, and comes back where it was."""
    last = ""
    while True:
        async with trio.open_nursery() as nursery:
            one = Answered()
            seen.append(one)
            nursery.start_soon(
                ask_into, target, one, address, "GET", b"", {"last-event-id": last} if last else {}
            )
            await trio.sleep(chance.choice((0.001, 0.01, 0.03)))
            nursery.cancel_scope.cancel()
        keys = re.findall(rb"id: (\S+)", one.body)
        last = keys[-1].decode() if keys else last


async def read(target: Callable[..., Any], seen: list[Answered], chance: random.Random) -> None:
    while True:
        seen.append(await ask(target, chance.choice(TARGETS)))
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize(
    ("faults_wanted", "seed"),
    [(FEW, 1), pytest.param(MANY, 2, marks=pytest.mark.soak)],
    ids=["few", "many"],
)
async def test_the_pages_of_a_run_survive_themselves(
    tmp_path: Path,
    inject: Callable[[int, float], Injector],
    capfd: Any,
    faults_wanted: int,
    seed: int,
) -> None:
    """Nothing ends, nobody reads of it but the operator, and afterwards all is shown as by new pages."""
    injector = inject(seed, 0.01)
    into_the_pages_of_a_run(injector)
    chance = random.Random(seed)
    folder = write_run(tmp_path / "run", begun(long_run(), 0))
    watcher = Watcher(folder)
    target = web_app(RunPages(watcher).routes(), HERE)
    seen: list[Answered] = []
    async with trio.open_nursery() as pages:
        pages.start_soon(watcher.follow)
        async with trio.open_nursery() as others:
            others.start_soon(grow, folder, chance)
            for address in ("/events/run", f"/events/matches/{FIXTURE}"):
                for _ in range(3):
                    others.start_soon(view, target, address, seen, chance)
            for _ in range(2):
                others.start_soon(read, target, seen, chance)
            injector.is_on = True
            with trio.fail_after(300):
                while injector.faults < faults_wanted:  # noqa: ASYNC110 - others raise them
                    await trio.sleep(0.01)
            injector.is_on = False
            others.cancel_scope.cancel()
        assert {one.status for one in seen} <= {0, 200, 404, 500, 503}
        assert any(one.status == 500 for one in seen)
        assert not any(WORDS in one.text or "Traceback" in one.text for one in seen)
        viewers = [
            watcher.overview.viewers,
            *(one.channel.viewers for one in watcher.matches.values()),
        ]
        assert not any(viewers)
        await trio.sleep(0.5)  # also on a busy machine time for all to be read again
        async with trio.open_nursery() as nursery:
            stream = await follow(target, f"/events/matches/{FIXTURE}", nursery)
            await trio.sleep(0.1)
            nursery.cancel_scope.cancel()
        watcher.chances = Chances()  # new pages have not judged a board yet
        shown = [(await ask(target, address)).body for address in TARGETS]
        fresh = Watcher(folder)
        expected = web_app(RunPages(fresh).routes(), HERE)
        fresh.look()
        while wanted := fresh.index.unlearnt(9):
            fresh.index.learn(watching.learnt_of_all(folder, wanted))
        assert shown == [(await ask(expected, address)).body for address in TARGETS]
        assert stream.events[0][0] == "snapshot"
        assert len(pages.child_tasks) == 1
        pages.cancel_scope.cancel()
    fresh.close()
    watcher.close()
    told = capfd.readouterr().err.count(WORDS)
    assert told >= injector.to_tell > 0.5 * faults_wanted


async def test_connections_survive_themselves(
    inject: Callable[[int, float], Injector], monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    injector = inject(3, 0.15)
    injector.wrap(HttpConnection, "read_some", "read_request", "write")
    injector.wrap(HttpConnection, "_answer_requests", "_answer_next", "_next_request", "_hang_up")
    injector.wrap(Exchange, "_keep_body", "_begin_answer", "_part_of_answer")
    monkeypatch.setattr(listening, "AGAIN_SECONDS", 0.001)
    sock = open_socket(HERE.address)
    port = sock.getsockname()[1]

    async def visit() -> bytes:
        with suppress(trio.BrokenResourceError), trio.move_on_after(1):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                await stream.send_all(REQUEST)
                return b"".join([bytes(data) async for data in stream])
        return b""

    async def visit_for_ever() -> None:
        while True:
            await visit()

    async with trio.open_nursery() as nursery:
        connections = await nursery.start(serve, web_app([], HERE), sock)
        injector.is_on = True
        async with trio.open_nursery() as visitors:
            for _ in range(4):
                visitors.start_soon(visit_for_ever)
            with trio.fail_after(60):
                while injector.faults < 200:  # noqa: ASYNC110 - others raise them
                    await trio.sleep(0.01)
            injector.is_on = False
            visitors.cancel_scope.cancel()
        for _ in range(5):
            assert (await visit()).startswith(b"HTTP/1.1 200")
        with trio.fail_after(5):
            while connections.open:  # noqa: ASYNC110
                await trio.sleep(0.01)
        nursery.cancel_scope.cancel()
    assert capfd.readouterr().err.count(WORDS) > 0.5 * injector.to_tell


@pytest.mark.slow
async def test_the_pages_of_a_person_survive_themselves(
    tmp_path: Path,
    inject: Callable[[int, float], Injector],
    monkeypatch: pytest.MonkeyPatch,
    capfd: Any,
) -> None:
    injector = inject(4, 0.04)
    injector.wrap(
        HandPages, *[name for name in vars(HandPages) if name[:2] != "__" and name != "routes"]
    )
    injector.wrap(hand_pages, "tell_states")
    injector.wrap(
        HandRoom, "state", "_match_over", "learn", "choose_again", "at_the_board", "hints", "record"
    )
    injector.wrap(HandRoom, "_settle_next", "begin", "rematch", "_let_go", "_must_be_free")
    injector.wrap(hand_seat, "table_of")
    injector.wrap(advice, "why_no_hints", "hints")
    monkeypatch.setattr(hand_seat, "A_SECOND", 10**9)
    seat, chance = Seat(tmp_path), random.Random(4)
    statuses: set[int] = set()

    async def stream() -> None:
        while True:
            one = Answered()
            with trio.move_on_after(0.01):
                await ask_into(seat.app, one, f"/events?tab={TAB}", "GET", b"", {"x-seat": TOKEN})
            assert WORDS not in one.text
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(seat.room.settle)
        injector.is_on = True
        nursery.start_soon(stream)
        deeds = (
            "learn",
            "move",
            "undo",
            "turn",
            "hint",
            "choose",
            "confirm",
            "call",
            "rematch",
            "resign",
        )
        with trio.fail_after(60):
            while injector.faults < 200:
                said = {"lesson": "singles", "moves": [[5, 7]], "question": "x"}
                answered = await seat.act(chance.choice(deeds), **said)
                assert WORDS not in answered.text
                statuses.add(answered.status)
        injector.is_on = False
        assert (await seat.act("choose")).status == 200
        assert (await seat.act("learn", lesson="singles")).status == 200
        assert (await seat.act("move", question=seat.question, moves=[[5, 7]])).status == 200
        assert seat.room.state().table.text == "5/7"
        nursery.cancel_scope.cancel()
    assert 500 in statuses <= {200, 409, 429, 500}
    assert capfd.readouterr().err.count(WORDS) >= injector.to_tell


async def test_an_operator_who_reads_nothing_costs_nobody_anything(
    capfd: Any, monkeypatch: Any
) -> None:

    class Gone:
        def write(self, _text: str) -> None:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stderr", Gone())
    with faults.survived("anything"):
        raise RuntimeError(WORDS)


def test_many_faults_of_a_kind_are_told_a_few_times(capfd: Any) -> None:

    def fail(kind: type[Exception]) -> None:
        with faults.survived("a page"):
            raise kind(WORDS)

    for _ in range(50):
        fail(RuntimeError)
    fail(ValueError)
    told = capfd.readouterr().err
    assert told.count("RuntimeError: ") == faults.MOST
    assert told.count("more of this kind within a minute are not told") == 1
    assert told.count("ValueError: ") == 1

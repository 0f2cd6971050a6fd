"""The pages of persons as a process that the arena keeps; programs of a few lines stand for them."""

import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.server.io.operator_log import Event
from arena.server.run.seat_pages import STARTS, PagesError, SeatPages
from arena.server.run.tournament import Run, direct
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.seat_order import SeatOrder, SeatToServe
from arena.server.setup.tournament_file import parse_plan
from tests.fixtures.operator import Operator

PATIENCE_S = 60
PAGES = """
import os, socket, sys
order = sys.stdin.buffer.readline()
listener = socket.socket(fileno=int(sys.argv[1]))
listener.setblocking(True)
os.write(1, b"a word of some library\\n")
os.write(1, b"serving\\n")
while True:
    stream, _ = listener.accept()
    stream.sendall(b"%d " % os.getpid() + order)
    stream.close()
"""
"""Tells everybody who connects the number of its process and its order."""
FAILS = "import sys; sys.stdin.buffer.readline(); sys.exit(3)"


def on_real_time(test: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        with trio.fail_after(PATIENCE_S):
            await test()

    trio.run(bounded)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as found:
        found.setblocking(False)
        yield found


class Kept:
    """Pages, what they were told to serve, and what was said of them."""

    def __init__(self, program: str, listener: socket.socket, folder: Path) -> None:
        self.told: list[SeatOrder] = []
        self.pages = SeatPages([sys.executable, "-c", program], listener, self.told.append)
        self.operator = Operator(folder)
        self.taken = False
        self._port = listener.getsockname()[1]

    def order(self) -> SeatOrder:
        seat = SeatToServe(entrant="anna", token="5e" * 32, is_taken=self.taken)
        return SeatOrder(run="run", address="unix:/socket", seats=(seat,))

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Serve, and end the last process."""
        try:
            with self.operator.log() as log:
                async with trio.open_nursery() as nursery:
                    await nursery.start(self.pages.keep, self.order, log)
                    yield
                    nursery.cancel_scope.cancel()
        finally:
            if self.pages.process is not None:
                self.pages.process.kill()
                self.pages.process.wait()
                for pipe in (self.pages.process.stdin, self.pages.process.stdout):
                    pipe.close()  # type: ignore[union-attr]  # asked for

    async def ask(self) -> tuple[int, Any]:
        """The number of the process that answers, and its order."""
        said = b""
        while not said:  # a connection that a process has taken ends with it
            async with await trio.open_tcp_stream("127.0.0.1", self._port) as stream:
                with suppress(trio.BrokenResourceError):
                    said = b"".join([part async for part in stream])
        number, _, order = said.partition(b" ")
        return int(number), json.loads(order)


def test_pages_that_are_killed_are_started_again_and_a_browser_only_waits(
    listener: socket.socket, tmp_path: Path
) -> None:
    kept = Kept(PAGES, listener, tmp_path)

    async def test() -> None:
        async with kept.kept():
            first, order = await kept.ask()
            assert order["seats"] == [{"entrant": "anna", "token": "5e" * 32, "is_taken": False}]
            kept.taken = True
            for _ in range(3):
                os.kill(first, signal.SIGKILL)
                second, order = await kept.ask()  # the socket is there though nobody serves
                assert (second != first, order["seats"][0]["is_taken"]) == (True, True)
                first = second

    on_real_time(test)
    assert [len(kept.told), kept.told[0].seats[0].is_taken] == [1, False]
    assert "5e5e" not in repr(kept.told)
    again = [name for name in kept.operator.names if name == "pages_served_again"]
    assert len(again) >= 2  # the last may not have been told yet
    assert kept.operator.heard[0] == (
        "the pages for persons ended with signal SIGKILL; they are started again"
    )


def test_pages_that_cannot_serve_end_the_run(listener: socket.socket, tmp_path: Path) -> None:
    """Not the match of a person who could do nothing about it."""
    kept = Kept(FAILS, listener, tmp_path)

    async def test() -> None:
        with pytest.RaisesGroup(
            pytest.RaisesExc(PagesError, match="in 3 starts the program ended with exit status 3")
        ):
            async with kept.kept():
                raise AssertionError("nothing is served")

    on_real_time(test)
    assert kept.operator.names == ["pages_ended"] * STARTS
    assert kept.told == []


def test_nobody_is_waited_for_before_the_pages_serve(
    listener: socket.socket, tmp_path: Path
) -> None:
    text = "[clock]\nbank_ms = 900000\n[limits]\njoin_ms = 1\n"
    text += "".join(f'[[bot]]\nname = "{name}"\nperson = true\n' for name in ("anna", "bo"))
    folder = RunFolder(tmp_path / "run")
    folder.open(text)
    events: list[str] = []
    absent = trio.Event()

    def show(event: Event) -> None:
        events.append(event["event"])
        if event["event"] == "bot_absent":
            absent.set()

    pages = SeatPages([sys.executable, "-c", PAGES], listener, lambda _: events.append("served"))
    run = Run(
        plan=parse_plan(text),
        folder=folder,
        directory=tmp_path,
        report=lambda _: None,
        show=show,
        pages=pages,
    )

    async def test() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(direct, run)
            await absent.wait()
            nursery.cancel_scope.cancel()

    with closing(folder):
        on_real_time(test)
    assert events[:3] == ["waiting_for_persons", "served", "bot_absent"]
    assert pages.process is not None
    with suppress(OSError), pages.process:
        pages.process.kill()

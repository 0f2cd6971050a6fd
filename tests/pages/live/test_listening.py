"""Real connections: how many, how slow, how silent they may be, and how the server ends."""

from __future__ import annotations

import gc
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
import trio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from arena.pages.serving import http_connection, listening
from arena.pages.serving.app import Json, web_app
from arena.pages.serving.connections import Connections
from arena.pages.serving.event_stream import Channel, EventResponse
from arena.pages.serving.listening import open_socket, serve
from arena.records.files import TOURNAMENT_RECORD
from tests.fixtures.asked_pages import HERE, Write
from tests.fixtures.small_run import small_run
from tests.processes import ended

REQUEST = b"GET /hello HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


async def _hello(_request: Request) -> Response:
    return Json({"hello": "world"})


async def _stream(_request: Request) -> Response:
    return EventResponse(Channel(lambda: b"").feed)


class Flood:
    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while True:
            await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})


@asynccontextmanager
async def served() -> AsyncIterator[tuple[int, Connections]]:
    """A server; gives its port and its connections."""
    sock = open_socket(HERE.address)
    port = sock.getsockname()[1]
    routes = [Route("/hello", _hello), Route("/flood", Flood()), Route("/stream", _stream)]
    app = web_app(routes, HERE)
    async with trio.open_nursery() as nursery:
        connections = await nursery.start(serve, app, sock)
        yield port, connections
        nursery.cancel_scope.cancel()
    assert not connections.open


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110
        await trio.sleep(0.01)


async def test_it_answers_and_keeps_the_connection() -> None:
    async with served() as (port, connections):
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        for _ in range(2):
            assert await answered(stream)
        assert len(connections.open) == 1
        await stream.aclose()
        with trio.fail_after(5):
            await until(lambda: not connections.open)


async def test_too_many_connections_are_closed_at_once(monkeypatch) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", 2)
    async with served() as (port, _):
        streams = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(3)]
        assert await answered(streams[0])
        assert await answered(streams[1])
        assert not await answered(streams[2])
        for stream in streams:
            await trio.aclose_forcefully(stream)


async def answered(stream: trio.abc.Stream) -> bool:
    data = b""
    try:
        await stream.send_all(REQUEST)
        while not data.endswith(b'{"hello":"world"}'):
            more = await stream.receive_some()
            if not more:
                return False
            data += more
    except trio.BrokenResourceError:
        return False
    return True


async def test_a_viewer_that_does_not_read_is_dropped(monkeypatch) -> None:
    """And keeps nobody waiting, neither viewers nor the end of the server."""
    monkeypatch.setattr(http_connection, "SEND_SECONDS", 0.3)
    async with served() as (port, connections):
        slow = socket.create_connection(("127.0.0.1", port))
        slow.sendall(b"GET /flood HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        with trio.fail_after(5):
            await until(lambda: connections.open)
        quick = await trio.open_tcp_stream("127.0.0.1", port)
        assert await answered(quick)
        await quick.aclose()
        with trio.fail_after(10):
            await until(lambda: not connections.open)
        slow.close()


@pytest.mark.parametrize("behind", [b"Upgrade: x\r\n\r\n", b"\r\n" + REQUEST])
async def test_a_viewer_that_goes_during_an_answer_leaves_nothing(behind: bytes) -> None:
    """Though nothing reads what it sends behind its request."""
    async with served() as (port, connections):
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        await stream.send_all(b"GET /flood HTTP/1.1\r\nHost: 127.0.0.1\r\n" + behind)
        await stream.receive_some()
        await stream.aclose()
        with trio.fail_after(5):
            await until(lambda: not connections.open)


async def test_the_end_waits_for_no_viewer() -> None:
    """Though it is in the middle of an answer."""
    with trio.fail_after(5):
        async with served() as (port, connections):
            slow = socket.create_connection(("127.0.0.1", port))
            slow.sendall(b"GET /flood HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            await until(lambda: connections.open)
            await trio.sleep(0.3)
        slow.close()


async def test_a_client_that_still_sends_reads_why_it_is_refused() -> None:
    """Bytes left unread would make the system reset the connection, and its answer would be lost."""
    head = b"POST /hello HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3000000\r\n\r\n"
    async with served() as (port, connections):
        for _ in range(20):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                await stream.send_all(head + b"x" * 3_000_000)
                assert (await stream.receive_some()).startswith(b"HTTP/1.1 403")
        with trio.fail_after(5):
            await until(lambda: not connections.open)


async def test_connections_that_are_gone_leave_nothing_to_collect() -> None:
    """No parts of a connection hold each other."""
    async with served() as (port, connections):
        await come_and_go(port, connections)  # what is kept of a first visit is kept once
        gc.collect()
        gc.disable()
        try:
            for _ in range(5):
                await come_and_go(port, connections)
            assert gc.collect() == 0
        finally:
            gc.enable()


async def come_and_go(port: int, connections: Connections) -> None:
    """Be answered, follow a stream, and leave in the middle of it."""
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    assert await answered(stream)
    await stream.send_all(b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert b"retry" in await stream.receive_some()
    await stream.aclose()
    with trio.fail_after(5):
        await until(lambda: not connections.open)


SERVED_HERE = (
    "import sys, arena.pages.serving.listening as pages; pages.QUIET_SECONDS = 16; from arena.cli import main; "
    "main(['watch', sys.argv[1], '--listen', '127.0.0.1:0', '--no-open'])"
)


@contextmanager
def watching(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `arena watch` on a free port; give the process and its address."""
    command, pipe = [sys.executable, "-c", SERVED_HERE, str(folder)], subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    with ended(process):
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


def resident_mib(process: subprocess.Popen[str]) -> float:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@pytest.mark.soak
@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="this system does not tell what memory is used"
)
def test_the_memory_of_a_crowd_that_has_gone_is_given_back(written: Write) -> None:
    with watching(written(small_run())) as (process, address):
        port = int(address.rstrip("/").rpartition(":")[2])
        viewer(port).close()
        before, held, left = resident_mib(process), [], []
        for _ in range(2):
            crowd = [viewer(port) for _ in range(1600)]
            held.append(resident_mib(process) - before)
            for one in crowd:
                one.close()
            time.sleep(35)
            left.append(resident_mib(process) - before)
    assert all(rest < 0.75 * most for rest, most in zip(left, held, strict=True)), (held, left)


def viewer(port: int) -> socket.socket:
    found = socket.create_connection(("127.0.0.1", port))
    found.sendall(b"GET /events/run HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert found.recv(100).startswith(b"HTTP/1.1 200")
    return found


def records_of(folder: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes()
        for path in [folder / TOURNAMENT_RECORD, *(folder / "matches").iterdir()]
    }


@pytest.mark.slow
def test_the_process_is_killed_and_starts_again(written: Write) -> None:
    folder = written(small_run())
    before = records_of(folder)
    found = []
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with watching(folder) as (process, address):
            with urlopen(f"{address}api/run") as answer:
                page = json.load(answer)
            for row in page["games"]["rows"]:
                row["turns"] = None  # read in the background
            found.append(page)
            process.send_signal(number)
            assert process.wait(10) == (-number if number == signal.SIGKILL else 0)
            assert process.stderr.read() == ""
    assert found == [found[0]] * 4
    assert records_of(folder) == before

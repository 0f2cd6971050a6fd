"""One connection without sockets: what is answered, what the application is told, and how it ends."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from trio.testing import lockstep_stream_pair, memory_stream_pair

from arena.pages.serving import http_connection
from arena.pages.serving.connections import Connections
from arena.pages.serving.event_stream import Channel, EventResponse
from arena.pages.serving.http_connection import IDLE_SECONDS, MOST_HEAD_BYTES, HttpConnection

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"


async def answer(send: Send, content: bytes, status: int = 200) -> None:
    headers = [(b"content-length", b"%d" % len(content))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the method, the path and the body."""
    body, more_body = b"", True
    while more_body:
        message = await receive()
        if message["type"] == "http.disconnect":
            await answer(send, b"nobody reads this")
            return
        body += message["body"]
        more_body = message["more_body"]
    await answer(send, f"<{scope['method']} {scope['path']} {body.decode()}>".encode())


async def deaf(_scope: Scope, _receive: Receive, send: Send) -> None:
    """Refuse without a look at the body."""
    await answer(send, b"<no>", 403)


class Client:
    """The other end of a connection."""

    def __init__(self, stream: trio.abc.HalfCloseableStream, connections: Connections) -> None:
        self.stream = stream
        self.connections = connections

    async def says(self, *parts: bytes | float) -> None:
        """Send the bytes, and wait for so many seconds in between."""
        for part in parts:
            if isinstance(part, bytes):
                await self.stream.send_all(part)
            else:
                await trio.sleep(part)

    async def hears_all(self) -> bytes:
        """Hear until the server says that nothing more comes."""
        return b"".join([bytes(data) async for data in self.stream])


@asynccontextmanager
async def connected(app: ASGIApp, streams: Any = memory_stream_pair) -> AsyncIterator[Client]:
    ours, theirs = streams()
    connections = Connections(10)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(HttpConnection(theirs, app, connections).serve)
        with trio.fail_after(1000):
            yield Client(ours, connections)
            await ours.aclose()
    assert not connections.open


def statuses(heard: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", heard)]


ANSWERS = [b"<GET / >", b"<OPTIONS / >", b"<POST / body>", b"<GET / >"]


async def test_what_is_sent_ahead_is_answered_in_turn(autojump_clock) -> None:
    ahead = GET + GET.replace(b"GET", b"HEAD") + GET.replace(b"GET", b"OPTIONS")
    async with connected(echo) as client:
        await client.says(ahead + POST + b"\r\nbody" + LAST)
        heard = await client.hears_all()
    assert statuses(heard) == [200] * 5
    assert re.findall(rb"<.*?>", heard) == ANSWERS


async def test_each_split_of_the_bytes_says_the_same(autojump_clock) -> None:
    said = POST + b"\r\nbody" + LAST
    for place in range(1, len(said)):
        async with connected(echo) as client:
            await client.says(said[:place], 0.01, said[place:])
            heard = await client.hears_all()
        assert re.findall(rb"<.*?>", heard) == [b"<POST / body>", b"<GET / >"]


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"\x16\x03\x01\x00\x00", 400),
        (b"\r\n\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"HEAD / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (POST + b"Content-Length: 5\r\n\r\nbodyz", 400),
        (POST + b"Transfer-Encoding: gzip\r\n\r\nbody", 501),
        (b"X" * 70_000, 431),
        (GET[:-2] + b"X: " + b"x" * 3 * MOST_HEAD_BYTES + b"\r\n\r\n", 431),
        (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", 505),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ],
)
async def test_what_is_no_request_is_refused_and_ends_the_connection(
    said: bytes, status: int, autojump_clock
) -> None:
    async with connected(echo) as client:
        await client.says(said + GET)
        heard = await client.hears_all()
    assert statuses(heard) == [status]
    assert b"\r\nconnection: close\r\n" in heard


@pytest.mark.parametrize(
    "said",
    [b"GET / HT", POST, POST + b"\r\nbo", GET[:-2] + b"Transfer-Encoding: chunked\r\n\r\n4\r\nbo"],
)
async def test_a_request_that_is_cut_off_is_refused(said: bytes, autojump_clock) -> None:
    async with connected(echo) as client:
        await client.says(said)
        await client.stream.send_eof()
        assert statuses(await client.hears_all()) == [400]


DRIP = [part for byte in GET * 2 for part in (bytes([byte]), 1)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([], []),
        ([b"GET / HT"], [408]),
        ([POST + b"\r\n"], [408]),
        ([POST + b"\r\nbo"], [408]),
        (DRIP, [408]),
        ([GET], [200]),
        ([GET + POST], [200, 408]),
    ],
    ids=[
        "nothing",
        "half a head",
        "no body",
        "half a body",
        "a byte a second",
        "nothing more",
        "half of the second",
    ],
)
async def test_a_connection_without_a_whole_request_ends(
    said: list[bytes | float], expected: list[int], autojump_clock
) -> None:
    began = trio.current_time()
    async with connected(echo) as client, trio.open_nursery() as nursery:
        nursery.start_soon(client.says, *said)
        assert statuses(await client.hears_all()) == expected
        assert trio.current_time() - began == pytest.approx(IDLE_SECONDS)
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    "upgrade",
    [
        b"h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
        b"h2c",
        b"websocket\r\nSec-WebSocket-Version: 13",
        b"x",
    ],
)
async def test_an_upgrade_is_not_taken(upgrade: bytes, autojump_clock) -> None:
    async with connected(echo) as client:
        await client.says(
            GET[:-2] + b"Connection: Upgrade\r\nUpgrade: " + upgrade + b"\r\n\r\n" + LAST
        )
        assert statuses(await client.hears_all()) == [200, 200]


@pytest.mark.parametrize(("app", "expected"), [(echo, [100, 200, 408]), (deaf, [403])])
async def test_a_body_is_asked_for_once_it_is_wanted(
    app: ASGIApp, expected: list[int], autojump_clock
) -> None:
    """And never if the request is refused without it."""
    async with connected(app) as client, trio.open_nursery() as nursery:
        nursery.start_soon(
            client.says, POST + b"Expect: 100-continue\r\n\r\n", 0.5, b"body", 0.5, b"GET /"
        )
        assert statuses(await client.hears_all()) == expected


async def test_a_body_that_nobody_reads_is_no_request(autojump_clock) -> None:
    async with connected(deaf) as client:
        await client.says(POST + b"\r\n", 0.5, GET)
        heard = await client.hears_all()
    assert statuses(heard) == [403]
    assert b"\r\nconnection: close\r\n" in heard


async def test_to_an_old_client_a_stream_is_sent_as_it_is(autojump_clock) -> None:
    channel = Channel(lambda: b"<all>")
    async with connected(EventResponse(channel.feed)) as client:
        await client.says(b"GET / HTTP/1.0\r\n\r\n", 1)
        channel.close()
        head, _, body = (await client.hears_all()).partition(b"\r\n\r\n")
    assert body == b"retry: 1000\n\n<all>"
    assert b"chunked" not in head


async def test_after_a_stream_the_next_request_is_answered(autojump_clock) -> None:
    channel = Channel(lambda: b"<all>")
    async with connected(EventResponse(channel.feed)) as client:
        await client.says(GET + GET, 1)
        channel.close()
        await trio.sleep(1)
        await client.stream.send_eof()
        assert statuses(await client.hears_all()) == [200, 200]


@pytest.mark.parametrize(
    "end", ["hangs up", "is gone", "sends far ahead", "breaks off its body", "never sends its body"]
)
async def test_a_stream_ends_with_its_client(end: str, autojump_clock) -> None:
    """Whatever was sent behind the request; the application is told."""
    channel = Channel(lambda: b"<all>")
    bodies = {
        "breaks off its body": b"Content-Length: 9\r\n\r\nx",
        "never sends its body": b"Content-Length: 99\r\n\r\n",
    }
    async with connected(EventResponse(channel.feed)) as client:
        await client.says(GET[:-2] + bodies.get(end, b"\r\n") + b"GET / HT", 1)
        assert channel.viewers == 1
        if end == "sends far ahead":
            await client.says(b"x" * 2 * MOST_HEAD_BYTES)
        elif end == "is gone":
            await trio.aclose_forcefully(client.stream)
        elif end != "never sends its body":
            await client.stream.send_eof()
        await trio.sleep(IDLE_SECONDS if end == "never sends its body" else 1)
        assert channel.viewers == 0


async def test_an_application_is_told_that_its_client_has_gone(autojump_clock) -> None:
    heard: list[str] = []

    async def listen(_scope: Scope, receive: Receive, send: Send) -> None:
        heard.extend([(await receive())["type"] for _ in range(3)])
        await answer(send, b"<I am done>")

    async with connected(listen) as client:
        await client.says(GET)
        await client.stream.send_eof()
        assert b"<I am done>" in await client.hears_all(), "it may still read"
    assert heard == ["http.request", "http.disconnect", "http.disconnect"]


async def test_a_client_that_reads_too_late_is_dropped(autojump_clock) -> None:
    """And its application with it, in the middle of what it sends."""
    ended_at = 0.0

    async def flood(_scope: Scope, _receive: Receive, send: Send) -> None:
        nonlocal ended_at
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            while True:
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
        finally:
            ended_at = trio.current_time()

    async with connected(flood, lockstep_stream_pair) as client:
        await client.says(GET)
        await client.stream.receive_some()
        read_at = trio.current_time()
        await trio.sleep(3 * http_connection.SEND_SECONDS)
        assert ended_at - read_at == pytest.approx(http_connection.SEND_SECONDS)
        assert not client.connections.open


async def test_who_is_dropped_ends_at_once(autojump_clock) -> None:
    channel = Channel(lambda: b"<all>")
    async with connected(EventResponse(channel.feed)) as client:
        await client.says(GET, 1)
        [connection] = client.connections.open
        connection.drop()
        assert not client.connections.open
        assert (await client.hears_all()).endswith(b"<all>\r\n"), (
            "what the end of it would be is not said"
        )
        assert channel.viewers == 0


async def test_an_answer_that_fails_midway_is_cut_off(autojump_clock) -> None:
    async def fail(_scope: Scope, _receive: Receive, send: Send) -> None:
        part: Message = {"type": "http.response.body", "body": b"<part>", "more_body": True}
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send(part)

    async with connected(fail) as client:
        await client.says(GET + GET)
        heard = await client.hears_all()
    assert statuses(heard) == [200]
    assert heard.endswith(b"<part>\r\n"), "no last chunk"

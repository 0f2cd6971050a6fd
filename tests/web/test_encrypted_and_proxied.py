"""Pages over TLS and behind a reverse proxy, over real sockets: watching, and the seat of a person."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import trio

from arena.person.arena_run import Wanted
from arena.server.io.address import NetAddress
from arena.web.app import web_app
from arena.web.hand_pages import HandPages
from arena.web.hand_room import Room
from arena.web.listening import Place, open_socket, serve
from arena.web.run_pages import RunPages
from arena.web.watching import Watcher
from tests.certificates import client, server
from tests.records.small_run import FIXTURE, small_run
from tests.web.conftest import write_run

TOKEN, TAB = "5e" * 32, "aaaaaaaa"
PATIENCE_SECONDS = 30
"""Far more than anything here takes; what does not come fails its test."""

Connect = Callable[[], Awaitable[trio.abc.Stream]]


class Site:
    """Pages of a run and of a seat, both served, and how to connect to them as a browser does."""

    def __init__(self, room: Room, origin: str, watching: Connect, playing: Connect) -> None:
        self.room, self.origin, self.watching, self.playing = room, origin, watching, playing

    async def ask(self, connect: Connect, method: str, target: str, body: bytes = b"", **headers: str) -> bytes:
        """An answer on a connection of its own, whole; what is sent says how long it is unless a header does."""
        host = self.origin.partition("://")[2]
        given = {"host": host, "connection": "close"} | {name.replace("_", "-"): headers[name] for name in headers}
        if method == "POST":
            given = {"content-length": str(len(body)), "content-type": "application/json"} | given
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items()), "", ""]
        stream = await connect()
        found = b""
        with trio.fail_after(PATIENCE_SECONDS):
            await stream.send_all("\r\n".join(lines).encode() + body)
            while not (is_whole(found) or (method == "POST" and b"\r\n\r\n" in found)):
                found += await stream.receive_some() or b"\r\n\r\n"
        await trio.aclose_forcefully(stream)
        return found

    async def act(self, body: bytes = b"", *, token: str = TOKEN, origin: str = "", **headers: str) -> int:
        """The status with which something that a person does is answered."""
        body = body or json.dumps({"do": "learn", "tab": TAB, "lesson": "start"}).encode()
        answer = await self.ask(
            self.playing, "POST", "/api/act", body, x_seat=token, origin=origin or self.origin, **headers
        )
        return int(answer.split()[1])


def is_whole(answer: bytes) -> bool:
    """Whether an answer has all that its length says, or the first message of a stream."""
    head, parted, body = answer.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    return bool(parted) and body.count(b"\n\n") >= 2


@asynccontextmanager
async def site(folder: Path, *, tls: ssl.SSLContext | None, is_behind_proxy: bool) -> AsyncIterator[Site]:
    """Pages of a finished run, and a seat at which nothing is played yet."""
    address = NetAddress(kind="tcp", host="127.0.0.1", port=0)
    place = Place(address=address, tls=tls, is_behind_proxy=is_behind_proxy)
    watcher, room = Watcher(write_run(folder / "run", small_run())), Room(folder, "you")
    room.holder = TAB
    hand = HandPages(room, TOKEN, Wanted(opponent="", command=""))
    ports = []
    async with trio.open_nursery() as nursery:
        for routes in (RunPages(watcher).routes(), hand.routes()):
            sock = open_socket(address)
            ports.append(sock.getsockname()[1])
            await nursery.start(serve, web_app(routes, place), place, sock)
        if is_behind_proxy:
            ports = [await nursery.start(proxy, port) for port in ports]
        origin = "https://arena.example" if is_behind_proxy else f"https://localhost:{ports[1]}"
        yield Site(room, origin, *(connecting(port) for port in ports))
        nursery.cancel_scope.cancel()
    watcher.close()


def connecting(port: int) -> Connect:
    """Connects with TLS, and trusts the certificate of the tests."""

    async def connect() -> trio.abc.Stream:
        plain = await trio.open_tcp_stream("127.0.0.1", port)
        return trio.SSLStream(plain, client(), server_hostname="localhost", https_compatible=True)

    return connect


async def proxy(port: int, *, task_status: trio.TaskStatus[int]) -> None:
    """A reverse proxy that does the encryption, and passes requests on with the headers that proxies add."""

    async def pass_on(outside: trio.SSLStream[trio.SocketStream]) -> None:
        inside = await trio.open_tcp_stream("127.0.0.1", port)
        with suppress(trio.BrokenResourceError):  # a client that hangs up before its handshake is over
            async with outside, inside:
                first, parted, rest = bytes(await outside.receive_some()).partition(b"\r\n")
                added = b"X-Forwarded-For: 10.0.0.7\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: arena.example\r\n"
                await inside.send_all(first + parted + added + rest)
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(copy, outside, inside)
                    await copy(inside, outside)
                    nursery.cancel_scope.cancel()

    async def copy(source: trio.abc.ReceiveStream, target: trio.abc.SendStream) -> None:
        try:
            while data := await source.receive_some():
                await target.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # one of both has hung up

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    task_status.started(listener.socket.getsockname()[1])
    await trio.serve_listeners(pass_on, [trio.SSLListener(listener, server(), https_compatible=True)])


WAYS = pytest.mark.parametrize("is_behind_proxy", [False, True], ids=["tls", "proxy"])


def at(folder: Path, *, is_behind_proxy: bool) -> object:
    return site(folder, tls=None if is_behind_proxy else server(), is_behind_proxy=is_behind_proxy)


@WAYS
async def test_a_run_is_watched(tmp_path: Path, is_behind_proxy: bool) -> None:
    """The page, its data and its stream."""
    async with at(tmp_path, is_behind_proxy=is_behind_proxy) as pages:
        for target, expected in (
            ("/", b"<!doctype html>"),
            ("/api/run", b'"name":"small"'),
            (f"/api/matches/{FIXTURE}", b'"state":"settled"'),
            ("/events/run", b"event: snapshot"),
        ):
            answer = await pages.ask(pages.watching, "GET", target)
            assert answer.startswith(b"HTTP/1.1 200"), target
            assert expected.lower() in answer.lower()
            assert b"content-security-policy" in answer


@WAYS
async def test_a_person_plays(tmp_path: Path, is_behind_proxy: bool) -> None:
    """Whatever else comes to the seat has a clear answer, and changes nothing."""
    async with at(tmp_path, is_behind_proxy=is_behind_proxy) as pages:
        assert await pages.act(token="00" * 32) == 403
        assert await pages.act(origin="https://evil.example") == 403
        assert await pages.act(origin="https://localhost.evil.example") == 403
        assert await pages.act(x_forwarded_host="evil.example", origin="https://evil.example") == 403
        assert await pages.act(content_length=str(10 << 20)) == 413
        assert await pages.act(b"{") == 400
        assert pages.room.status == "choosing"
        stream = await pages.ask(pages.playing, "GET", f"/events?tab={TAB}", x_seat=TOKEN)
        assert b"event: state" in stream
        assert await pages.act() == 200
        assert pages.room.status == "lesson"


@WAYS
async def test_half_open_connections_and_slow_readers_keep_nobody_waiting(
    tmp_path: Path,
    is_behind_proxy: bool,
) -> None:
    """One has not ended the handshake, one is in the middle of its post, one does not read its stream."""
    async with at(tmp_path, is_behind_proxy=is_behind_proxy) as pages:
        silent = (await pages.playing()).transport_stream  # type: ignore[attr-defined]  # of the TLS stream
        halfway = await pages.playing()
        host = pages.origin.partition("://")[2]
        await halfway.send_all(
            f"POST /api/act HTTP/1.1\r\nHost: {host}\r\nOrigin: {pages.origin}\r\nX-Seat: {TOKEN}\r\n"
            "Content-Type: application/json\r\nContent-Length: 60\r\n\r\n{".encode()
        )
        slow = await pages.playing()
        await slow.send_all(f"GET /events?tab={TAB} HTTP/1.1\r\nHost: {host}\r\nX-Seat: {TOKEN}\r\n\r\n".encode())
        assert await pages.act() == 200
        assert pages.room.status == "lesson"
        for stream in (silent, halfway, slow):
            await trio.aclose_forcefully(stream)
        assert await pages.act(b'{"do":"undo","tab":"aaaaaaaa","question":"old"}') == 409
        assert pages.room.status == "lesson"

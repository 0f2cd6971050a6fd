"""The web server: where it listens, how many connections it takes, and how it ends.

Hypercorn speaks HTTP on each connection, by two classes from its inside: `TCPServer` and `WorkerContext`. Its public
`serve` cannot cap connections that say nothing, cannot drop the socket of a late reader, and ends every connection
after one malformed request to upgrade to HTTP/2. It also leaves a task behind for each client that goes during an
answer with its next request sent, and its end waits for every viewer. Encryption is the work of a reverse proxy.
"""

from __future__ import annotations

import gc
import ipaddress
import os
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

import trio
from hypercorn import Config
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from arena.pages.serving.connections import MOST_CONNECTIONS, SHOW, Connections
from arena.pages.serving.faults import survived
from arena.server.io.ending_signals import ending_signals
from arena.server.io.listening import ListenError, NetAddress, parse_address
from arena.server.io.open_files import allow_open_files
from arena.words import Said
from arena.words.system_errors import system_reason

SEND_SECONDS: Final = 20.0
"""A viewer who takes longer to read one message is dropped."""
IDLE_SECONDS: Final = 15.0
"""A connection without a whole request is dropped after this time."""
OF_THE_PAGES: Final = 256
"""Open files beside the connections: records, and three of each seat."""
FEWEST_CONNECTIONS: Final = 16
"""At least so many, however few open files the system allows."""

AGAIN_SECONDS: Final = 0.1
"""The pause after a connection that could not be accepted, as without free descriptors."""
QUIET_SECONDS: Final = 30.0
MANY: Final = 256
"""Garbage is collected once so many connections have ended, and none for `QUIET_SECONDS`."""

_PATH: Final = re.compile(r"[\w.~/-]*", re.ASCII)
"""A path of a site, without the first slash."""

App = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place where pages are served, and who can reach them."""

    address: NetAddress
    is_behind_proxy: bool = False
    hosts: frozenset[str] = frozenset()
    """Names that are answered, beside those of loopback; behind a proxy these alone, or all if there are none."""
    front: str = ""
    """Where the proxy serves the pages, such as https://club.example/arena/; empty if that is not known."""


def place_of(text: str, *, is_behind_proxy: bool, hosts: Iterable[str] = ()) -> Place:
    """Read the place of pages: `127.0.0.1:8080`, or an address of a network if a reverse proxy is in front of it.

    A host is a name, with the path after it under which the proxy serves the pages: `club.example/arena`. Raises
    `ListenError` for an address that is none, or of a network without a reverse proxy, and for a host that has no valid
    name.
    """
    try:
        address = parse_address(f"tcp:{text}")
    except ListenError as error:
        raise ListenError(Said("pages.no_address", {"address": repr(text)})) from error
    assert isinstance(address, NetAddress), "tcp: is in front of it"
    if not address.is_loopback and not is_behind_proxy:
        raise ListenError(Said("pages.unencrypted", {"host": address.host}))
    names: list[str] = []
    fronts: list[str] = []
    for host in hosts:
        name, _, path = host.partition("/")
        if not name or hostname_of(name) != name.lower() or not _PATH.fullmatch(path):
            raise ListenError(Said("pages.no_host", {"host": repr(host)}))
        names.append(name.lower())
        fronts.append("/".join(["https:/", name.lower(), *path.split("/")]).rstrip("/") + "/")
    front = fronts[0] if fronts and is_behind_proxy else ""
    return Place(address=address, is_behind_proxy=is_behind_proxy, hosts=frozenset(names), front=front)


def hostname_of(host: str) -> str:
    """The name in a `Host` header, without the port and in lower case; empty if it is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def open_socket(address: NetAddress) -> socket.socket:
    """A socket that listens there; port 0 takes a free one. Raises `ListenError`."""
    family = socket.AF_INET6 if ipaddress.ip_address(address.host).version == 6 else socket.AF_INET
    try:
        sock = socket.create_server((address.host, address.port), family=family, backlog=1024)
    except OSError as error:
        plain = OSError(error.errno, os.strerror(error.errno or 0))  # without the address, which stands beside it
        values = {"host": address.host, "port": str(address.port), "reason": system_reason(plain)}
        raise ListenError(Said("pages.not_listening", values)) from error
    sock.setblocking(False)
    return sock


def front_of(place: Place, sock: socket.socket) -> str:
    """Return the address that people open: that of the proxy if it is known, else that of the socket."""
    return place.front or url_of(sock)


def url_of(sock: socket.socket) -> str:
    """Return the address to type into a browser of this machine."""
    host, port = sock.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.gethostname()
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class _Stream:
    """A connection that drops a viewer who does not read, and that cancels all tasks of its own once it is closed."""

    def __init__(self, stream: trio.SocketStream, connections: Connections) -> None:
        self._stream = stream
        self.socket = stream.socket
        self._connections = connections
        self._sending = trio.Lock()  # Hypercorn may say that it is at its end while another of its tasks answers
        self.serving = trio.CancelScope()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send, and wait at most `SEND_SECONDS` until it is on its way."""
        try:
            with trio.fail_after(SEND_SECONDS):
                async with self._sending:
                    await self._stream.send_all(data)
        except (trio.TooSlowError, trio.BrokenResourceError) as error:
            self.drop()
            raise trio.BrokenResourceError("the viewer does not read, or is gone") from error

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """Receive as a stream of trio does."""
        return await self._stream.receive_some(max_bytes)

    async def send_eof(self) -> None:
        """Say that nothing more is sent."""
        async with self._sending:
            await self._stream.send_eof()

    async def aclose(self) -> None:
        """Close the connection."""
        self.drop()
        await trio.lowlevel.checkpoint()

    def drop(self) -> None:
        """Close the connection at once, count it no more, and cancel who serves it."""
        self._connections.leave(self)
        self.socket.close()
        self.serving.cancel()


async def serve(
    app: App,
    sock: socket.socket,
    kept: int = 0,
    *,
    task_status: trio.TaskStatus[Connections] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an application until cancelled; then every connection is closed. `started` gives the open connections.

    So many places are `kept` for connections that show a seat.
    """
    allowed = allow_open_files(MOST_CONNECTIONS + OF_THE_PAGES) - OF_THE_PAGES
    connections = Connections(min(MOST_CONNECTIONS, max(FEWEST_CONNECTIONS, allowed)), kept=kept)
    config = Config()
    config.keep_alive_timeout = IDLE_SECONDS
    config.include_server_header = False
    config.errorlog = config.accesslog = None  # an exception of ours is told by the guard
    config.h11_max_incomplete_size = 16 * 1024
    context = WorkerContext(None)
    wrapped = ASGIWrapper(app)

    async def handle(stream: Any) -> None:  # a _Stream; Hypercorn expects one of trio, of which it uses these methods
        try:
            gone = suppress(trio.BrokenResourceError, trio.ClosedResourceError)
            with stream.serving, survived("a connection is served"), gone:
                if connections.enter(stream):
                    state = ConnectionState({SHOW: partial(connections.show, stream)})
                    await TCPServer(wrapped, config, context, state, stream)
        finally:
            stream.drop()

    async with trio.open_nursery() as answering:
        answering.start_soon(_tidy, connections)
        try:
            async with trio.SocketListener(trio.socket.from_stdlib_socket(sock)) as listener:
                task_status.started(connections)
                while True:
                    with survived("a connection is accepted"):
                        answering.start_soon(handle, _Stream(await listener.accept(), connections))
                        continue
                    await trio.sleep(AGAIN_SECONDS)
        finally:
            with trio.CancelScope(shield=True):
                await context.terminated.set()
                for stream in connections.open:  # what is being sent is shielded, and ends by this
                    stream.drop()


async def _tidy(connections: Connections) -> None:
    """Give back the memory of a crowd that has gone: the parts of a connection hold each other until a collection."""
    before = 0
    while True:
        await trio.sleep(QUIET_SECONDS)
        if connections.ended == before >= MANY:
            connections.ended = 0
            gc.collect()
        before = connections.ended


@asynccontextmanager
async def served_until_signal(app: App, sock: socket.socket, kept: int = 0) -> AsyncIterator[trio.Nursery]:
    """Serve an application until Ctrl-C, SIGTERM or SIGHUP.

    The block begins once pages can be opened, and gets the nursery for what runs beside them. So many places are `kept`
    for connections that show a seat.
    """
    with trio.open_signal_receiver(*ending_signals()) as signals:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, app, sock, kept)
            yield nursery
            await anext(signals)
            nursery.cancel_scope.cancel()

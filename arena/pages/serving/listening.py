"""The web server: where it listens, how many connections it takes, and how it ends."""

import gc
import ipaddress
import os
import re
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import trio
from starlette.types import ASGIApp

from arena.pages.serving.connections import MOST_CONNECTIONS, Connections
from arena.pages.serving.faults import survived
from arena.pages.serving.http_connection import HttpConnection
from arena.server.io.ending_signals import ending_signals
from arena.server.io.listening import ListenError, NetAddress, parse_address
from arena.server.io.open_files import allow_open_files
from arena.words import Said
from arena.words.system_errors import system_reason

OF_THE_PAGES: Final = 256
"""Open files beside the connections: records, and three of each seat."""
FEWEST_CONNECTIONS: Final = 16
"""The least number of connections, however few open files the system allows."""

AGAIN_SECONDS: Final = 0.1
"""The pause after a connection that could not be accepted, as without free descriptors."""
QUIET_SECONDS: Final = 30.0
MANY: Final = 256
"""Garbage is collected once this number of connections have ended, and then none for
`QUIET_SECONDS`."""

_PATH: Final = re.compile(r"[\w.~/-]*", re.ASCII)
"""A path of a site, without the first slash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningPlace:
    """The place where pages are served, and who can reach them."""

    address: NetAddress
    is_behind_proxy: bool = False
    hosts: frozenset[str] = frozenset()
    """Names that are answered, beside those of loopback; behind a proxy these alone, or all if
    there are none."""
    front: str = ""
    """Where the proxy serves the pages, such as https://club.example/arena/; empty if that is not
    known."""


def place_of(
    text: str,
    *,
    is_behind_proxy: bool,
    hosts: Iterable[str] = (),
) -> ListeningPlace:
    """Read the place of pages, such as `127.0.0.1:8080`.

    Behind a reverse proxy it may be an address of a network. A host is a name, followed by the path
    under which the proxy serves the pages: `club.example/arena`. Raises `ListenError` for an
    invalid address, for one of a network without a reverse proxy, and for a host without a valid
    name.
    """
    try:
        address = parse_address(f"tcp:{text}")
    except ListenError as error:
        raise ListenError(Said("pages.no_address", {"address": repr(text)})) from error
    assert isinstance(address, NetAddress), "tcp: is in front of it"
    if not address.is_loopback and not is_behind_proxy:
        raise ListenError(Said("pages.unencrypted", {"host": address.host}))
    names: set[str] = set()
    front = ""
    for host in hosts:
        name, _, path = host.partition("/")
        if not name or hostname_of(name) != name.lower() or not _PATH.fullmatch(path):
            raise ListenError(Said("pages.no_host", {"host": repr(host)}))
        names.add(name.lower())
        if is_behind_proxy and not front:
            front = f"https://{name.lower()}/{path}".rstrip("/") + "/"
    return ListeningPlace(
        address=address,
        is_behind_proxy=is_behind_proxy,
        hosts=frozenset(names),
        front=front,
    )


def hostname_of(host: str) -> str:
    """Return the name in a `Host` header, without the port and in lower case; empty if invalid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def open_socket(address: NetAddress) -> socket.socket:
    """Open a socket that listens there; port 0 takes a free one. Raises `ListenError`."""
    family = socket.AF_INET
    if ipaddress.ip_address(address.host).version == 6:
        family = socket.AF_INET6
    try:
        sock = socket.create_server(
            (address.host, address.port),
            family=family,
            backlog=1024,
        )
    except OSError as error:
        # without the address, which stands beside it
        plain = OSError(error.errno, os.strerror(error.errno or 0))
        parts = {"host": address.host, "port": str(address.port), "reason": system_reason(plain)}
        raise ListenError(Said("pages.not_listening", parts)) from error
    sock.setblocking(False)
    return sock


def front_of(place: ListeningPlace, sock: socket.socket) -> str:
    """Return the address that people open: of the proxy if it is known, else of the socket."""
    return place.front or url_of(sock)


def url_of(sock: socket.socket) -> str:
    """Return the address to type into a browser of this machine."""
    host, port = sock.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.gethostname()
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{port}/"


async def serve(
    app: ASGIApp,
    sock: socket.socket,
    kept: int = 0,
    *,
    task_status: trio.TaskStatus[Connections] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an application until cancelled; then close every connection.

    `started` gives the open connections. This number of places is `kept` for connections that show
    a seat.
    """
    allowed = allow_open_files(MOST_CONNECTIONS + OF_THE_PAGES) - OF_THE_PAGES
    connections = Connections(min(MOST_CONNECTIONS, max(FEWEST_CONNECTIONS, allowed)), kept=kept)

    async def answer(stream: trio.SocketStream) -> None:
        with survived("a connection is served"):
            await HttpConnection(stream, app, connections).serve()

    listener = trio.SocketListener(trio.socket.from_stdlib_socket(sock))
    async with trio.open_nursery() as answering, listener:
        answering.start_soon(_give_memory_back, connections)
        task_status.started(connections)
        while True:
            with survived("a connection is accepted"):
                answering.start_soon(answer, await listener.accept())
                continue
            await trio.sleep(AGAIN_SECONDS)


async def _give_memory_back(connections: Connections) -> None:
    """Give back the memory of a crowd that has gone.

    Its objects are freed as it goes, but Python keeps some of them for later, in lists that only a
    collection clears, and with each the piece of memory around it.
    """
    ended_before = 0
    while True:
        await trio.sleep(QUIET_SECONDS)
        if connections.ended == ended_before >= MANY:
            connections.ended = 0
            gc.collect()
        ended_before = connections.ended


@asynccontextmanager
async def served_until_signal(
    app: ASGIApp, sock: socket.socket, kept: int = 0
) -> AsyncIterator[trio.Nursery]:
    """Serve an application until Ctrl-C, SIGTERM or SIGHUP.

    The block starts once pages can be opened. It gets the nursery for tasks that run beside them.
    This number of places is `kept` for connections that show a seat.
    """
    with trio.open_signal_receiver(*ending_signals()) as signals:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, app, sock, kept)
            yield nursery
            await anext(signals)
            nursery.cancel_scope.cancel()

"""The web server: where it listens, how many connections it takes, and how it ends."""

from __future__ import annotations

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
"""At least so many, however few open files the system allows."""

AGAIN_SECONDS: Final = 0.1
"""The pause after a connection that could not be accepted, as without free descriptors."""
QUIET_SECONDS: Final = 30.0
MANY: Final = 256
"""Garbage is collected once so many connections have ended, and none for `QUIET_SECONDS`."""

_PATH: Final = re.compile(r"[\w.~/-]*", re.ASCII)
"""A path of a site, without the first slash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place where pages are served, and who can reach them."""

    address: NetAddress
    is_behind_proxy: bool = False
    hosts: frozenset[str] = frozenset()
    """Names that are answered, beside those of loopback; behind a proxy these alone, or all if
    there are none."""
    front: str = ""
    """Where the proxy serves the pages, such as https://club.example/arena/; empty if that is not
    known."""


def place_of(text: str, *, is_behind_proxy: bool, hosts: Iterable[str] = ()) -> Place:
    """Read the place of pages: `127.0.0.1:8080`, or an address of a network if a reverse proxy is in front of it.

    A host is a name, with the path after it under which the proxy serves the pages:
    `club.example/arena`. Raises `ListenError` for an address that is none, or of a network without
    a reverse proxy, and for a host that has no valid name.
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
    return Place(
        address=address, is_behind_proxy=is_behind_proxy, hosts=frozenset(names), front=front
    )


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
        plain = OSError(
            error.errno, os.strerror(error.errno or 0)
        )  # without the address, which stands beside it
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


async def serve(
    app: ASGIApp,
    sock: socket.socket,
    kept: int = 0,
    *,
    task_status: trio.TaskStatus[Connections] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an application until cancelled; then every connection is closed.

    `started` gives the open connections.

    So many places are `kept` for connections that show a seat.
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
    before = 0
    while True:
        await trio.sleep(QUIET_SECONDS)
        if connections.ended == before >= MANY:
            connections.ended = 0
            gc.collect()
        before = connections.ended


@asynccontextmanager
async def served_until_signal(
    app: ASGIApp, sock: socket.socket, kept: int = 0
) -> AsyncIterator[trio.Nursery]:
    """Serve an application until Ctrl-C, SIGTERM or SIGHUP.

    The block begins once pages can be opened, and gets the nursery for what runs beside them. So
    many places are `kept` for connections that show a seat.
    """
    with trio.open_signal_receiver(*ending_signals()) as signals:
        async with trio.open_nursery() as nursery:
            await nursery.start(serve, app, sock, kept)
            yield nursery
            await anext(signals)
            nursery.cancel_scope.cancel()

"""Listening sockets: Unix in a private folder, TCP on loopback."""

from __future__ import annotations

import ipaddress
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from arena.server.hall import Hall
from arena.server.link import SocketLink

BACKLOG: Final = 128

Serve = Callable[[SocketLink], object]


class ListenError(Exception):
    """The arena cannot listen where it was told to; says why and what to do."""


def open_listener(address: str) -> socket.socket:
    """Listen on `unix:/path` or `tcp:host:port`; port 0 takes a free one.

    Only loopback hosts are accepted: a bot's token crosses the wire as it is. Raises `ListenError`.
    """
    family, where = parse_address(address)
    if isinstance(where, Path) and where.exists() and stat.S_ISSOCK(where.stat().st_mode):
        where.unlink()  # left behind by an arena that was killed; a run's folder is locked by its own arena
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if not isinstance(where, Path):
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(os.fspath(where) if isinstance(where, Path) else where)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise ListenError(f"cannot listen on {address}: {error.strerror or error}") from error
    return listener


def parse_address(address: str) -> tuple[socket.AddressFamily, Path | tuple[str, int]]:
    """The socket family of an address, and its path or its host and port. Raises `ListenError`."""
    kind, _, rest = address.partition(":")
    host, _, port = rest.rpartition(":")
    if kind == "unix" and rest:
        return socket.AF_UNIX, Path(rest)
    if kind != "tcp" or not host or not port.isdecimal() or int(port) > 65_535:
        raise ListenError(f"cannot listen on {address!r}; expected unix:/path or tcp:host:port with a port up to 65535")
    name = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        ip = ipaddress.ip_address(name)
    except ValueError as error:
        raise ListenError(f"{host!r} is no address of this machine; expected 127.0.0.1, ::1 or localhost") from error
    if not ip.is_loopback:
        raise ListenError(f"{host} can be reached from other machines, and tokens would cross the net unencrypted")
    return socket.AF_INET6 if ip.version == 6 else socket.AF_INET, (name, int(port))


def address_of(listener: socket.socket) -> str:
    """The address a bot can connect to, in the form of `open_listener`."""
    name = listener.getsockname()
    if listener.family == socket.AF_UNIX:
        return f"unix:{name}"
    host = f"[{name[0]}]" if listener.family == socket.AF_INET6 else name[0]
    return f"tcp:{host}:{name[1]}"


async def accept_links(hall: Hall, listener: socket.socket, serve: Serve) -> None:
    """Hand every new connection to `serve`, for ever; a connection that fails at birth is nobody's problem."""
    listener.setblocking(False)
    address = address_of(listener)
    number = 0
    while True:
        await trio.lowlevel.wait_readable(listener)
        try:
            sock, peer = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            continue
        except OSError:
            await trio.sleep(0.1)  # out of file descriptors: others will close theirs
            continue
        number += 1
        where = f"tcp:{peer[0]}:{peer[1]}" if peer else f"{address}#{number}"
        serve(SocketLink(sock, where, hall.spawn, hall.poller))

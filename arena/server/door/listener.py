"""Listening sockets: Unix in a private folder, TCP, and who is let in by them."""

from __future__ import annotations

import errno
import os
import socket
import ssl
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from arena.server.door.connection_limits import ConnectionLimits, Place, place_of
from arena.server.io.address import Address, ListenError, NetAddress, UnixAddress
from arena.server.io.event_loop import EventLoop
from arena.server.io.link import SocketLink, drop_unread
from arena.server.io.tls import TlsLink
from protocol.codec import encode
from protocol.errors import ErrorCode

BACKLOG: Final = 128

Serve = Callable[[SocketLink, Place], object]
"""Takes over a connection that the gate has counted, and tells the gate when it ends."""


def open_listener(address: Address, *, is_insecure: bool = False) -> socket.socket:
    """Listen there; port 0 takes a free one. Raises `ListenError`.

    A Unix socket lies in a folder that only its owner may enter, made if it is not there. With `is_insecure` it may
    lie anywhere, and whoever can enter its folder may connect.
    """
    try:
        if isinstance(address, UnixAddress):
            return _open_unix(address.path, is_insecure=is_insecure)
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return _listening(listener, (address.host, address.port))
    except OSError as error:
        raise ListenError(f"cannot listen on {address}: {error.strerror or error}") from error


def _open_unix(path: Path, *, is_insecure: bool) -> socket.socket:
    folder = path.absolute().parent
    if not folder.exists():
        folder.mkdir(mode=0o700)
    found = folder.stat()
    if not is_insecure and (found.st_mode & 0o077 or found.st_uid != os.getuid()):
        raise ListenError(
            f"cannot listen on unix:{path}: others can enter {folder} (mode {stat.S_IMODE(found.st_mode):04o}); "
            "name a folder of your own with mode 0700, or one that does not exist yet, or say insecure = true"
        )
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode):
        _remove_left_behind(path)
    listener = _listening(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), os.fspath(path))
    path.chmod(0o666 if is_insecure else 0o600)
    return listener


def _remove_left_behind(path: Path) -> None:
    """Remove the socket of an arena that was killed, but not one on which somebody listens."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        if probe.connect_ex(os.fspath(path)) != errno.ECONNREFUSED:
            raise ListenError(f"cannot listen on unix:{path}: another program listens there; name another socket")
    path.unlink()


def _listening(listener: socket.socket, where: str | tuple[str, int]) -> socket.socket:
    try:
        listener.bind(where)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def address_of(listener: socket.socket, *, is_tls: bool = False) -> Address:
    """The address a bot can connect to."""
    name = listener.getsockname()
    if listener.family == socket.AF_UNIX:
        return UnixAddress(path=Path(name))
    return NetAddress(kind="tls" if is_tls else "tcp", host=name[0], port=name[1])


async def accept_links(
    loop: EventLoop,
    listener: socket.socket,
    connection_limits: ConnectionLimits,
    serve: Serve,
    tls: ssl.SSLContext | None = None,
) -> None:
    """Hand every new connection that may come in to `serve`, for ever; one that fails at birth is nobody's problem."""
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
        try:
            place = place_of(sock)
            refusal = connection_limits.refusal(place)
            if refusal is not None:
                _refuse(sock, refusal if tls is None else None)
                continue
            link = (
                SocketLink(sock, where, loop.spawn, loop.poller)
                if tls is None
                else TlsLink(sock, where, loop.spawn, loop.poller, tls)
            )
        except OSError:
            sock.close()  # it has hung up already
            continue
        connection_limits.enter(place)
        serve(link, place)


def _refuse(sock: socket.socket, reason: str | None) -> None:
    """Say why as far as the system takes it at once, and hang up."""
    sock.setblocking(False)
    with sock, suppress(OSError):  # it has hung up already, and nobody is left to tell
        if reason is not None:
            sock.send(encode(ErrorCode.TOO_MANY_CONNECTIONS.to_message(reason)))
        sock.shutdown(socket.SHUT_WR)
        drop_unread(sock)

"""Accepts connections, as far as the limits allow."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from contextlib import suppress

import trio

from arena.server.door.connection_limits import ConnectionLimits, Place
from arena.server.io.event_loop import EventLoop
from arena.server.io.link import SocketLink, drop_unread
from arena.server.io.listening import address_of
from arena.server.io.operator_log import Log
from arena.server.io.tls import TlsLink
from protocol.codec import encode
from protocol.errors import ErrorCode

Serve = Callable[[SocketLink, Place, Log], object]
"""Takes over a connection that the limits have counted, and tells the limits when it ends. The log names its place."""
PlaceOf = Callable[[socket.socket], Place]
"""Says where a connection comes from. Raises `OSError` if it has hung up already."""


async def accept_links(
    loop: EventLoop,
    listener: socket.socket,
    connection_limits: ConnectionLimits,
    place_of: PlaceOf,
    serve: Serve,
    log: Log,
    tls: ssl.SSLContext | None = None,
) -> None:
    """Hand every new connection that may come in to `serve`, for ever; drop one that fails during accept."""
    listener.setblocking(False)
    address = address_of(listener, is_tls=tls is not None)
    log = log.bind(transport=str(address).partition(":")[0])
    number = 0
    while True:
        await trio.lowlevel.wait_readable(listener)
        try:
            sock, peer = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            continue
        except OSError as error:
            log.warning("accept_failed", reason=error.strerror)
            await trio.sleep(0.1)  # out of file descriptors: others will close theirs
            continue
        number += 1
        where = f"tcp:{peer[0]}:{peer[1]}" if peer else f"{address}#{number}"
        try:
            place = place_of(sock)
        except OSError:
            sock.close()  # it has hung up already
            continue
        seen = log.bind(peer=where, place=place.name)
        refusal = connection_limits.refusal(place)
        if refusal is not None:
            seen.warning("connection_refused", reason=refusal)
            _refuse(sock, refusal if tls is None else None)
            continue
        try:
            link = (
                SocketLink(sock, where, loop.spawn, loop.poller)
                if tls is None
                else TlsLink(sock, where, loop.spawn, loop.poller, tls)
            )
        except OSError:
            sock.close()  # likewise
            continue
        connection_limits.enter(place)
        serve(link, place, seen)


def _refuse(sock: socket.socket, reason: str | None) -> None:
    """Send the reason, if the system takes it at once, and hang up."""
    sock.setblocking(False)
    with sock, suppress(OSError):  # it has hung up already, and nobody is left to tell
        if reason is not None:
            sock.send(encode(ErrorCode.TOO_MANY_CONNECTIONS.to_message(reason)))
        sock.shutdown(socket.SHUT_WR)
        drop_unread(sock)

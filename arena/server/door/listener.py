"""Accepts connections."""

import socket
import ssl
from collections.abc import Callable
from typing import Final

import trio

from arena.records.facts import FAILED
from arena.server.door.connection_limits import ConnectionLimits, Place, place_of
from arena.server.io.event_loop import EventLoop
from arena.server.io.link import Link
from arena.server.io.listening import address_of
from arena.server.io.operator_log import Log
from arena.server.io.tls import TlsLink
from arena.words.system_errors import system_reason

Serve = Callable[[Link, Place, Log], object]
"""Takes over a connection and counts it until it ends. The log knows its place."""

CONNECTIONS_IN_A_ROW: Final = 64
"""Connections accepted in a row: some 10 ms, so that a flood delays no game for longer."""


async def accept_links(
    loop: EventLoop,
    listener: socket.socket,
    connection_limits: ConnectionLimits,
    serve: Serve,
    failed: Callable[[], object],
    log: Log,
    tls: Callable[[], ssl.SSLContext] | None = None,
) -> None:
    """Hand all new connections to `serve`, for ever; drop one that fails during accept.

    `tls` gives the context for each connection: its certificate may be renewed. `failed` is called
    after an unexpected exception, which ends that connection alone.
    """
    if listener.fileno() < 0:  # the run had nothing to play, and is over already
        return
    listener.setblocking(False)
    address = address_of(listener, is_tls=tls is not None)
    log = log.bind(transport=str(address).partition(":")[0])
    number = 0
    while True:
        await trio.lowlevel.wait_readable(listener)
        for _ in range(CONNECTIONS_IN_A_ROW):
            try:
                sock, peer = listener.accept()
            except BlockingIOError:
                break
            except ConnectionAbortedError:
                continue
            except OSError as error:
                log.warning("accept_failed", reason=system_reason(error))
                has_room = connection_limits.make_room()
                if not has_room:  # out of file descriptors: others will close theirs
                    await trio.sleep(0.1)
                break
            number += 1
            where = f"{address}#{number}"
            if peer:
                where = f"tcp:{peer[0]}:{peer[1]}"
            _hand_over(sock, where, loop=loop, serve=serve, failed=failed, log=log, tls=tls)


def _hand_over(
    sock: socket.socket,
    where: str,
    *,
    loop: EventLoop,
    serve: Serve,
    failed: Callable[[], object],
    log: Log,
    tls: Callable[[], ssl.SSLContext] | None,
) -> None:
    """Hand a connection to `serve`; a failure ends this connection alone."""
    link: Link | None = None
    try:
        place = place_of(sock)
        if tls is None:
            link = Link(sock, loop.spawn, loop.poller)
        else:
            link = TlsLink(sock, loop.spawn, loop.poller, tls())
        serve(link, place, log.bind(peer=where, place=place))
    except Exception as error:  # noqa: BLE001 - a failure ends no other connection
        if link is not None:
            link.abort(FAILED)
        sock.close()
        if link is None and isinstance(error, OSError):
            return  # it has hung up already
        loop.failed(error)
        failed()

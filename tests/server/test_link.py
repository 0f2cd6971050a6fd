"""A link by itself: what it tells its reader."""

from __future__ import annotations

import select
import socket

import pytest
import trio

from arena.server.link import SocketLink
from arena.server.poller import Poller

WITH_AND_WITHOUT_EPOLL = pytest.mark.parametrize(
    "has_epoll", [pytest.param(True, marks=pytest.mark.skipif(not hasattr(select, "epoll"), reason="no epoll")), False]
)


class Listener:
    """A reader that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str | bytes] = []

    def begin(self) -> None:
        self.told.append("begin")

    def received(self, data: bytes) -> None:
        self.told.append(data)

    def ended(self, reason: str) -> None:
        self.told.append(reason)


@WITH_AND_WITHOUT_EPOLL
async def test_the_end_of_a_socket_is_told_once_though_the_link_stays_open(
    nursery: trio.Nursery, *, has_epoll: bool
) -> None:
    poller = Poller(nursery.start_soon, has_epoll=has_epoll)
    nursery.start_soon(poller.run)
    ours, theirs = socket.socketpair()
    link, listener = SocketLink(ours, "peer", nursery.start_soon, poller), Listener()
    link.serve(listener)
    theirs.send(b"good")
    theirs.shutdown(socket.SHUT_WR)
    await trio.sleep(1)
    assert listener.told == ["begin", b"good", "it hung up"]
    link.abort("closed")
    await trio.sleep(1)
    assert listener.told[3:] == []
    theirs.close()


@WITH_AND_WITHOUT_EPOLL
async def test_a_link_that_is_closed_here_tells_why(nursery: trio.Nursery, *, has_epoll: bool) -> None:
    poller = Poller(nursery.start_soon, has_epoll=has_epoll)
    nursery.start_soon(poller.run)
    ours, theirs = socket.socketpair()
    link, listener = SocketLink(ours, "peer", nursery.start_soon, poller), Listener()
    link.serve(listener)
    link.abort("it does not read")
    assert listener.told == ["begin"]
    await trio.sleep(1)
    assert listener.told == ["begin", "it does not read"]
    theirs.close()

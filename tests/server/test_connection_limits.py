"""Who is dropped when too many connections have not logged in, and where connections come from."""

from __future__ import annotations

import errno
import socket
from pathlib import Path
from typing import NoReturn

import pytest
import trio

from arena.server.door.connection_limits import ConnectionLimits, Place, Visit
from arena.server.door.listener import accept_links
from arena.server.io.event_loop import EventLoop
from arena.server.io.operator_log import MOST as MOST_TOLD
from arena.server.run.connection_places import place_of
from tests.server.operator import Operator

HOME, AWAY = Place("192.0.2.1"), Place("192.0.2.2")
MOST = 20


class Hall:
    """Limits, and which connections they have dropped."""

    def __init__(self) -> None:
        self.limits = ConnectionLimits(MOST)
        self.dropped: list[str] = []

    def enter(self, place: Place, name: str = "somebody") -> Visit:
        visit = Visit(place=place, drop=lambda: self.dropped.append(name))
        self.limits.enter(visit)
        return visit


@pytest.fixture
def hall() -> Hall:
    return Hall()


def test_the_oldest_of_a_place_makes_room_for_the_next(hall: Hall) -> None:
    for number in range(MOST):
        visit = hall.enter(HOME, str(number))
    assert hall.dropped == []
    hall.enter(HOME)
    hall.enter(HOME)
    assert hall.dropped == ["0", "1"]
    hall.limits.leave(visit)
    hall.limits.leave(visit)  # it is not counted any more
    hall.enter(HOME)
    assert hall.dropped == ["0", "1"]
    hall.enter(HOME)
    assert hall.dropped == ["0", "1", "2"]


def test_a_place_that_opens_connections_without_end_drops_its_own(hall: Hall) -> None:
    hall.enter(AWAY, "away")
    for _ in range(1000):
        hall.enter(HOME)
    assert "away" not in hall.dropped
    assert len(hall.dropped) == 1001 - MOST


def test_of_many_places_with_one_connection_each_the_first_makes_room(hall: Hall) -> None:
    for number in range(MOST + 3):
        hall.enter(Place(str(number)), str(number))
    assert hall.dropped == ["0", "1", "2"]
    assert len(hall.limits._places) == MOST


def test_who_has_logged_in_is_never_dropped(hall: Hall) -> None:
    for _ in range(5 * MOST):
        hall.limits.leave(hall.enter(HOME))
    assert hall.dropped == []
    assert not hall.limits.make_room()


def test_a_place_is_an_address_or_a_network(tmp_path: Path) -> None:

    class Peer:
        family = socket.AF_INET6

        def __init__(self, name: str) -> None:
            self.name = name

        def getpeername(self) -> tuple[str, int, int, int]:
            return self.name, 4711, 0, 0

    names = ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1", "fe80::1%eth0"]
    places = [place_of(Peer(name)) for name in names]  # type: ignore[arg-type]
    assert places == [
        "192.0.2.1",
        "192.0.2.1",
        "2001:db8::",
        "2001:db8::",
        "2001:db8:0:1::",
        "fe80::",
    ]


class Exhausted(socket.socket):
    """A listener that has no descriptors left."""

    def accept(self) -> NoReturn:
        raise OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize("others", [0, 3])
async def test_a_connection_that_the_system_cannot_give_is_told(
    nursery: trio.Nursery, tmp_path: Path, hall: Hall, others: int
) -> None:
    operator, loop = Operator(tmp_path), EventLoop(nursery)
    for _ in range(others):
        hall.enter(HOME)
    with operator.log() as log, Exhausted(socket.AF_INET) as listener, socket.socket() as client:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        client.connect(listener.getsockname())
        with trio.move_on_after(10):
            await accept_links(loop, listener, hall.limits, place_of, lambda *_: None, lambda: None, log)
    assert len(hall.dropped) == others
    assert operator.names == ["accept_failed"] * MOST_TOLD
    assert operator.heard[0] == "a connection could not be taken: Too many open files"
    assert operator.seen[0]["transport"] == "tcp"

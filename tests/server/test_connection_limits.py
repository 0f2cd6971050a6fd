"""How many connections may come from one place and in all, and how many wrong logins."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from arena.server.door.connection_limits import (
    ARRIVALS,
    SPARE,
    SPARE_PLACE,
    SPARE_PROGRAM,
    WRONG_LOGINS,
    ConnectionLimits,
    Place,
)
from arena.server.io.recent import PLACES, WINDOW_MS
from arena.server.run.connection_places import NOBODY, place_of

HOME, AWAY = Place("192.0.2.1"), Place("192.0.2.2")
BOTS = 3


class Time:
    def __init__(self) -> None:
        self.now_ms = 1_000_000

    def now(self) -> int:
        return self.now_ms


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def connection_limits(time: Time) -> ConnectionLimits:
    return ConnectionLimits(BOTS, time.now)


def enter_until_refused(connection_limits: ConnectionLimits, place: Place) -> int:
    number = 0
    while connection_limits.refusal(place) is None:
        connection_limits.enter(place)
        number += 1
    return number


def test_every_bot_may_come_from_one_place_and_some_more(connection_limits: ConnectionLimits) -> None:
    """A connection that ends makes room; other places are not affected."""
    assert enter_until_refused(connection_limits, HOME) == BOTS + SPARE_PLACE
    assert "connections are open from where you are" in str(connection_limits.refusal(HOME))
    assert connection_limits.refusal(AWAY) is None
    connection_limits.leave(HOME)
    assert enter_until_refused(connection_limits, HOME) == 1


def test_there_is_a_limit_for_all_places_together(connection_limits: ConnectionLimits) -> None:
    """However many places there are."""
    places = [Place(f"192.0.2.{number}") for number in range(100)]
    total = sum(enter_until_refused(connection_limits, place) for place in places)
    assert total == BOTS + SPARE
    assert "all the connections it can serve" in str(connection_limits.refusal(AWAY))


def test_coming_and_going_without_end_is_refused_for_a_minute(connection_limits: ConnectionLimits, time: Time) -> None:
    """After so many arrivals; a minute later they are forgotten."""
    for _ in range(BOTS + ARRIVALS):
        assert connection_limits.refusal(HOME) is None
        connection_limits.enter(HOME)
        connection_limits.leave(HOME)
    assert "too many new connections" in str(connection_limits.refusal(HOME))
    time.now_ms += WINDOW_MS - 1
    assert connection_limits.refusal(HOME) is not None
    time.now_ms += 1
    assert connection_limits.refusal(HOME) is None


def test_wrong_logins_bar_their_own_place_for_a_minute(connection_limits: ConnectionLimits, time: Time) -> None:
    """From the tenth on, until the first of them is a minute old."""
    for _ in range(WRONG_LOGINS):
        assert not connection_limits.is_barred(HOME)
        connection_limits.wrong_login(HOME)
        time.now_ms += 1000
    assert connection_limits.is_barred(HOME)
    assert not connection_limits.is_barred(AWAY)
    time.now_ms += WINDOW_MS - 1000 * WRONG_LOGINS
    assert not connection_limits.is_barred(HOME)


def test_what_is_remembered_does_not_grow(connection_limits: ConnectionLimits) -> None:
    """Of very many places only the last are kept."""
    for number in range(PLACES + 500):
        connection_limits.wrong_login(Place(str(number)))
    assert len(connection_limits._wrong_logins._times_ms) == PLACES


def test_a_place_is_an_address_or_a_network(tmp_path: Path) -> None:
    """IPv4 in either family is one place, and so is a network of IPv6."""

    class Peer:
        family = socket.AF_INET6

        def __init__(self, name: str) -> None:
            self.name = name

        def getpeername(self) -> tuple[str, int, int, int]:
            return self.name, 4711, 0, 0

    names = ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1", "fe80::1%eth0"]
    places = [place_of(Peer(name)) for name in names]  # type: ignore[arg-type]
    assert [place.name for place in places] == [
        "192.0.2.1",
        "192.0.2.1",
        "2001:db8::",
        "2001:db8::",
        "2001:db8:0:1::",
        "fe80::",
    ]


def programs(number: int) -> list[Place]:
    return [Place(f"program {at}", bots=1) for at in range(number)]


def test_a_launched_program_gets_one_connection_and_a_few_more(connection_limits: ConnectionLimits) -> None:
    """A program that closes one of them may open another; other programs are not affected."""
    first, second = programs(2)
    assert enter_until_refused(connection_limits, first) == 1 + SPARE_PROGRAM
    assert "connections are open from where you are" in str(connection_limits.refusal(first))
    assert connection_limits.refusal(second) is None
    connection_limits.leave(first)
    assert enter_until_refused(connection_limits, first) == 1


def test_programs_that_conspire_keep_nobody_out(connection_limits: ConnectionLimits) -> None:
    """Neither bots from elsewhere nor a program without a connection yet; closed connections can be opened again."""
    many = programs(100)
    beyond = sum(enter_until_refused(connection_limits, place) - 1 for place in many)
    assert beyond == SPARE // 2
    assert enter_until_refused(connection_limits, NOBODY) == 0
    late = Place("program late", bots=1)
    assert enter_until_refused(connection_limits, late) == 1
    for _ in range(1 + SPARE_PROGRAM):
        connection_limits.leave(many[0])
    assert enter_until_refused(connection_limits, late) == SPARE_PROGRAM
    for place in (late, *many[1:]):
        while connection_limits._open[place]:
            connection_limits.leave(place)
    assert (connection_limits._beyond, connection_limits._open.total()) == (0, 0)


def test_a_full_hall_keeps_the_one_connection_of_a_program(connection_limits: ConnectionLimits) -> None:
    """Whichever places have filled it."""
    for number in range(100):
        enter_until_refused(connection_limits, Place(f"192.0.2.{number}"))
    assert enter_until_refused(connection_limits, Place("program 1", bots=1)) == 1


def test_processes_that_cannot_be_followed_share_a_few_connections(connection_limits: ConnectionLimits) -> None:
    """And leave the others theirs."""
    assert enter_until_refused(connection_limits, NOBODY) == SPARE_PROGRAM
    assert enter_until_refused(connection_limits, HOME) == BOTS + SPARE_PLACE

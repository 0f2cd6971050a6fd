"""Which connection gives way to another: a machine of its own, then real pages of play and of a tournament."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from arena.pages.by_hand.hand_pages import HandPages
from arena.pages.by_hand.hand_room import HandRoom
from arena.pages.by_hand.hand_seat import SeatRoom
from arena.pages.by_hand.hand_tournament import HandCourse, TournamentRoom
from arena.pages.serving import listening
from arena.pages.serving.connections import OF_A_SEAT, Connections
from arena.pages.serving.listening import open_socket, serve
from arena.person.arena_run import Wanted
from tests.fixtures.asked_pages import HERE

MOST, KEPT = 20, 5
TOKEN = "5e" * 32


class Visitor:
    """A connection of a hall, which tells that it was dropped."""

    def __init__(self, hall: Connections) -> None:
        self._hall = hall
        self.is_dropped = False

    def drop(self) -> None:
        self.is_dropped = True
        self._hall.leave(self)


@pytest.fixture
def hall() -> Connections:
    return Connections(MOST, kept=KEPT)


def entered(hall: Connections, number: int = 1) -> list[Visitor]:
    visitors = [Visitor(hall) for _ in range(number)]
    for visitor in visitors:
        hall.enter(visitor)
    return visitors


def test_the_oldest_stranger_gives_way_to_a_newcomer(hall: Connections) -> None:
    crowd = entered(hall, MOST)
    assert [visitor.is_dropped for visitor in crowd] == [True] * KEPT + [False] * (MOST - KEPT)
    [newcomer] = entered(hall)
    assert (crowd[KEPT].is_dropped, newcomer.is_dropped) == (True, False)
    assert len(hall.open) == MOST - KEPT


def test_who_has_shown_a_seat_gives_way_to_nobody(hall: Connections) -> None:
    persons = entered(hall, KEPT)
    for number, person in enumerate(persons):
        hall.show(person, f"seat {number}")
    entered(hall, 10 * MOST)
    assert not any(person.is_dropped for person in persons)
    assert len(hall.open) == MOST


def test_there_are_never_more_than_the_most(hall: Connections) -> None:
    persons = entered(hall, 1)
    for number in range(2 * MOST):
        hall.show(persons[-1], f"seat {number}")
        persons += entered(hall)
        assert len(hall.open) <= MOST
    assert not hall.enter(Visitor(hall)), "all places are those of persons"
    persons[0].drop()
    assert hall.enter(Visitor(hall))


def test_a_seat_cannot_take_the_places_of_others() -> None:
    """Not that of an opponent either."""
    hall = Connections(10 * OF_A_SEAT, kept=KEPT)
    [opponent] = entered(hall)
    hall.show(opponent, "opponent")
    for _ in range(3 * OF_A_SEAT):
        [one] = entered(hall)
        hall.show(one, "greedy")
    assert not opponent.is_dropped
    assert len(hall.open) == OF_A_SEAT + 1


def test_what_is_gone_shows_nothing(hall: Connections) -> None:
    [visitor] = entered(hall)
    visitor.drop()
    hall.show(visitor, "seat")
    assert (hall.open, hall.ended) == ([], 1)
    visitor.drop()
    assert hall.ended == 1


def test_where_nobody_plays_a_newcomer_is_refused() -> None:
    """Viewers come back by themselves; if each threw out another, nobody would see anything."""
    hall = Connections(2)
    viewers = entered(hall, 2)
    assert not hall.enter(Visitor(hall))
    assert hall.open == viewers


# Real pages


def room_of_play(folder: Path) -> SeatRoom:
    return HandRoom(folder, "you")


def room_of_a_tournament(folder: Path) -> SeatRoom:
    return TournamentRoom(HandCourse(folder), "you")


async def asked(port: int, stream: trio.SocketStream | None = None) -> trio.SocketStream:
    """A connection on which a person has got a whole answer."""
    stream = stream or await trio.open_tcp_stream("127.0.0.1", port)
    await stream.send_all(
        f"GET /api/record HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Seat: {TOKEN}\r\n\r\n".encode()
    )
    answer = b""
    while not answer.endswith(b"}"):
        answer += await stream.receive_some() or b"hung up}"
    assert answer.startswith(b"HTTP/1.1 409"), "no match is over"
    return stream


@pytest.mark.parametrize("room_in", [room_of_play, room_of_a_tournament])
async def test_a_crowd_of_anybody_keeps_no_person_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room_in: Callable[[Path], SeatRoom]
) -> None:
    monkeypatch.setattr(listening, "MOST_CONNECTIONS", MOST)
    pages = HandPages({TOKEN: room_in(tmp_path)}, Wanted(opponent="", command=""))
    sock = open_socket(HERE.address)
    port = sock.getsockname()[1]
    async with trio.open_nursery() as nursery:
        connections = await nursery.start(serve, pages.app(HERE), sock, KEPT)
        with trio.fail_after(60):
            first = await asked(port)
            crowd = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(3 * MOST)]
            later = await asked(port)  # though all places of strangers are taken
            while len(connections.open) > MOST - KEPT + 2:  # noqa: ASYNC110 - until the whole crowd is taken in
                await trio.sleep(0.01)
            await asked(port, first)
            for stream in (first, later, *crowd):
                await trio.aclose_forcefully(stream)
        nursery.cancel_scope.cancel()

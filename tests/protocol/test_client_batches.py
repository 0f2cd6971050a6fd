"""The bot kit with a window: what is there is one batch, and the answers of a batch are one write."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

import msgspec
import pytest

from protocol.client import Choice, Moves, Reply, TurnView
from protocol.messages import Bye, GameStart, MatchReady, Play, Turn
from tests.protocol.client_bots import First, Running, turn
from tests.protocol.fake_arena import FakeArena
from tests.protocol.samples import MATCH_START


class CountingStream:
    """A socket that keeps every write apart; anything else is the socket's."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self.writes: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()

    def sendall(self, data: bytes) -> None:
        self.writes.append(data)
        self._stream.sendall(data)


class Listing(First):
    """Answers a batch with a list."""

    window = 256

    def play_many(self, turns: Sequence[TurnView]) -> Sequence[Reply]:
        return [Moves([[1, 7]], info={"of": len(turns)}) for _ in turns]


class Yielding(First):
    """Answers a batch one by one."""

    window = 256

    def play_many(self, turns: Sequence[TurnView]) -> Iterable[Reply]:
        for _ in turns:
            yield Choice(0, info={"of": len(turns)})


Seat = Callable[[First], tuple[FakeArena, CountingStream, Running]]


@pytest.fixture
def seat() -> Iterator[Seat]:
    """Seats a bot opposite a fake arena whose line holds many turns; it is logged in, and its writes are counted."""
    streams: list[socket.socket] = []

    def seat(bot: First) -> tuple[FakeArena, CountingStream, Running]:
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
        streams.append(ours)
        counting = CountingStream(theirs)
        arena, running = FakeArena(ours), Running(bot, counting)  # type: ignore[arg-type]
        arena.welcome()
        return arena, counting, running

    yield seat
    for stream in streams:
        stream.close()


def open_games(arena: FakeArena, number: int) -> list[Turn]:
    """Start so many games of the sample match; gives the first turn of each."""
    arena.say(MATCH_START)
    arena.expect(MatchReady)
    for game in range(1, number + 1):
        arena.say(GameStart(game=game, match=MATCH_START.match, number=game, seat=1, starts=True))
    return [turn(game) for game in range(1, number + 1)]


def test_a_list_of_replies_is_one_write(seat: Seat) -> None:
    arena, counting, _ = seat(Listing())
    turns = open_games(arena, 20)
    before = len(counting.writes)
    arena.say(*turns)
    plays = [arena.expect(Play) for _ in turns]
    assert [play.game for play in plays] == list(range(1, 21))
    assert [play.info for play in plays] == [{"of": 20}] * 20
    assert len(counting.writes) - before == 1


def test_a_generator_of_replies_is_a_write_each(seat: Seat) -> None:
    """A bot that thinks long about each position loses no time over the others."""
    arena, counting, _ = seat(Yielding())
    turns = open_games(arena, 5)
    before = len(counting.writes)
    arena.say(*turns)
    assert [arena.expect(Play).game for _ in turns] == [1, 2, 3, 4, 5]
    assert len(counting.writes) - before == 5


def test_all_that_is_there_is_read_before_the_bot_is_asked(seat: Seat) -> None:
    """Turns that list their legal turns are too long for one read of the socket; they are one batch all the same."""
    arena, counting, _ = seat(Listing())
    legal = [[[1, 7], [7, 9]]] * 400
    turns = [msgspec.structs.replace(one, legal=legal) for one in open_games(arena, 60)]
    size = sum(len(arena.wire.send(one)) for one in turns)
    assert 150_000 < size < 500_000
    before = len(counting.writes)
    arena.say(*turns)
    assert [arena.expect(Play).info for _ in turns] == [{"of": 60}] * 60
    assert len(counting.writes) - before == 1


def test_what_came_before_the_line_broke_is_heard(seat: Seat) -> None:
    arena, _, running = seat(Listing())
    open_games(arena, 1)
    arena.say(Bye(reason="done"))
    arena.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    arena.stream.close()
    assert running.end() == 0


def test_a_timeout_of_the_stream_is_left_as_it_was(seat: Seat) -> None:
    arena, counting, running = seat(Listing())
    counting.settimeout(7.5)
    arena.say(*open_games(arena, 2))
    arena.expect(Play)
    arena.expect(Play)
    assert counting.gettimeout() in (7.5, 0)
    arena.say(Bye())
    assert running.end() == 0

"""A bot of the kit at a table."""

import socket
from collections.abc import Callable, Iterator

import pytest

from protocol.client import Bot
from tests.protocol.client_bots import Running, turn
from tests.protocol.fake_arena import FakeArena


@pytest.fixture
def table() -> Iterator[Callable[[Bot], tuple[FakeArena, Running]]]:
    """Seats a bot opposite a fake arena; both ends of the line are closed afterwards."""
    streams: list[socket.socket] = []

    def seat(bot: Bot) -> tuple[FakeArena, Running]:
        ours, theirs = socket.socketpair()
        streams.append(ours)
        return FakeArena(ours), Running(bot, theirs)

    yield seat
    for stream in streams:
        stream.close()


@pytest.fixture
def asked(table: Callable[[Bot], tuple[FakeArena, Running]]) -> Callable[[Bot], tuple[FakeArena, Running]]:
    """Seats a bot that is logged in, has begun game 1 and has its first turn to answer."""

    def ask(bot: Bot) -> tuple[FakeArena, Running]:
        arena, running = table(bot)
        arena.welcome()
        arena.start(1)
        arena.say(turn(1))
        return arena, running

    return ask

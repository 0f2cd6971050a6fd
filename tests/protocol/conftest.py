"""A bot of the kit at a table."""

import socket
from collections.abc import Callable, Iterator

import pytest

from protocol.client import Bot
from tests.protocol.client_bots import Running
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

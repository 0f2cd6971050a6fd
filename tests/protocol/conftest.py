"""A bot of the kit at a table."""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from protocol.client import Bot, play_over
from tests.fixtures.fake_arena import Door, FakeArena, unix_door
from tests.protocol.client_bots import Running, turn


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    with unix_door(tmp_path) as opened:
        yield opened


@pytest.fixture
def table() -> Iterator[Callable[[Bot], tuple[FakeArena, Running]]]:
    """Seats a bot opposite a fake arena; both ends of the line are closed afterwards."""
    streams: list[socket.socket] = []

    def seat(bot: Bot) -> tuple[FakeArena, Running]:
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)  # holds many turns
        streams.append(ours)

        def play() -> int:
            with theirs:
                return play_over(theirs, bot, "anna", "open sesame")

        return FakeArena(ours), Running(play)

    yield seat
    for stream in streams:
        stream.close()


@pytest.fixture
def asked(
    table: Callable[[Bot], tuple[FakeArena, Running]],
) -> Callable[[Bot], tuple[FakeArena, Running]]:
    """Seats a bot that is logged in, has begun game 1 and has its first turn to answer."""

    def ask(bot: Bot) -> tuple[FakeArena, Running]:
        arena, running = table(bot)
        arena.welcome()
        arena.start(1)
        arena.say(turn(1))
        return arena, running

    return ask

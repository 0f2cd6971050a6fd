"""Connections that are not bots: nobody at the table may notice them."""

from __future__ import annotations

import trio

from arena.torture.case import Case, Stranger
from arena.torture.raw_connection import RawConnection, framed
from arena.torture.stages import at_the_door
from protocol.connection import LOGIN_FRAME_BYTES

LOGIN = {"type": "login", "protocol": 1, "name": "honest", "token": "no token of this arena"}
DRIP_SECONDS = 0.3


async def says_nothing(_connection: RawConnection) -> None:
    """Connect and wait."""


async def half_a_frame(connection: RawConnection) -> None:
    """Announce 80 bytes and send one."""
    await connection.write(b"\x00\x00\x00\x50\x81")


async def drips(connection: RawConnection) -> None:
    """A login that comes a byte at a time and never ends: nothing extends the time for it."""
    await connection.write(b"\x00\x00\x0f\xff\x81\xa4type\xd9\xff")
    while True:
        await connection.write(b"x")
        await trio.sleep(DRIP_SECONDS)


async def huge_length(connection: RawConnection) -> None:
    """Announce a frame of 2^32 - 1 bytes."""
    await connection.write(b"\xff\xff\xff\xff")


async def another_protocol(connection: RawConnection) -> None:
    """Speak HTTP."""
    await connection.write(b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n")


async def long_login(connection: RawConnection) -> None:
    """Send more than a login needs."""
    await connection.write(framed(b"\x81" + bytes(LOGIN_FRAME_BYTES)))


async def plays_at_once(connection: RawConnection) -> None:
    """Answer a turn nobody asked for, before any login."""
    await connection.write_map({"type": "play", "game": 1, "turn": 1, "choice": 0})


async def wrong_token(connection: RawConnection) -> None:
    """Log in under the name of a bot that is expected."""
    await connection.write_map(LOGIN)


def _case(name: str, what: str, expected: str, stranger: Stranger) -> Case:
    return Case(name=name, what=what, expected=f"{expected}; closed", play=at_the_door(stranger), deed=stranger)


CASES = (
    _case("door-silent", "connects and says nothing", "error login_timeout", says_nothing),
    _case("door-half-frame", "sends half a frame and waits", "error login_timeout", half_a_frame),
    _case("door-drip", "logs in a byte at a time, for ever", "error login_timeout", drips),
    _case("door-huge-length", "announces a frame of 2^32 - 1 bytes", "error frame_too_large", huge_length),
    _case("door-http", "speaks another protocol", "error frame_too_large", another_protocol),
    _case("door-long-login", "sends a login longer than any", "error frame_too_large", long_login),
    _case("door-play", "plays before it has logged in", "error unexpected_message", plays_at_once),
    _case("door-wrong-token", "logs in with another token", "error bad_login", wrong_token),
)

"""Connections that are not bots get their answer at its millisecond, and nobody at the table notices them."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

import pytest
import trio

from arena.matches.facts import MatchEnded, Terms, TurnPlayed
from arena.matches.time_control import TimeControl
from arena.server.play.session import LOGIN_SECONDS
from protocol.codec import encode
from protocol.connection import LOGIN_FRAME_BYTES
from protocol.messages import Play
from tests.fixtures.playing_room import Guest, Room, login
from tests.zoo.faults import GONE, framed, play, told
from tests.zoo.settled import settle

TERMS = Terms(
    games=1,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=0,
    turn_limit=20,
    startup_ms=5000,
)
LATE_MS = round(1000 * LOGIN_SECONDS)

Deed = Callable[[Guest], Awaitable[None]]


def writes(data: bytes) -> Deed:
    """Write these bytes."""

    async def deed(guest: Guest) -> None:
        await guest.say_bytes(data)

    return deed


async def drips(guest: Guest) -> None:
    """A login that comes a byte at a time and never ends: nothing extends the time for it."""
    await guest.say_bytes(b"\x00\x00\x0f\xff\x81\xa4type\xd9\xff")
    while True:
        await guest.say_bytes(b"x")
        await trio.sleep(0.3)


STRANGERS: dict[str, tuple[Deed, str, int]] = {
    "says nothing": (writes(b""), "login_timeout", LATE_MS),
    "sends half a frame": (writes(b"\x00\x00\x00\x50\x81"), "login_timeout", LATE_MS),
    "logs in byte by byte, for ever": (drips, "login_timeout", LATE_MS),
    "announces a frame of 4 GiB": (writes(b"\xff\xff\xff\xff"), "frame_too_large", 0),
    "speaks HTTP": (writes(b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n"), "frame_too_large", 0),
    "sends a login longer than any": (
        writes(framed(b"\x81" + bytes(LOGIN_FRAME_BYTES))),
        "frame_too_large",
        0,
    ),
    "plays at once": (writes(encode(Play(game=1, turn=1, choice=0))), "unexpected_message", 0),
    "guesses a token": (writes(encode(login("anna", "a guess"))), "bad_login", 0),
}
"""What clients do that are no bots, the error they hear, and after how many milliseconds."""


@pytest.mark.parametrize(("deed", "code", "after_ms"), STRANGERS.values(), ids=STRANGERS)
async def test_a_client_that(room: Room, deed: Deed, code: str, after_ms: int) -> None:
    guests = [await room.guest(name, wants=["legal"]) for name in ("anna", "bo")]
    stranger = room.connect()
    began_ms = stranger.now_ms()

    async def act() -> None:
        with contextlib.suppress(GONE):
            await deed(stranger)

    room.nursery.start_soon(act)
    table = room.lay_table("anna", "bo", terms=TERMS)
    for guest in guests:
        room.nursery.start_soon(play, guest)
    end = await settle(room, table)
    await stranger.hear_out()
    assert (told(stranger), stranger.now_ms() - began_ms) == ([f"error {code}"], after_ms)
    assert isinstance(end, MatchEnded)
    assert end.violations == (0, 0)
    assert {fact.spent_ms for fact in room.recorded_as(TurnPlayed)} == {0}

"""Frames that are not messages: the connection is closed, the open game is lost, the opponent's others stand."""

from __future__ import annotations

import hashlib
from typing import Any

from arena.torture.case import Case, Plight
from arena.torture.own_arena import SHORT_CLOCK
from arena.torture.player import Fault
from arena.torture.raw_connection import RawConnection, framed
from arena.torture.stages import at_the_table
from protocol.connection import BOT_FRAME_BYTES
from protocol.messages import Turn

DEEPER = 10_000


def writes(data: bytes) -> Fault:
    """Write these bytes instead of an answer."""

    async def fault(connection: RawConnection, _turn: Turn) -> None:
        await connection.write(data)

    return fault


def answers(**fields: Any) -> Fault:
    """Answer the turn with these fields, right or wrong, besides `type`, `game` and `turn`."""

    async def fault(connection: RawConnection, turn: Turn) -> None:
        await connection.write_map({"type": "play", "game": turn.game, "turn": turn.turn} | fields)

    return fault


def junk(size: int) -> bytes:
    """Pseudo-random bytes, the same every time."""
    blocks = (hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(size // 32 + 1))
    return b"".join(blocks)[:size]


DUPLICATE = b"\x84\xa4type\xa4play\xa4game\x01\xa4game\x01\xa4turn\x01"
INTEGER_KEY = b"\x82\xa4type\xa4play\x01\x02"
EXTENSION = b"\x82\xa4type\xa4ping\xa4data\xd6\xff\x00\x00\x00\x00"
LONG_ARRAY = b"\x82\xa4type\xa4ping\xa4more\xdd\xff\xff\xff\xff"
HALF = b"\x00\x00\x00\x20\x84\xa4type\xa4play"
NESTED = b"\x82\xa4type\xa4ping\xa4more" + b"\x91" * DEEPER + b"\xc0"


HALF_AN_ANSWER = Plight(fault=writes(HALF), waits_for_flag=True)


def _case(name: str, what: str, code: str, fault: Fault) -> Case:
    expected = f"error {code}; forfeit: disconnect, it broke the protocol ({code})"
    plight = Plight(fault=fault)
    return Case(name=name, what=what, expected=expected, play=at_the_table(plight), deed=plight)


CASES = (
    _case("frame-huge-length", "announces a frame of 2^32 - 1 bytes", "frame_too_large", writes(b"\xff\xff\xff\xff")),
    _case(
        "frame-too-long",
        "sends a frame one byte longer than allowed",
        "frame_too_large",
        writes(framed(bytes(BOT_FRAME_BYTES + 1))[:5]),
    ),
    _case("frame-empty", "sends a frame of no bytes", "bad_msgpack", writes(bytes(4))),
    _case("frame-junk", "sends a frame of 1,000 random bytes", "bad_msgpack", writes(framed(b"\xc1" + junk(999)))),
    _case("frame-junk-stream", "sends 100,000 random bytes without frames", "frame_too_large", writes(junk(100_000))),
    _case("frame-deep-nesting", f"nests {DEEPER:,} arrays", "too_deep", writes(framed(NESTED))),
    _case("frame-long-array", "announces an array of 2^32 - 1 values", "bad_msgpack", writes(framed(LONG_ARRAY))),
    _case("frame-duplicate-keys", "gives a key twice", "duplicate_key", writes(framed(DUPLICATE))),
    _case("frame-integer-key", "gives a key that is not a string", "bad_key", writes(framed(INTEGER_KEY))),
    _case("frame-no-map", "sends a list", "not_a_map", writes(framed(b"\x93\x01\x02\x03"))),
    _case("frame-extension", "sends a msgpack extension", "bad_value", writes(framed(EXTENSION))),
    _case("frame-huge-integer", "gives an integer of 2^64 - 1", "bad_value", answers(choice=0, info=2**64 - 1)),
    _case("frame-nan", "gives a NaN", "bad_value", answers(choice=0, info=float("nan"))),
    _case("frame-wrong-type", "gives a string where moves belong", "bad_field", answers(moves="1/7")),
    _case("frame-negative", "gives a negative index", "bad_field", answers(choice=-1)),
    _case("frame-two-answers", "gives moves and an index", "bad_field", answers(choice=0, moves=[])),
    _case("frame-unknown-type", "sends a message nobody knows", "unknown_type", answers(type="resign")),
    _case("frame-wrong-direction", "speaks as the arena does", "wrong_direction", answers(type="game_end")),
    Case(
        name="frame-half",
        what="sends half an answer and waits; its next answer falls into that frame",
        expected="error bad_msgpack; forfeit: time",
        play=at_the_table(HALF_AN_ANSWER, clock=SHORT_CLOCK),
        deed=HALF_AN_ANSWER,
    ),
)

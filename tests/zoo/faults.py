"""What bots do wrong over the wire: a table of faults, each with what the bot is told and how its game ends."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any, get_args

import msgpack
import trio
import trio.lowlevel

from arena.server.io.link import WRITE_SECONDS
from arena.server.play.session import UNASKED, UNASKED_A_SECOND
from protocol.codec import encode
from protocol.messages import (
    Bye,
    Error,
    MatchEnd,
    MatchReady,
    MatchStart,
    Ping,
    Play,
    Pong,
    Rejected,
    Turn,
)
from tests.fixtures.playing_room import ILLEGAL, Guest, HungUpError, Pipes

Fault = Callable[[Guest, Turn], Awaitable[None]]
"""Acts in place of answering a turn. It only writes: what comes back is read by `play`."""

REJECTIONS = 3
DELAY_MS, BANK_MS = 100, 600_000
AT_TURN = 3
"""The turn of the bot, counted from 1, at which it has its fault."""
GONE = (trio.BrokenResourceError, trio.ClosedResourceError, HungUpError)
PING = encode(Ping(data=2**40))
STALE = encode(Play(game=2**31, turn=1, choice=0))
"""A message whose error in reply is six times as long, so that unread replies gather quickly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A fault, and what follows."""

    fault: Fault
    expected: str
    """What the bot is told, and how its game ends."""
    takes_ms: int = 0
    """Milliseconds from the fault to the turn that is played after all, or to the verdict."""
    turns: int = AT_TURN - 1
    """Turns of the bot on record if it forfeits the game."""
    pipes: tuple[str, ...] = ()
    """The transports on which it is played; none for any one."""
    reads_little: bool = False
    """Whether next to nothing fits between the bot and the arena."""


def framed(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "big") + payload


def writes(data: bytes) -> Fault:

    async def fault(guest: Guest, _turn: Turn) -> None:
        await guest.say_bytes(data)

    return fault


def answers(**fields: Any) -> Fault:
    """Answer with these fields, right or wrong, besides `type`, `game` and `turn`."""

    async def fault(guest: Guest, turn: Turn) -> None:
        answer = {"type": "play", "game": turn.game, "turn": turn.turn} | fields
        await guest.say_bytes(framed(msgpack.packb(answer)))

    return fault


def then_plays(fault: Fault) -> Fault:

    async def both(guest: Guest, turn: Turn) -> None:
        await fault(guest, turn)
        await guest.say(legal(turn))

    return both


def legal(turn: Turn) -> Play:
    """An answer that is always legal; for bots that want the legal turns."""
    return Play(game=turn.game, turn=turn.turn, choice=0)


async def is_silent(_guest: Guest, _turn: Turn) -> None:
    """Never answer."""


async def hangs_up(guest: Guest, _turn: Turn) -> None:
    await guest.hang_up()


async def hangs_up_in_mid_frame(guest: Guest, _turn: Turn) -> None:
    await guest.say_bytes(b"\x00\x00\x00\x50\x81")
    await guest.hang_up()


async def plays_then_garbage(guest: Guest, turn: Turn) -> None:
    await guest.say_bytes(encode(legal(turn)) + b"\xff\xff\xff\xff")


async def answers_before(guest: Guest, turn: Turn) -> None:
    await guest.say(Play(game=turn.game, turn=turn.turn - 1, choice=0), legal(turn))


async def answers_twice(guest: Guest, turn: Turn) -> None:
    await guest.say(legal(turn), legal(turn))


async def answers_for_others(guest: Guest, turn: Turn) -> None:
    await guest.say(
        *(Play(game=turn.game + more, turn=turn.turn, choice=0) for more in (101, 102)), legal(turn)
    )


async def illegal_always(guest: Guest, turn: Turn) -> None:
    await guest.say(*[Play(game=turn.game, turn=turn.turn, moves=ILLEGAL)] * (REJECTIONS + 1))


async def byte_by_byte(guest: Guest, turn: Turn) -> None:
    for byte in encode(legal(turn)):
        await guest.say_bytes(bytes([byte]))
        await trio.lowlevel.checkpoint()


async def pings_for_a_minute(guest: Guest, _turn: Turn) -> None:
    """As often as is always allowed: more in all than may come at once."""
    for _ in range(60):
        await guest.say_bytes(PING * UNASKED_A_SECOND)
        await trio.sleep(1)


async def never_reads(guest: Guest, _turn: Turn) -> None:
    """Have the arena say more than fits, and read nothing until it gives up."""
    await guest.say_bytes(STALE * 500)
    await trio.sleep(WRITE_SECONDS + 0.1)


def _says(**message: Any) -> bytes:
    return framed(msgpack.packb(message))


def _broken(code: str, data: bytes) -> Case:
    return Case(fault=writes(data), expected=_lost(code))


def _lost(code: str) -> str:
    return f"error {code}; forfeit: disconnect, it broke the protocol ({code})"


def _answer(code: str, **fields: Any) -> Case:
    return Case(fault=answers(**fields), expected=_lost(code))


def _rejected(**fields: Any) -> Case:
    return Case(fault=then_plays(answers(**fields)), expected="rejected; played on")


def _remark(info: object) -> Case:
    return Case(fault=answers(choice=0, info=info), expected="error remark_left_out; played on")


JUNK = b"".join(hashlib.sha256(bytes([number])).digest() for number in range(256))
FLOODED = "error flooding; forfeit: disconnect, it flooded the arena with messages"
EVERYWHERE = get_args(Pipes)

CASES: dict[str, Case] = {
    # no frames of the protocol
    "announces a frame of 4 GiB": _broken("frame_too_large", b"\xff\xff\xff\xff"),
    "writes random bytes without frames": _broken("frame_too_large", JUNK),
    "sends half a map": _broken("bad_msgpack", framed(b"\x85\xa4")),
    "nests 60,000 arrays": _broken("too_deep", framed(b"\x91" * 60_000)),
    "gives a key twice": _broken(
        "duplicate_key", framed(b"\x83\xa4type\xa4ping\xa4data\x01\xa4data\x01")
    ),
    "sends a list": _broken("not_a_map", framed(b"\x93\x01\x02\x03")),
    "sends no type": _broken("unknown_type", _says(game=1)),
    "leaves out the turn": _broken("bad_field", _says(type="play", game=1, choice=0)),
    "sends a message nobody knows": _answer("unknown_type", type="resign"),
    "speaks as the arena does": _answer("wrong_direction", type="game_end"),
    "chooses by an integer of 2^64 - 1": _answer("bad_value", choice=2**64 - 1),
    "chooses by a fraction": _answer("bad_value", choice=0.5),
    "plays in floats": Case(fault=answers(choice=0.0), expected="played on"),
    "gives a string where moves belong": _answer("bad_field", moves="1/7"),
    "gives moves and an index": _answer("bad_field", choice=0, moves=[]),
    "plays, and adds garbage": Case(
        fault=plays_then_garbage, expected=_lost("frame_too_large"), turns=AT_TURN
    ),
    "hangs up in mid-frame": Case(
        fault=hangs_up_in_mid_frame,
        expected="forfeit: disconnect, it hung up in the middle of a frame",
        pipes=EVERYWHERE,
    ),
    "sends half an answer": Case(
        fault=writes(b"\0\0\0\x20\x84\xa4type\xa4play"),
        # the answer in the next game falls into that frame
        expected="error bad_msgpack; forfeit: time",
        takes_ms=DELAY_MS + BANK_MS + 1,
    ),
    # wrong answers
    "answers the turn before as well": Case(
        fault=answers_before, expected="error stale_turn; played on"
    ),
    "answers twice": Case(fault=answers_twice, expected="error stale_turn; played on"),
    "answers for games of others": Case(
        fault=answers_for_others, expected="error unknown_game x2; played on"
    ),
    "is ready for a match of others": Case(
        fault=then_plays(writes(encode(MatchReady(match="r9-anna-v-bo")))),
        expected="error unknown_match; played on",
    ),
    "plays one illegal turn": _rejected(moves=ILLEGAL),
    "chooses a turn beyond the list": _rejected(choice=100_000),
    "moves from nowhere to nowhere": _rejected(moves=[["here", "there"]]),
    "moves from a word of 60,000 characters": _rejected(moves=[["\x00" * 60_000, "there"]]),
    "plays one illegal turn too many": Case(
        fault=illegal_always, expected=f"rejected x{REJECTIONS + 1}; forfeit: illegal_turns"
    ),
    "adds a remark of 60,000 characters": _remark("x" * 60_000),
    "adds a remark with a fraction": _remark({"win": 0.53}),
    "adds a remark with an integer of 2^64 - 1": _remark(2**64 - 1),
    "adds a remark of 2,000 numbers": _remark([0] * 2000),
    "adds a remark with a date": _remark(msgpack.Timestamp(1)),
    "adds 200 fields nobody knows": Case(
        fault=answers(choice=0, **{f"field {number}": number for number in range(200)}),
        expected="played on",
    ),
    "complains": Case(
        fault=then_plays(writes(encode(Error(code="odd", message="?", fatal=False)))),
        expected="played on",
    ),
    # too slow, too fast, or gone
    "never answers": Case(
        fault=is_silent, expected="forfeit: time", takes_ms=DELAY_MS + BANK_MS + 1
    ),
    "hangs up": Case(fault=hangs_up, expected="forfeit: disconnect, it hung up"),
    "says goodbye": Case(
        fault=writes(encode(Bye())), expected="forfeit: disconnect, it said goodbye"
    ),
    "complains and is gone": Case(
        fault=writes(encode(Error(code="odd", message="?", fatal=True))),
        expected="forfeit: disconnect, it said goodbye",
    ),
    "writes its answer byte by byte": Case(
        fault=byte_by_byte, expected="played on", pipes=EVERYWHERE
    ),
    "sends 900 pings at once": Case(
        fault=then_plays(writes(PING * 900)), expected="pong x900; played on"
    ),
    "sends 20 pings a second for a minute": Case(
        fault=then_plays(pings_for_a_minute), expected="pong x1200; played on", takes_ms=60_000
    ),
    "floods with pings": Case(
        fault=writes(PING * (UNASKED + 50)),
        expected=f"pong x{UNASKED}; {FLOODED}",
        pipes=EVERYWHERE,
    ),
    "floods with answers to no turn": Case(
        fault=writes(STALE * (UNASKED + 50)),
        expected=f"error unknown_game x{UNASKED + 1}; {FLOODED}",
        pipes=EVERYWHERE,
    ),
    "never reads": Case(
        fault=never_reads,
        expected="error unknown_game x500; error slow_reader; forfeit: disconnect, "
        "it does not read: it read nothing for 5 seconds",
        takes_ms=round(1000 * WRITE_SECONDS),
        pipes=EVERYWHERE,
        reads_little=True,
    ),
}
"""Every fault of a bot at the table, by what the bot does."""
SUDDEN = tuple(case.fault for case in CASES.values() if case.takes_ms == 0)
"""The faults that are over in a moment."""


async def play(guest: Guest, fault: Fault | None = None, *, matches: int = 1) -> None:
    """Play the first legal turn of every roll to the end of so many matches, but for one fault at one turn."""
    turns = 0
    try:
        while matches:
            message = await guest.hear_next()
            if isinstance(message, MatchEnd):
                matches -= 1
            elif isinstance(message, MatchStart):
                await guest.say(MatchReady(match=message.match))
            elif isinstance(message, Turn):
                turns += 1
                if fault is not None and turns == AT_TURN:
                    await fault(guest, message)
                else:
                    await guest.say(legal(message))
    except GONE:
        pass


def told(guest: Guest) -> list[str]:
    """The complaints and pongs that a bot was told, repetitions counted."""
    words = [
        "rejected"
        if isinstance(message, Rejected)
        else "pong"
        if isinstance(message, Pong)
        else f"error {message.code}"
        for message in guest.all_heard
        if isinstance(message, Error | Rejected | Pong)
    ]
    counted = [(word, len(list(group))) for word, group in groupby(words)]
    return [word if number == 1 else f"{word} x{number}" for word, number in counted]

"""Bytes that are not a message: the bot loses its connection, and nobody else notices."""

from __future__ import annotations

import msgpack
import pytest
import trio
import trio.lowlevel

from arena.matches.facts import BotLeft, GameEnded, TurnPlayed
from protocol.greetings import Hello
from protocol.messages import Error, GameEnd, Ping, Play, Pong
from tests.server.room import HungUpError, Room, first_legal, mover_of, over_every_transport


def frame(value: object) -> bytes:
    body = msgpack.packb(value)
    return len(body).to_bytes(4, "big") + body


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


BAD = {
    "a length of 4 GiB": (b"\xff\xff\xff\xff", "frame_too_large"),
    "a length above the limit": (b"\x00\x01\x00\x01", "frame_too_large"),
    "an HTTP request": (b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n", "frame_too_large"),
    "an empty frame": (bytes(4), "bad_msgpack"),
    "no msgpack": (b"\x00\x00\x00\x02\xc1\xc1", "bad_msgpack"),
    "half a map": (b"\x00\x00\x00\x02\x85\xa4", "bad_msgpack"),
    "more than a map": (b"\x00\x00\x00\x02\x80\x80", "bad_msgpack"),
    "a list": (frame([1, 2]), "not_a_map"),
    "nothing": (frame(None), "not_a_map"),
    "an unknown type": (frame({"type": "resign"}), "unknown_type"),
    "no type": (frame({"game": 1}), "unknown_type"),
    "a message of the arena": (frame({"type": "welcome"}), "wrong_direction"),
    "a field missing": (frame({"type": "play", "game": 1}), "bad_field"),
    "moves and choice": (frame({"type": "play", "game": 1, "turn": 1, "moves": [], "choice": 0}), "bad_field"),
    "a float": (frame({"type": "ping", "data": 0.5}), "bad_value"),
    "a huge number": (frame({"type": "ping", "data": 2**60}), "bad_value"),
    "deep nesting": (frame({"type": "ping", "more": nested(20)}), "too_deep"),
    "deepest nesting": (b"\x00\x00\xff\x00" + b"\x91" * 0xFF00, "too_deep"),
    "a list of 4 billion": (b"\x00\x00\x00\x0b\x81\xa4more\xdd\xff\xff\xff\xff", "bad_msgpack"),
    "a key that is not a string": (frame({1: 2}), "bad_key"),
}
AFTER_LOGIN = pytest.mark.parametrize(("data", "code"), BAD.values(), ids=BAD)
BEFORE_LOGIN = pytest.mark.parametrize(
    ("data", "code"),
    [(data, "frame_too_large" if name == "deepest nesting" else code) for name, (data, code) in BAD.items()],
    ids=BAD,
)


@BEFORE_LOGIN
async def test_before_the_login_it_closes_the_connection(room: Room, data: bytes, code: str) -> None:
    """The error says what was wrong; the arena hangs up; the next connection is served as if nothing had been."""
    guest = room.connect()
    await guest.hear(Hello)
    await guest.say_bytes(data)
    error = await guest.hear(Error)
    assert (error.code, error.fatal) == (code, True)
    await guest.is_cut_off()
    await room.guest("anna")


@AFTER_LOGIN
async def test_in_mid_game_it_is_a_lost_connection_and_no_more(room: Room, data: bytes, code: str) -> None:
    """The record keeps the code; the bot may come back within its grace and play on; the opponent hears nothing."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    await mover.say_bytes(data)
    error = await mover.wait_for(Error)
    assert (error.code, error.fatal) == (code, True)
    await mover.is_cut_off()
    name = "anna" if mover is anna else "bo"
    [left] = room.recorded_as(BotLeft)
    assert left.reason == f"it broke the protocol ({code})"
    back = await room.guest(name)
    await back.take_seat()
    again = await back.first_turn()
    assert (again.turn, again.dice) == (turn.turn, turn.dice)
    await back.answer(again)
    await waiting.first_turn()
    assert room.recorded_as(GameEnded) == []


@over_every_transport
async def test_what_came_before_the_bad_frame_counts(room: Room) -> None:
    """A legal turn and garbage in one write: the turn is played, then the connection is lost."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    good = mover.wire.send(Play(game=turn.game, turn=turn.turn, moves=first_legal(turn)))
    await mover.say_bytes(good + b"\xff\xff\xff\xff")
    await waiting.first_turn()
    assert (await mover.wait_for(Error)).code == "frame_too_large"
    await mover.is_cut_off()
    assert [type(fact) for fact in room.recorded()[-2:]] == [TurnPlayed, BotLeft]


@over_every_transport
async def test_a_frame_may_come_in_pieces(room: Room) -> None:
    """A turn written byte by byte is the same turn."""
    anna, bo, _ = await room.meet()
    mover, waiting, turn = await mover_of(anna, bo)
    for byte in mover.wire.send(Play(game=turn.game, turn=turn.turn, moves=first_legal(turn))):
        await mover.say_bytes(bytes([byte]))
        await trio.lowlevel.checkpoint()
    await waiting.first_turn()


@over_every_transport
async def test_half_a_frame_and_hanging_up_is_told_as_such(room: Room) -> None:
    """The record says that it hung up in the middle of a frame."""
    anna, bo, _ = await room.meet()
    mover, _, _ = await mover_of(anna, bo)
    await mover.say_bytes(b"\x00\x00\x00\x50\x81")
    await mover.hang_up()
    await trio.sleep(0.01)
    [left] = room.recorded_as(BotLeft)
    assert left.reason == "it hung up in the middle of a frame"


async def test_the_opponent_of_a_bot_that_breaks_off_wins_when_it_does_not_come_back(room: Room) -> None:
    """After the clock or the grace the game is forfeited; the opponent is told so on its own connection."""
    anna, bo, _ = await room.meet()
    mover, waiting, _ = await mover_of(anna, bo)
    await mover.say_bytes(b"\xff\xff\xff\xff")
    end = await waiting.wait_for(GameEnd)
    assert (end.result, end.ending, end.points) == ("won", "forfeit", 6)


async def test_an_error_of_a_bot_is_heard_and_changes_nothing(room: Room) -> None:
    """A non-fatal one is ignored; a fatal one closes the connection."""
    guest = await room.guest("anna")
    await guest.say(Error(code="odd", message="?", fatal=False), Ping(data=1))
    await guest.hear(Pong)
    await guest.say(Error(code="odd", message="?", fatal=True))
    with pytest.raises(HungUpError):
        await guest.hear_next()
    assert room.players["anna"].account.connection is None

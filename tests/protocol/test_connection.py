"""The laws at the top of `protocol/connection.py`, each with its test."""

import itertools
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import encode
from protocol.connection import (
    ARENA_FRAME_BYTES,
    BOT_FRAME_BYTES,
    LOGIN_FRAME_BYTES,
    ArenaConnection,
    BotConnection,
    State,
)
from protocol.errors import ErrorCode, LocalProtocolError
from protocol.greetings import Hello, Login
from protocol.messages import Bye, Error, Message, Ping, Play, Pong
from tests.fixtures.connection_ends import open_pair, pair_awaiting_login, pair_awaiting_welcome
from tests.fixtures.message_samples import LOGIN, SESSION, TURN, WELCOME, all_samples
from tests.protocol import strategies

FATAL = Error(code="internal", message="x", fatal=True)
BAD = b"\x00\x00\x00\x01\xc0"


def pieces_of(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(cuts), len(data)]
    return [data[start:end] for start, end in itertools.pairwise(edges)]


def test_the_sample_session_runs_through_both_ends() -> None:
    arena, bot = ArenaConnection(), BotConnection()
    for sender, message in SESSION:
        told = (
            bot.receive(arena.send(message))
            if sender == "arena"
            else arena.receive(bot.send(message))
        )
        assert told == [message]
    assert {arena.state, bot.state} == {
        State.CLOSED,
        State.LEFT,
    }  # one has said `bye`, the other has heard it
    assert (arena.fault, bot.fault) == (None, None)


@given(st.lists(strategies.open_from_bot, max_size=6), st.booleans(), st.data())
def test_laws_2_and_3_any_cuts_give_the_messages_before_a_mistake(
    said: list[Any], ends_badly: bool, data: st.DataObject
) -> None:
    stream = b"".join(map(encode, said)) + (BAD + encode(Ping())) * ends_badly
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=8))
    arena, _ = open_pair()
    heard = [message for piece in pieces_of(stream, cuts) for message in arena.receive(piece)]
    assert heard == said
    assert (arena.fault.code if arena.fault else None) == (
        ErrorCode.NOT_A_MAP if ends_badly else None
    )
    assert arena.is_closed == ends_badly


def test_law_3_after_a_fault_one_last_error_may_be_sent() -> None:
    arena, bot = open_pair()
    arena.receive(BAD)
    assert arena.state is State.FAULTED
    with pytest.raises(LocalProtocolError, match="allowed is `bye`, `error`"):
        arena.send(TURN)
    (told,) = bot.receive(arena.send(arena.fault.to_message()))
    assert isinstance(told, Error)
    assert (told.code, told.fatal) == ("not_a_map", True)
    assert (arena.state, bot.state) == (State.CLOSED, State.CLOSED)
    with pytest.raises(LocalProtocolError):
        arena.send(Bye())


CAPS = [
    pytest.param(lambda: pair_awaiting_login()[0], LOGIN_FRAME_BYTES, id="login awaited"),
    pytest.param(lambda: pair_awaiting_welcome()[0], LOGIN_FRAME_BYTES, id="bot not yet welcome"),
    pytest.param(lambda: open_pair()[0], BOT_FRAME_BYTES, id="open, to the arena"),
    pytest.param(BotConnection, ARENA_FRAME_BYTES, id="hello awaited"),
    pytest.param(lambda: open_pair()[1], ARENA_FRAME_BYTES, id="open, to the bot"),
]


@pytest.mark.parametrize("make, cap", CAPS)
def test_law_4_a_long_frame_is_refused_at_its_length(make: Any, cap: int) -> None:
    for size, code in [
        (cap, None),
        (cap + 1, ErrorCode.FRAME_TOO_LARGE),
        (2**32 - 1, ErrorCode.FRAME_TOO_LARGE),
    ]:
        end = make()
        header = size.to_bytes(4, "big")
        assert end.receive(header[:3]) == []
        assert end.fault is None
        assert end.receive(header[3:]) == []
        assert (end.fault and end.fault.code) == code


def test_law_4_a_client_that_speaks_tls_is_told_so() -> None:
    """Where it should log in; anywhere later the same bytes are a length."""
    hello = bytes.fromhex("16030102")
    arena, _ = pair_awaiting_login()
    arena.receive(hello)
    assert "it speaks TLS, this address does not" in arena.fault.message
    arena, _ = open_pair()
    arena.receive(hello)
    assert "a frame of 369295618 bytes is announced" in arena.fault.message


def test_law_4_a_frame_of_exactly_the_cap_is_read() -> None:
    arena, bot = open_pair()
    room = (
        BOT_FRAME_BYTES
        - (len(encode(Play(game=1, turn=1, choice=0, info="x" * 60_000))) - 4)
        + 60_000
    )
    play = Play(game=1, turn=1, choice=0, info="x" * room)
    frame = bot.send(play)
    assert len(frame) == BOT_FRAME_BYTES + 4
    assert arena.receive(frame) == [play]
    assert arena.receive(frame[:9]) + arena.receive(frame[9:]) == [play]


def test_law_5_our_own_mistake_is_an_exception_and_changes_nothing() -> None:
    arena, bot = open_pair()
    with pytest.raises(LocalProtocolError, match=f"at most {BOT_FRAME_BYTES}"):
        bot.send(Play(game=1, turn=1, choice=0, info="x" * BOT_FRAME_BYTES))
    with pytest.raises(LocalProtocolError, match=f"at most {ARENA_FRAME_BYTES}"):
        arena.send(msgspec.structs.replace(TURN, position={"board": "x" * ARENA_FRAME_BYTES}))
    assert arena.receive(bot.send(Ping())) == [Ping()]
    assert bot.receive(arena.send(Pong())) == [Pong()]


def test_law_5_a_login_has_to_fit_into_its_frame() -> None:
    _, bot = pair_awaiting_login()
    with pytest.raises(LocalProtocolError, match=f"at most {LOGIN_FRAME_BYTES}"):
        bot.send(Login(protocol=1, name="a", token="t", fingerprint="x" * 5000))
    assert bot.state is State.LOGIN


def allowed(state: State) -> set[type]:
    """What the documentation says may be said in a state, by either side."""
    always = {Error, Bye}
    everything = {type(message) for _, _, message in all_samples()}
    return {
        State.HELLO: always | {Hello},
        State.LOGIN: always | {Login},
        State.WELCOME: always | {type(WELCOME)},
        State.OPEN: everything - {Hello, Login, type(WELCOME)},
        State.LEFT: everything - {Hello, Login},
        State.FAULTED: always,
        State.CLOSED: set(),
    }[state]


def end_in(state: State, side: str) -> ArenaConnection | BotConnection:
    if state is State.HELLO:
        arena, bot = ArenaConnection(), BotConnection()
    elif state is State.LOGIN:
        arena, bot = pair_awaiting_login()
    elif state is State.WELCOME:
        arena, bot = pair_awaiting_welcome()
    else:
        arena, bot = open_pair()
    end = arena if side == "arena" else bot
    if state is State.FAULTED:
        end.receive(BAD)
    if state is State.LEFT:
        end.receive(encode(Bye()))
    if state is State.CLOSED:
        end.close()
    assert end.state is state
    return end


@pytest.mark.parametrize("name, sender, message", all_samples())
@pytest.mark.parametrize("state", list(State))
def test_law_6_what_may_be_said_when(
    state: State, name: str, sender: str, message: Message
) -> None:
    if name == "hello of a later version":
        return
    speaker = end_in(state, sender)
    if type(message) in allowed(state):
        assert speaker.send(message) == encode(message)  # type: ignore[arg-type]
    else:
        with pytest.raises(LocalProtocolError, match="may not be sent in state"):
            speaker.send(message)  # type: ignore[arg-type]
    hearer = end_in(state, "bot" if sender == "arena" else "arena")
    was_closed = hearer.is_closed
    heard = hearer.receive(encode(message))
    if was_closed:
        assert heard == []
    elif type(message) in allowed(state):
        assert heard == [message]
        assert hearer.fault is None
    else:
        assert heard == []
        assert hearer.fault.code is ErrorCode.UNEXPECTED_MESSAGE


@pytest.mark.parametrize("last", [Bye(), FATAL])
@pytest.mark.parametrize("state", [State.HELLO, State.LOGIN, State.WELCOME, State.OPEN])
def test_law_7_bye_and_a_fatal_error_end_it_in_every_state(state: State, last: Any) -> None:
    for speaking, hearing in [("arena", "bot"), ("bot", "arena")]:
        speaker, hearer = end_in(state, speaking), end_in(state, hearing)
        assert hearer.receive(speaker.send(last) + encode(Ping())) == [last]
        assert speaker.state is State.CLOSED
        assert hearer.state is (State.LEFT if isinstance(last, Bye) else State.CLOSED)
        assert hearer.fault is None
        assert hearer.receive(encode(Ping())) == []


def test_law_7_what_came_before_bye_may_be_answered() -> None:
    arena, bot = open_pair()
    heard = arena.receive(bot.send(Ping(data=1)) + bot.send(Bye()))
    assert heard == [Ping(data=1), Bye()]
    assert (arena.is_closed, arena.is_mute) == (True, False)
    assert arena.send(Pong(data=1)) == encode(Pong(data=1))
    arena.send(Bye())
    assert (arena.is_closed, arena.is_mute) == (True, True)


UNKNOWN = b"\x00\x00\x00\x10\x82\xa4type\xa4news\xa1a\x92\x01\xc3"


def test_law_8_an_open_bot_skips_messages_of_types_it_does_not_know() -> None:
    arena, bot = open_pair()
    assert bot.receive(UNKNOWN + arena.send(TURN) + UNKNOWN) == [TURN]
    assert (bot.fault, bot.unread_bytes) == (None, 0)
    _, unwelcome = pair_awaiting_welcome()
    for hearer in (BotConnection(), unwelcome, arena):
        assert hearer.receive(UNKNOWN) == []
        assert hearer.fault.code == ErrorCode.UNKNOWN_TYPE


@pytest.mark.parametrize("frame", [b"\x00\x00\x00\x01\x80", b"\x00\x00\x00\x07\x81\xa4type\x01"])
def test_law_8_a_map_without_a_type_is_no_message_of_any_arena(frame: bytes) -> None:
    _, bot = open_pair()
    assert bot.receive(frame) == []
    assert bot.fault is not None


def test_half_a_frame_shows_as_unread() -> None:
    """Who sees the end of the stream can tell whether it was cut."""
    arena, _ = open_pair()
    arena.receive(encode(Ping()) + b"\x00\x00\x00")
    assert arena.unread_bytes == 3
    arena.close()
    assert arena.unread_bytes == 0


@pytest.mark.parametrize("protocol", [0, 2])
def test_another_version_is_refused_by_both_ends(protocol: int) -> None:
    arena, _ = pair_awaiting_login()
    assert arena.receive(encode(Login(protocol=protocol, name="a", token="t"))) == []
    bot = BotConnection()
    assert bot.receive(encode(Hello(protocol=protocol, server="x", nonce=b""))) == []
    for fault in (arena.fault, bot.fault):
        assert fault.code is ErrorCode.UNSUPPORTED_PROTOCOL
        assert "speaks version 1" in fault.message


@pytest.mark.parametrize("kind", [bytearray, memoryview])
def test_any_buffer_may_be_received(kind: Any) -> None:
    arena, _ = open_pair()
    play = Play(game=1, turn=1, moves=[[1, 2]])
    assert arena.receive(kind(encode(play))) == [play]
    assert arena.receive(kind(encode(play) * 2)) == [play, play]
    arena.receive(kind(BAD))
    assert arena.fault is not None


def test_an_unreadable_frame_is_named_by_length_and_first_bytes() -> None:
    arena, _ = open_pair()
    arena.receive((20).to_bytes(4, "big") + b"\xc1" * 20)
    assert "a payload of 20 bytes that begins with c1 c1 c1 c1 c1 c1 c1 c1)" in arena.fault.message


def test_a_message_at_the_wrong_time_is_told_what_was_expected() -> None:
    arena, _ = open_pair()
    arena.receive(encode(LOGIN))
    assert arena.fault.message.startswith(
        "`login` came in state open; expected `bye`, `call`, `confirm`, `error`"
    )

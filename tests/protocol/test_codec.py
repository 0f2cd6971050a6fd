"""The codec: every message survives the way out and back, and values that are not plain are refused."""

from collections.abc import Callable
from typing import Any

import msgpack
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgpack import fallback

from protocol import codec
from protocol.client.bot import to_called
from protocol.codec import TO_ARENA, TO_BOT, Direction, decode, encode
from protocol.errors import ErrorCode, LocalProtocolError, ProtocolError, UnreadableFrameError
from protocol.greetings import Login
from protocol.messages import MatchStart, Message, Ping, Play, Turn
from protocol.values import MAX_DEPTH, LeftOut
from tests.fixtures.message_samples import CALL, MATCH_START, OTHERS, SESSION, TURN
from tests.protocol import strategies

PLAY = {"type": "play", "game": 1, "turn": 2, "moves": [[1, 7]]}


def fault_of(payload: bytes, direction: Direction = TO_ARENA) -> ProtocolError:
    with pytest.raises(ProtocolError) as caught:
        decode(payload, direction)
    return caught.value


@given(strategies.from_bot)
def test_what_a_bot_says_arrives_unchanged(message: Message) -> None:
    assert decode(encode(message)[4:], TO_ARENA) == message


@given(strategies.from_arena)
def test_what_the_arena_says_arrives_unchanged(message: Message) -> None:
    assert decode(encode(message)[4:], TO_BOT) == message


@given(strategies.turns | strategies.plays)
def test_the_quick_way_to_encode_gives_the_same_bytes(message: Message) -> None:
    assert encode(message)[4:] == msgpack.packb(
        msgspec.to_builtins(message, builtin_types=(bytes,))
    )


# Keys and values of a play, right ones and wrong ones, each packed by itself: what a dict cannot
# hold can be sent too
_PACKED_KEYS = [
    msgpack.packb(key)
    for key in ("game", "turn", "moves", "choice", "info", "type", "x", 1, b"turn")
]
_PACKED_VALUES = [
    *map(
        msgpack.packb,
        [
            0,
            3,
            -1,
            2**53,
            2**53 + 1,
            2**64 - 1,
            1.0,
            True,
            None,
            "play",
            "3",
            b"3",
            [],
            {},
            [1],
            [[]],
        ],
    ),
    *map(
        msgpack.packb,
        [[[1, 7]], [["d1", "d3"]], [[1, 7, 8]], [[1, 7.0]], [[1, True]], [[1, None]], [[2**60, 7]]],
    ),
    *map(
        msgpack.packb,
        [[{"a": 1}], [[1, [7]]], [["a", b"b"]], [[1, 7]] * 300, [[]] * 1025, {"a": [[1, 7]]}],
    ),
    *(
        msgpack.packb(value)
        for value in (
            msgpack.ExtType(5, b"a"),
            [[msgpack.ExtType(1, b"a"), 7]],
            msgpack.Timestamp(1),
        )
    ),
    b"\xdc\x00\x01\x92\x01\x07",  # [[1, 7]] with a longer header than it needs
    b"\xcd\x00\x03",  # likewise 3
    b"\x91\x92\x01\xa1\xff",  # a string that is not UTF-8
    b"\xdd\xff\xff\xff\xff",  # an array longer than the frame
    b"\xc1",  # no msgpack
    b"",
]
_good_pairs = st.permutations([b"\xa4game\x01", b"\xa4turn\x02", b"\xa5moves\x91\x92\x01\x07"]).map(
    list
)
_pairs = st.builds(bytes.__add__, st.sampled_from(_PACKED_KEYS), st.sampled_from(_PACKED_VALUES))


@given(
    _good_pairs,
    st.lists(st.tuples(st.integers(0, 3), _pairs), max_size=2),
    st.booleans(),
    st.binary(max_size=2),
)
def test_the_quick_way_to_decode_a_play_finds_the_same(
    pairs: list[bytes], more: list[tuple[int, bytes]], replaces: bool, after: bytes
) -> None:
    for place, pair in more:
        pairs[place : place + replaces] = [pair]
    payload = bytes([0x81 + len(pairs)]) + b"\xa4type\xa4play" + b"".join(pairs) + after

    def what_comes(read: Callable[[bytes, Direction], Message]) -> tuple[object, ...]:
        try:
            return (read(payload, TO_ARENA),)
        except ProtocolError as fault:
            return type(fault), fault.code, str(fault)

    assert what_comes(decode) == what_comes(codec._decode_fully)


@given(st.dictionaries(st.text(max_size=5).map("x_{}".format), strategies.plain(), max_size=3))
def test_unknown_fields_are_skipped(extra: dict[str, Any]) -> None:
    """A newer bot may send fields this arena does not know."""
    assert decode(msgpack.packb({**PLAY, **extra}), TO_ARENA) == Play(
        game=1, turn=2, moves=[[1, 7]]
    )


def test_unknown_fields_inside_a_field_are_skipped() -> None:
    """A newer arena may add to `clock` too."""
    plain = msgpack.unpackb(encode(TURN)[4:])
    plain["clock"]["increment_ms"] = 5
    assert decode(msgpack.packb(plain), TO_BOT) == TURN


def test_eight_levels_pass() -> None:
    deep: Any = 1
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    assert decode(msgpack.packb({**PLAY, "info": deep}), TO_ARENA).info == deep  # type: ignore[union-attr]
    assert isinstance(decode(msgpack.packb({**PLAY, "info": [deep]}), TO_ARENA).info, LeftOut)  # type: ignore[union-attr]
    assert fault_of(msgpack.packb({**PLAY, "x": [deep]})).code is ErrorCode.TOO_DEEP


@pytest.mark.parametrize(
    "value", [0.5, float("nan"), {1: 2}, {1}, object(), 2**53 + 1, [[[[[[[[1]]]]]]]]]
)
def test_our_own_info_is_checked_before_it_is_sent(value: object) -> None:
    """A bot that puts something else than plain values into `info` is told at home, not by the arena."""
    with pytest.raises(LocalProtocolError, match="Play cannot be sent"):
        encode(Play(game=1, turn=1, choice=0, info=value))


def test_integers_of_numpy_are_sent_as_integers() -> None:
    one, seven = np.int64(1), np.uint8(7)
    assert encode(Play(game=1, turn=1, moves=[(one, seven)], info={"of": one})) == encode(
        Play(game=1, turn=1, moves=[(1, 7)], info={"of": 1})
    )
    assert encode(Play(game=1, turn=1, choice=one)) == encode(Play(game=1, turn=1, choice=1))  # type: ignore[arg-type]
    assert encode(to_called(CALL, seven)) == encode(to_called(CALL, 7))  # type: ignore[arg-type]
    with pytest.raises(
        LocalProtocolError, match="a value of type ndarray; allowed are nil, booleans"
    ):
        encode(Play(game=1, turn=1, moves=list(np.array([[1, 7]]))))  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0.5, {1: 2}, object(), "\ud800"])
def test_our_own_ruleset_is_checked_before_it_is_sent(value: object) -> None:
    """A ruleset with something else than plain values is our bug."""
    with pytest.raises(LocalProtocolError, match="MatchStart cannot be sent"):
        encode(msgspec.structs.replace(MATCH_START, ruleset={"name": value}))


@pytest.mark.parametrize(
    "message", [msgspec.structs.replace(TURN, position={"points": object()}), Ping(data=2**64)]
)
def test_what_msgpack_cannot_carry_is_our_bug(message: Message) -> None:
    with pytest.raises(LocalProtocolError):
        encode(message)


@given(strategies.from_bot)
def test_a_frame_cut_short_is_unreadable(message: Message) -> None:
    payload = encode(message)[4:]
    for end in range(len(payload)):
        assert isinstance(fault_of(payload[:end]), UnreadableFrameError)


def test_every_message_has_a_sample() -> None:
    shown = {(sender, type(message)) for sender, message in SESSION} | {
        (by, type(one)) for _, by, one in OTHERS
    }
    assert shown == {("bot", cls) for cls in TO_ARENA.types.values()} | {
        ("arena", cls) for cls in TO_BOT.types.values()
    }


def test_an_unknown_wish_is_refused_naming_the_known_ones() -> None:
    """A misspelt wish is an error, not a bot that waits for legal turns in vain."""
    wish = {"type": "login", "protocol": 1, "name": "a", "token": "t", "wants": ["leagl"]}
    fault = fault_of(msgpack.packb(wish))
    assert fault.code is ErrorCode.BAD_FIELD
    assert "known: break, call, legal" in fault.message
    assert "leagl" not in fault.message


def test_a_commitment_has_32_bytes() -> None:
    """A bot is told when the arena's commitment is no SHA-256."""
    plain = msgpack.unpackb(encode(MATCH_START)[4:])
    assert isinstance(decode(msgpack.packb(plain), TO_BOT), MatchStart)
    assert (
        fault_of(msgpack.packb({**plain, "dice_commitment": b"short"}), TO_BOT).code
        is ErrorCode.BAD_FIELD
    )


def test_turns_with_many_legal_turns_pass() -> None:
    turn = msgspec.structs.replace(TURN, legal=[[[1, 2], [3, 4], [5, 6], [7, 8]]] * 5000)
    received = decode(encode(turn)[4:], TO_BOT)
    assert isinstance(received, Turn)
    assert received == turn


@pytest.mark.parametrize(
    "error", [msgpack.StackError, RecursionError, OverflowError, TypeError, MemoryError]
)
def test_whatever_msgpack_raises_becomes_an_unreadable_frame(
    error: Any, monkeypatch: pytest.MonkeyPatch
) -> None:

    def failing(*_: object, **__: object) -> object:
        raise error("x")

    monkeypatch.setattr(codec, "_unpack", failing)
    fault = fault_of(b"\x80")
    assert isinstance(fault, UnreadableFrameError)
    assert fault.__context__ is None


def test_msgpack_without_its_c_part_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors show it with that part."""

    def unpack(payload: bytes, **options: Any) -> object:
        reader = fallback.Unpacker(None, max_buffer_size=len(payload), **options)
        reader.feed(payload)
        value = reader._unpack()
        if reader._got_extradata():
            raise msgpack.ExtraData(value, b"")
        return value

    monkeypatch.setattr(codec, "_unpack", unpack)
    assert decode(encode(Login(protocol=1, name="a", token="t"))[4:], TO_ARENA).token == "t"  # type: ignore[union-attr]
    for payload, code in [
        (b"\x82\xa1a\x01\xa1a\x02", ErrorCode.DUPLICATE_KEY),
        (b"\x81\x90\x02", ErrorCode.BAD_KEY),
        (b"\x91" * 2000 + b"\xc0", ErrorCode.TOO_DEEP),
        (b"\x81\xa1a", ErrorCode.BAD_MSGPACK),
        (b"\x80\x80", ErrorCode.BAD_MSGPACK),
    ]:
        assert fault_of(payload).code is code


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"type": "login", "protocol": 1, "name": "anna\n", "token": "t"}, "name"),
        (
            {"type": "login", "protocol": 1, "name": "anna", "token": "t", "version": "\x1b[2J"},
            "version",
        ),
        (
            {
                "type": "login",
                "protocol": 1,
                "name": "anna",
                "token": "t",
                "fingerprint": "\u202eabc",
            },
            "fingerprint",
        ),
        ({"type": "confirm", "match": "m", "lines": 1, "objection": "\x9b2J"}, "objection"),
        ({"type": "error", "code": "c", "message": "a\nb", "fatal": True}, "message"),
        ({"type": "bye", "reason": "\x00"}, "reason"),
    ],
)
def test_a_text_of_a_bot_with_a_control_character_is_refused(
    fields: dict[str, Any], name: str
) -> None:
    """It would reach logs, records and terminals; the same text without it is taken, and data is not text."""
    fault = fault_of(msgpack.packb(fields))
    assert fault.code is ErrorCode.BAD_FIELD
    assert f"a character in `{name}` that cannot be printed; send one line" in fault.message
    decode(msgpack.packb(fields | {name: "Åsa 🎲"}), TO_ARENA)
    assert decode(msgpack.packb(PLAY | {"info": "\x1b"}), TO_ARENA) == Play(
        game=1, turn=2, moves=[[1, 7]], info="\x1b"
    )

"""The codec: every message survives the way out and back, and values that are not plain are refused."""

import struct
from collections.abc import Callable
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import codec
from protocol.codec import MAX_DEPTH, MAX_INT, TO_ARENA, TO_BOT, Direction, decode, encode
from protocol.errors import ErrorCode, LocalProtocolError, ProtocolError, UnreadableFrameError
from protocol.greetings import Hello, Login
from protocol.messages import MatchStart, Message, Ping, Play, Turn
from tests.protocol import strategies
from tests.protocol.samples import MATCH_START, OTHERS, SESSION, TURN

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


@given(strategies.from_arena | strategies.from_bot)
def test_a_frame_is_its_length_and_a_map_with_type_first(message: Message) -> None:
    frame = encode(message)
    (size,) = struct.unpack(">I", frame[:4])
    assert size == len(frame) - 4
    assert next(iter(msgpack.unpackb(frame[4:]))) == "type"


@given(strategies.turns | strategies.plays)
def test_the_quick_way_to_encode_gives_the_same_bytes(message: Message) -> None:
    assert encode(message)[4:] == msgpack.packb(msgspec.to_builtins(message, builtin_types=(bytes,)))


# Keys and values of a play, right ones and wrong ones, each packed by itself: what a dict cannot hold can be sent too
_PACKED_KEYS = [msgpack.packb(key) for key in ("game", "turn", "moves", "choice", "info", "type", "x", 1, b"turn")]
_PACKED_VALUES = [
    *map(msgpack.packb, [0, 3, -1, 2**53, 2**53 + 1, 2**64 - 1, 1.0, True, None, "play", "3", b"3", [], {}, [1], [[]]]),
    *map(msgpack.packb, [[[1, 7]], [["d1", "d3"]], [[1, 7, 8]], [[1, 7.0]], [[1, True]], [[1, None]], [[2**60, 7]]]),
    *map(msgpack.packb, [[{"a": 1}], [[1, [7]]], [["a", b"b"]], [[1, 7]] * 300, [[]] * 1025, {"a": [[1, 7]]}]),
    *(
        msgpack.packb(value)
        for value in (msgpack.ExtType(5, b"a"), [[msgpack.ExtType(1, b"a"), 7]], msgpack.Timestamp(1))
    ),
    b"\xdc\x00\x01\x92\x01\x07",  # [[1, 7]] with a longer header than it needs
    b"\xcd\x00\x03",  # likewise 3
    b"\x91\x92\x01\xa1\xff",  # a string that is not UTF-8
    b"\xdd\xff\xff\xff\xff",  # an array longer than the frame
    b"\xc1",  # no msgpack
    b"",
]
_good_pairs = st.permutations([b"\xa4game\x01", b"\xa4turn\x02", b"\xa5moves\x91\x92\x01\x07"]).map(list)
_pairs = st.builds(bytes.__add__, st.sampled_from(_PACKED_KEYS), st.sampled_from(_PACKED_VALUES))


@given(_good_pairs, st.lists(st.tuples(st.integers(0, 3), _pairs), max_size=2), st.booleans(), st.binary(max_size=2))
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


def test_the_quick_way_to_decode_a_play_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:

    def failing(*_: object, **__: object) -> object:
        raise msgpack.OutOfData

    short, chosen, long = (
        Play(game=1, turn=2, moves=[[1, 7]] * 4),
        Play(game=1, turn=2, choice=3),
        Play(game=1, turn=2, moves=[[1, 7]] * 400),
    )
    assert decode(encode(long)[4:], TO_ARENA) == long
    monkeypatch.setattr(codec, "_unpack", failing)
    assert decode(encode(short)[4:], TO_ARENA) == short
    assert decode(encode(chosen)[4:], TO_ARENA) == chosen
    assert isinstance(fault_of(encode(long)[4:]), UnreadableFrameError)


def test_tuples_and_lists_are_the_same_on_the_wire() -> None:
    """The arena may give moves and dice as tuples."""
    assert encode(Play(game=1, turn=2, moves=((1, 7),))) == encode(Play(game=1, turn=2, moves=[[1, 7]]))


@pytest.mark.parametrize("absent", ["last", "legal"])
def test_an_optional_field_without_a_value_is_left_out(absent: str) -> None:
    bare = msgspec.structs.replace(TURN, last=None, legal=None)
    assert absent not in msgpack.unpackb(encode(bare)[4:])


def test_hello_always_names_its_protocol() -> None:
    """The version is on the wire although it has a default: a reader in any language finds it there."""
    assert msgpack.unpackb(encode(Hello(server="x", nonce=b""))[4:])["protocol"] == 1


@given(st.dictionaries(st.text(max_size=5).map("x_{}".format), strategies.plain(), max_size=3))
def test_unknown_fields_are_skipped(extra: dict[str, Any]) -> None:
    """A newer bot may send fields this arena does not know."""
    assert decode(msgpack.packb({**PLAY, **extra}), TO_ARENA) == Play(game=1, turn=2, moves=[[1, 7]])


def test_unknown_fields_inside_a_field_are_skipped() -> None:
    """A newer arena may add to `clock` too."""
    plain = msgpack.unpackb(encode(TURN)[4:])
    plain["clock"]["increment_ms"] = 5
    assert decode(msgpack.packb(plain), TO_BOT) == TURN


def test_type_may_stand_anywhere() -> None:
    """`type` first is a courtesy of the writer; a reader does not insist."""
    assert decode(msgpack.packb({"data": 3, "type": "ping"}), TO_ARENA) == Ping(data=3)


@pytest.mark.parametrize("number", [MAX_INT, -MAX_INT])
def test_integers_to_two_to_the_53_pass(number: int) -> None:
    assert decode(encode(Ping(data=number))[4:], TO_ARENA) == Ping(data=number)


def test_eight_levels_pass() -> None:
    deep: Any = 1
    for _ in range(MAX_DEPTH - 1):
        deep = [deep]
    assert decode(msgpack.packb({**PLAY, "info": deep}), TO_ARENA).info == deep  # type: ignore[union-attr]
    assert fault_of(msgpack.packb({**PLAY, "info": [deep]})).code is ErrorCode.TOO_DEEP


@pytest.mark.parametrize("value", [0.5, float("nan"), {1: 2}, {1}, object(), 2**53 + 1, [[[[[[[[1]]]]]]]]])
def test_our_own_info_is_checked_before_it_is_sent(value: object) -> None:
    """A bot that puts something else than plain values into `info` is told at home, not by the arena."""
    with pytest.raises(LocalProtocolError, match="Play cannot be sent"):
        encode(Play(game=1, turn=1, choice=0, info=value))


@pytest.mark.parametrize("value", [0.5, {1: 2}, object(), "\ud800"])
def test_our_own_ruleset_is_checked_before_it_is_sent(value: object) -> None:
    """A ruleset with something else than plain values is our bug."""
    with pytest.raises(LocalProtocolError, match="MatchStart cannot be sent"):
        encode(msgspec.structs.replace(MATCH_START, ruleset={"name": value}))


@pytest.mark.parametrize("message", [msgspec.structs.replace(TURN, position={"points": object()}), Ping(data=2**64)])
def test_what_msgpack_cannot_carry_is_our_bug(message: Message) -> None:
    with pytest.raises(LocalProtocolError):
        encode(message)


def test_a_failed_encode_leaves_nothing_behind() -> None:
    with pytest.raises(LocalProtocolError):
        encode(msgspec.structs.replace(TURN, position={"points": [1, 2, object()]}))
    assert decode(encode(TURN)[4:], TO_BOT) == TURN


@given(strategies.from_bot)
def test_a_frame_cut_short_is_unreadable(message: Message) -> None:
    payload = encode(message)[4:]
    for end in range(len(payload)):
        assert isinstance(fault_of(payload[:end]), UnreadableFrameError)


@pytest.mark.parametrize("direction, other", [(TO_ARENA, TO_BOT), (TO_BOT, TO_ARENA)])
def test_every_message_of_the_other_side_is_in_the_wrong_direction(direction: Direction, other: Direction) -> None:
    for tag in other.types.keys() - direction.types.keys():
        assert fault_of(msgpack.packb({"type": tag}), direction).code is ErrorCode.WRONG_DIRECTION


def test_every_message_has_a_sample() -> None:
    shown = {(sender, type(message)) for sender, message in SESSION} | {(by, type(one)) for _, by, one in OTHERS}
    assert shown == {("bot", cls) for cls in TO_ARENA.types.values()} | {
        ("arena", cls) for cls in TO_BOT.types.values()
    }


def test_an_unknown_wish_is_refused_naming_the_known_ones() -> None:
    """A misspelt wish is an error, not a bot that waits for legal turns in vain."""
    wish = {"type": "login", "protocol": 1, "name": "a", "token": "t", "wants": ["leagl"]}
    fault = fault_of(msgpack.packb(wish))
    assert fault.code is ErrorCode.BAD_FIELD
    assert "known: call, legal" in fault.message
    assert "leagl" not in fault.message


@pytest.mark.parametrize(
    "field, value",
    [
        ("window", 0),
        ("window", 257),
        ("name", ""),
        ("name", "x" * 65),
        ("token", "x" * 257),
        ("token", None),
        ("wants", ["legal"] * 17),
        ("fingerprint", "x" * 257),
    ],
)
def test_login_fields_have_limits(field: str, value: object) -> None:
    fault = fault_of(msgpack.packb({"type": "login", "protocol": 1, "name": "a", "token": "t", field: value}))
    assert fault.code is ErrorCode.BAD_FIELD
    assert f"$.{field}" in fault.message


def test_a_commitment_has_32_bytes() -> None:
    """A bot is told when the arena's commitment is no SHA-256."""
    plain = msgpack.unpackb(encode(MATCH_START)[4:])
    assert isinstance(decode(msgpack.packb(plain), TO_BOT), MatchStart)
    assert fault_of(msgpack.packb({**plain, "dice_commitment": b"short"}), TO_BOT).code is ErrorCode.BAD_FIELD


@pytest.mark.parametrize("lines", [0, -1])
def test_a_receipt_is_of_one_line_at_least(lines: int) -> None:
    """On both ways: a receipt of nothing would fit every record."""
    confirm = {"type": "confirm", "match": "m", "lines": lines, "objection": "no"}
    end = {"type": "match_end", "match": "m", "result": "void", "score": [0, 0]}
    faults = [
        fault_of(msgpack.packb(confirm), TO_ARENA),
        fault_of(msgpack.packb({**end, "receipt": {"lines": lines, "sha256": bytes(32)}}), TO_BOT),
    ]
    assert [fault.code for fault in faults] == [ErrorCode.BAD_FIELD] * 2
    assert all("lines" in fault.message for fault in faults)


def test_turns_with_many_legal_turns_pass() -> None:
    turn = msgspec.structs.replace(TURN, legal=[[[1, 2], [3, 4], [5, 6], [7, 8]]] * 5000)
    received = decode(encode(turn)[4:], TO_BOT)
    assert isinstance(received, Turn)
    assert received == turn


@pytest.mark.parametrize(
    "error",
    [
        msgpack.OutOfData(),
        msgpack.UnpackException("x"),
        msgpack.StackError("x"),
        RecursionError("x"),
        OverflowError("x"),
        TypeError("x"),
        MemoryError("x"),
    ],
)
def test_whatever_msgpack_raises_becomes_an_unreadable_frame(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:

    def failing(*_: object, **__: object) -> object:
        raise error

    monkeypatch.setattr(codec, "_unpack", failing)
    fault = fault_of(b"\x80")
    assert isinstance(fault, UnreadableFrameError)
    assert fault.__context__ is None


@pytest.mark.parametrize("name", ["a frame with C", "without C"])
def test_msgpack_without_its_c_part_reads_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "without C":
        from msgpack import fallback

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


@pytest.mark.parametrize("answer", [{"moves": []}, {"choice": 0}, {"moves": [], "choice": 0}], ids=str)
def test_accepting_a_draw_excludes_a_turn(answer: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"accepting a draw replaces the turn|give exactly one"):
        Play(game=1, turn=1, draw="accept", **answer)
    with pytest.raises(ValueError, match="give exactly one"):
        Play(game=1, turn=1, draw="offer")
    assert encode(Play(game=1, turn=1, draw="accept"))[4:] == msgpack.packb(
        {"type": "play", "game": 1, "turn": 1, "draw": "accept"}
    )


def test_a_turn_without_an_offer_says_nothing_of_draws() -> None:
    assert b"draw" not in encode(TURN)
    assert b"draw" in encode(msgspec.structs.replace(TURN, draw_offered=True))


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"type": "login", "protocol": 1, "name": "anna\n", "token": "t"}, "name"),
        ({"type": "login", "protocol": 1, "name": "anna", "token": "t", "version": "\x1b[2J"}, "version"),
        ({"type": "login", "protocol": 1, "name": "anna", "token": "t", "fingerprint": "\u202eabc"}, "fingerprint"),
        ({"type": "confirm", "match": "m", "lines": 1, "objection": "\x9b2J"}, "objection"),
        ({"type": "error", "code": "c", "message": "a\nb", "fatal": True}, "message"),
        ({"type": "bye", "reason": "\x00"}, "reason"),
    ],
)
def test_a_text_of_a_bot_with_a_control_character_is_refused(fields: dict[str, Any], name: str) -> None:
    """It would reach logs, records and terminals; the same text without it is taken, and data is not text."""
    fault = fault_of(msgpack.packb(fields))
    assert fault.code is ErrorCode.BAD_FIELD
    assert f"a character in `{name}` that cannot be printed; send one line" in fault.message
    decode(msgpack.packb(fields | {name: "Åsa 🎲"}), TO_ARENA)
    assert decode(msgpack.packb(PLAY | {"info": "\x1b"}), TO_ARENA) == Play(game=1, turn=2, moves=[[1, 7]], info="\x1b")

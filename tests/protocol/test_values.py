"""Plain values: floats that are whole numbers, the places that errors name, and remarks that cannot be kept."""

import json
import math
from pathlib import Path
from typing import Any

import msgpack
import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import TO_ARENA, TO_BOT, decode, encode
from protocol.errors import LocalProtocolError, ProtocolError
from protocol.fields import MAX_INT
from protocol.greetings import Login
from protocol.messages import MatchReady, Message, Play
from protocol.values import LeftOut
from tests.fixtures.message_samples import MATCH_START, TURN
from tests.protocol import strategies

PLAY = {"type": "play", "game": 1, "turn": 2, "choice": 3}
ANSWER = Play(game=1, turn=2, choice=3)


def read(fields: dict[str, Any]) -> Any:
    return decode(msgpack.packb(fields), TO_ARENA)


def fault_of(fields: dict[str, Any]) -> str:
    with pytest.raises(ProtocolError) as caught:
        read(fields)
    return str(caught.value)


def remark_of(info: object) -> LeftOut:
    """What stands for a remark that cannot be kept; the answer it came with is there."""
    play = read(PLAY | {"info": info})
    assert isinstance(play.info, LeftOut)
    assert msgspec.structs.replace(play, info=None) == ANSWER
    return play.info


# Whole numbers that come as floats


def as_floats(value: Any) -> Any:
    """A value with every integer as a float, as programs write it that have no other numbers."""
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case list():
            return [as_floats(item) for item in value]
        case dict():
            return {key: as_floats(item) for key, item in value.items()}
    return value


def floats_of(message: Message) -> bytes:
    return bytes(msgpack.packb(as_floats(msgpack.unpackb(encode(message)[4:]))))


@given(strategies.from_bot)
def test_what_a_bot_says_in_floats_is_the_same(message: Message) -> None:
    assert decode(floats_of(message), TO_ARENA) == decode(encode(message)[4:], TO_ARENA)


@given(strategies.from_arena)
def test_what_the_arena_says_in_floats_is_the_same(message: Message) -> None:
    assert decode(floats_of(message), TO_BOT) == decode(encode(message)[4:], TO_BOT)


@given(st.floats())
def test_a_float_is_the_integer_that_it_equals_or_refused(value: float) -> None:
    fields = {"type": "ping", "data": value}
    if math.isfinite(value) and value == int(value) and abs(value) <= MAX_INT:
        assert read(fields).data == int(value)
        assert type(read(fields).data) is int
    else:
        assert "bad_value" in fault_of(fields)


def test_a_float_is_never_written() -> None:
    floats = Play(game=1, turn=2, moves=[(np.float64(1.0), 7.0)], info={"nodes": [2.0, -0.0]})  # type: ignore[list-item]
    whole = Play(game=1, turn=2, moves=[[1, 7]], info={"nodes": [2, 0]})
    assert encode(floats) == encode(whole)
    of_rules = msgspec.structs.replace(MATCH_START, ruleset={"most": 15.0})
    assert encode(of_rules) == encode(msgspec.structs.replace(MATCH_START, ruleset={"most": 15}))


# The places that errors name


@pytest.mark.parametrize(
    ("fields", "place", "found"),
    [
        ({"choice": 0.5}, "$.choice", "a number with a fraction; send a whole number"),
        ({"choice": math.nan}, "$.choice", "NaN in the place of a number"),
        ({"choice": -math.inf}, "$.choice", "an infinite number"),
        ({"choice": 2.0**53 + 2}, "$.choice", "an integer beyond 2^53; send it as a string"),
        ({"turn": 2**53 + 1}, "$.turn", "an integer beyond 2^53; send it as a string"),
        ({"moves": [[1, 7], [7, 8.5]]}, "$.moves[1][1]", "a number with a fraction"),
        (
            {"draw": msgpack.Timestamp(1)},
            "$.draw",
            "a date (msgpack timestamp); send whole milliseconds",
        ),
        (
            {"draw": msgpack.ExtType(5, b"abc")},
            "$.draw",
            "a value of extension type 5; allowed are nil",
        ),
        ({"moves": [[[[[[[[1]]]]]]]]}, "$.moves[0][0][0][0][0][0][0]", "values nested too deep"),
        ({"moves": [{1: 2}]}, "$.moves[0]", "a map key that is not a string"),
        (
            {"hunter2": 0.5},
            "$[...]",
            "a number with a fraction",
        ),  # a secret in the wrong place is not told
        ({"hunter2": {"x": [0.5]}}, "$[...]", "a number with a fraction"),
    ],
)
def test_an_error_names_the_place_of_the_value(
    fields: dict[str, Any], place: str, found: str
) -> None:
    told = fault_of(PLAY | fields)
    assert found in told
    assert f" - at `{place}` (a payload of" in told
    assert "hunter2" not in told


def test_a_byte_string_that_came_as_something_else_is_told_how_to_send_it() -> None:
    told = fault_of({"type": "match_ready", "match": "m", "commitment": {"0": 1}})
    assert (
        "at `$.commitment`; send bytes as msgpack bin, in JavaScript as `Buffer.from(array)`"
        in told
    )


@pytest.mark.parametrize(
    ("info", "place"),
    [
        ({"win": 0.5}, "$.info.win"),
        ([1, {"of": object()}], "$.info[1].of"),
        ({"a b": {1: 2}}, "$.info[...]"),
    ],
)
def test_our_own_mistake_names_the_place_too(info: object, place: str) -> None:
    with pytest.raises(LocalProtocolError, match="Play cannot be sent") as caught:
        encode(Play(game=1, turn=1, choice=0, info=info))
    assert str(caught.value).endswith(f" - at `{place}`")


# Remarks that cannot be kept


def deep(levels: int) -> Any:
    return [deep(levels - 1)] if levels else 1


@pytest.mark.parametrize(
    ("info", "code", "place"),
    [
        ({"win": 0.53}, "bad_value", "$.info.win"),
        ({"win": math.nan}, "bad_value", "$.info.win"),
        ([1, [2, math.inf]], "bad_value", "$.info[1][1]"),
        (2**53 + 1, "bad_value", "$.info"),
        (msgpack.Timestamp(1), "bad_value", "$.info"),
        ({1: 2}, "bad_key", "$.info"),
        ({"a": {b"b": 1}}, "bad_key", "$.info.a"),
        (deep(8), "too_deep", "$.info[0][0][0][0][0][0][0]"),
        (deep(400), "too_deep", "$.info[0][0][0][0][0][0][0]"),
        ([0] * 1025, "bad_msgpack", "$.info"),
        ({str(key): 0 for key in range(257)}, "bad_msgpack", "$.info"),
        ({"no name, and far too long to be told " * 2: 0.5}, "bad_value", "$.info[...]"),
    ],
)
def test_a_remark_that_cannot_be_kept_costs_the_remark(info: object, code: str, place: str) -> None:
    left_out = remark_of(info)
    assert left_out.code == code
    assert left_out.message.endswith(f" - at `{place}`")


@pytest.mark.parametrize(
    ("packed", "code"),
    [
        (b"\xa4a\xed\xa0\xbc", "bad_msgpack"),  # half of a pair of UTF-16
        (b"\x82\xa1a\x01\xa1a\x02", "duplicate_key"),
        (b"\xd7\xff" + b"\xff" * 8, "bad_msgpack"),  # an impossible timestamp
        (
            b"\xdd\xff\xff\xff\xff" + b"\xc0" * 5,
            None,
        ),  # longer than the frame: nobody knows where it ends
        (b"\x91" * 2000 + b"\x01", None),  # deeper than msgpack's own limit: nor here
    ],
)
@pytest.mark.parametrize("is_last", [True, False])
def test_a_remark_that_cannot_be_read_costs_the_remark(
    packed: bytes, code: str | None, is_last: bool
) -> None:
    info = b"\xa4info" + packed
    body = msgpack.packb(PLAY)[1:]
    payload = b"\x85" + (body + info if is_last else info + body)
    if code is None:
        with pytest.raises(ProtocolError):
            decode(payload, TO_ARENA)
        return
    play = decode(payload, TO_ARENA)
    assert isinstance(play, Play)
    assert isinstance(play.info, LeftOut)
    assert play.info.code == code


def test_what_is_wrong_beside_the_remark_is_told_and_not_the_remark() -> None:
    told = fault_of(PLAY | {"choice": 1.5, "info": 0.5})
    assert "at `$.choice`" in told
    assert "bad_field" in fault_of({"type": "play", "game": 1, "info": 0.5})


def test_two_remarks_are_refused() -> None:
    payload = b"\x86" + msgpack.packb(PLAY)[1:] + (b"\xa4info\xca\x3f\x00\0\0") * 2
    with pytest.raises(ProtocolError, match="duplicate_key"):
        decode(payload, TO_ARENA)


def test_a_turn_with_a_remark_is_no_remark_of_a_bot() -> None:
    """What the arena says is taken as a whole, or not at all."""
    plain = msgpack.unpackb(encode(TURN)[4:])
    with pytest.raises(ProtocolError, match="bad_value"):
        decode(msgpack.packb(plain | {"info": 0.5}), TO_BOT)


def test_a_remark_in_a_login_is_nothing() -> None:
    login = {"type": "login", "protocol": 1, "name": "a", "token": "t", "info": 0.5}
    assert read(login) == Login(protocol=1, name="a", token="t")


def test_the_kind_of_a_login_is_a_person_or_an_agent() -> None:
    login = {"type": "login", "protocol": 1, "name": "a", "token": "t"}
    for kind in (None, "person", "agent"):
        assert read(login | {"kind": kind}).kind == kind
    for kind in ("robot", "", "Agent", 1, ["agent"]):
        assert "bad_field" in fault_of(login | {"kind": kind})


# What nine libraries of JavaScript write, by the expression that each was given. `play` and `ready`
# stand for an object with the other fields of a `play` (game 1, turn 2, choice 3) and of a
# `match_ready` (match "m").


PATH = Path(__file__).parent / "javascript_libraries.json"
LIBRARIES: dict[str, dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))
WITH_UNDEFINED = {"msgpackr", "what-the-pack", "@ably/msgpack-js"}
"""Those that write `undefined` as an extension; others write nil, or nothing."""
every_library = pytest.mark.parametrize("library", LIBRARIES)


def payload(library: str, expression: str) -> bytes:
    return bytes.fromhex(LIBRARIES[library]["payloads"][expression])


def said_by(library: str, expression: str) -> Any:
    return decode(payload(library, expression), TO_ARENA)


def refused_of(library: str, expression: str) -> str:
    with pytest.raises(ProtocolError) as caught:
        said_by(library, expression)
    return str(caught.value)


@every_library
@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            "play({info: {at: 1795706333277}})",
            msgspec.structs.replace(ANSWER, info={"at": 1795706333277}),
        ),
        ("play({info: {nodes: 2 ** 32}})", msgspec.structs.replace(ANSWER, info={"nodes": 2**32})),
        ("play({choice: 6 / 2})", ANSWER),
        ("play({choice: -0})", Play(game=1, turn=2, choice=0)),
        ("play({choice: 2 ** 40})", Play(game=1, turn=2, choice=2**40)),
        ("ready({commitment: Buffer.alloc(32)})", MatchReady(match="m", commitment=bytes(32))),
    ],
)
def test_whole_numbers_of_every_library_are_read(
    library: str, expression: str, message: Message
) -> None:
    assert said_by(library, expression) == message


@every_library
@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("play({info: {win: 0.53}})", "$.info.win"),
        ("play({info: {win: [0, NaN]}})", "$.info.win[1]"),
        ("play({info: {win: Infinity}})", "$.info.win"),
    ],
)
def test_numbers_that_cannot_be_kept_cost_the_remark_with_every_library(
    library: str, expression: str, place: str
) -> None:
    info = said_by(library, expression).info
    assert isinstance(info, LeftOut)
    assert info.message.endswith(f"at `{place}`")


@every_library
def test_what_a_remark_holds_of_javascript_alone_never_costs_the_turn(library: str) -> None:
    for expression in LIBRARIES[library]["payloads"]:
        if "info" in expression:
            said = said_by(library, expression)
            assert msgspec.structs.replace(said, info=None) == ANSWER, expression


@every_library
def test_undefined_is_named_with_what_to_do(library: str) -> None:
    if library in WITH_UNDEFINED:
        told = refused_of(library, "play({draw: undefined})")
        assert "`undefined` as some libraries of JavaScript write it; leave the key out" in told
        assert "at `$.draw`" in told
    else:
        assert said_by(library, "play({draw: undefined})") == ANSWER


@pytest.mark.parametrize(
    ("library", "expression", "what_to_do"),
    [
        (
            "msgpack-lite",
            "ready({commitment: new Uint8Array(32)})",
            "send bytes as `Buffer.from(array)`",
        ),
        (
            "@ably/msgpack-js",
            "ready({commitment: new Uint8Array(32)})",
            "in JavaScript as `Buffer.from(array)`",
        ),
        (
            "msgpackr",
            "new Packr({moreTypes: true, useRecords: false}).pack(ready({commitment: new Uint8Array(32)}))",
            "set `moreTypes: false`",
        ),
        ("msgpackr", "new Packr().pack(play({}))", "`new Packr({useRecords: false})`"),
    ],
)
def test_bytes_and_records_are_named_with_what_to_do(
    library: str, expression: str, what_to_do: str
) -> None:
    assert what_to_do in refused_of(library, expression)


@pytest.mark.parametrize(
    ("library", "expression"),
    [
        ("msgpack-lite", "encode(ready({commitment: Buffer.from(new Uint8Array(32))}))"),
        (
            "msgpackr",
            "new Packr({encodeUndefinedAsNil: true, useRecords: false}).pack(play({draw: undefined}))",
        ),
    ],
)
def test_what_the_messages_say_to_do_helps(library: str, expression: str) -> None:
    assert said_by(library, expression) in (MatchReady(match="m", commitment=bytes(32)), ANSWER)


def test_the_rest_of_what_libraries_write_of_a_date_and_a_cut_text() -> None:
    date = said_by("msgpack-lite", "play({info: {on: new Date(1795706333277)}})").info
    assert "by which msgpack-lite writes a date; send `date.getTime()`" in date.message
    text = said_by("@msgpack/msgpack", r'play({info: {why: "a\ud83c"}})').info
    assert "`text.toWellFormed()`" in text.message

"""Writes the test vectors for bots in other languages: `python -m tests.generators.make_vectors`.

Each message vector holds a whole frame as hex and the map it carries; byte strings, which JSON does
not have, stand as `{"bin": "hex"}`. Each other form holds bytes that nobody writes and everybody
reads, and the message that they are. Each bad frame holds the bytes a bot might send after
`welcome` and the code of the error that ends the connection.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

from protocol.codec import encode
from protocol.messages import Message, Ping, Play
from tests.fixtures.message_samples import all_samples

PATH = Path(__file__).parents[1] / "protocol" / "vectors.json"

PLAY = b"\xa4type\xa4play\xa4game\x01\xa4turn\x01"
"""What every answer begins with, after the length of its map."""

# A name, the payload, and the code that answers it.
BAD_PAYLOADS: list[tuple[str, bytes, str]] = [
    ("empty payload", b"", "bad_msgpack"),
    ("cut off inside a string", b"\x81\xa4type\xa4pl", "bad_msgpack"),
    ("cut off after a key", b"\x81\xa4type", "bad_msgpack"),
    ("two maps in one frame", b"\x81\xa4type\xa4ping\x80", "bad_msgpack"),
    ("the byte msgpack never uses", b"\xc1", "bad_msgpack"),
    ("text instead of msgpack", b'{"type": "ping"}', "bad_msgpack"),
    ("a string that is not UTF-8", b"\x81\xa4type\xa4\xff\xfe\xfd\xfc", "bad_msgpack"),
    (
        "an array with 4,294,967,295 elements announced",
        b"\x81\xa1a\xdd\xff\xff\xff\xff",
        "bad_msgpack",
    ),
    ("a map with 4,294,967,295 keys announced", b"\xdf\xff\xff\xff\xff", "bad_msgpack"),
    ("a string longer than the frame", b"\x81\xa1a\xdb\xff\xff\xff\xff", "bad_msgpack"),
    (
        "an array of 1,025 elements",
        b"\x82\xa4type\xa4ping\xa1x\xdc\x04\x01" + b"\x00" * 1025,
        "bad_msgpack",
    ),
    ("an impossible timestamp", b"\x81\xa1a\xd7\xff" + b"\xff" * 8, "bad_msgpack"),
    ("nil instead of a map", b"\xc0", "not_a_map"),
    ("an array instead of a map", b"\x91\x80", "not_a_map"),
    ("a string instead of a map", b"\xa4ping", "not_a_map"),
    ("the key `type` twice", b"\x82\xa4type\xa4ping\xa4type\xa4pong", "duplicate_key"),
    (
        "a key twice inside info",
        b"\x82\xa4type\xa4ping\xa1x\x82\xa1a\x01\xa1a\x02",
        "duplicate_key",
    ),
    ("a byte string as a key", b"\x81\xc4\x04type\xa4ping", "bad_key"),
    ("an integer as a key", b"\x82\xa4type\xa4ping\x01\x02", "bad_key"),
    ("nil as a key", b"\x82\xa4type\xa4ping\xc0\x02", "bad_key"),
    ("an array as a key", b"\x82\xa4type\xa4ping\x90\x02", "bad_key"),
    ("a map as a key", b"\x82\xa4type\xa4ping\x80\x02", "bad_key"),
    ("a fraction", b"\x82\xa4type\xa4ping\xa4data\xcb\x3f\xe0" + bytes(6), "bad_value"),
    (
        "a fraction in single precision",
        b"\x82\xa4type\xa4ping\xa4data\xca\x3f\x00" + bytes(2),
        "bad_value",
    ),
    (
        "a fraction in a move",
        b"\x84" + PLAY + b"\xa5moves\x91\x92\x01\xca\x3f\x00" + bytes(2),
        "bad_value",
    ),
    ("infinity", b"\x82\xa4type\xa4ping\xa4data\xcb\x7f\xf0" + bytes(6), "bad_value"),
    ("minus infinity", b"\x82\xa4type\xa4ping\xa4data\xca\xff\x80" + bytes(2), "bad_value"),
    (
        "a float of 2^53 + 2",
        b"\x82\xa4type\xa4ping\xa4data\xcb\x43\x40" + bytes(5) + b"\x01",
        "bad_value",
    ),
    ("not a number", b"\x82\xa4type\xa4ping\xa4data\xcb\x7f\xf8" + bytes(6), "bad_value"),
    (
        "a fraction in a field nobody knows",
        b"\x82\xa4type\xa4ping\xa1x\x91\xcb\x3f\xe0" + bytes(6),
        "bad_value",
    ),
    ("2^53 + 1", b"\x82\xa4type\xa4ping\xa4data\xcf\x00\x20\x00\x00\x00\x00\x00\x01", "bad_value"),
    ("-2^53 - 1", b"\x82\xa4type\xa4ping\xa4data\xd3\xff\xdf\xff\xff\xff\xff\xff\xff", "bad_value"),
    ("2^64 - 1", b"\x82\xa4type\xa4ping\xa4data\xcf" + b"\xff" * 8, "bad_value"),
    ("an extension type", b"\x82\xa4type\xa4ping\xa1x\xd4\x05\x00", "bad_value"),
    ("a timestamp", b"\x82\xa4type\xa4ping\xa1x\xd6\xff" + bytes(4), "bad_value"),
    ("nine levels", b"\x82\xa4type\xa4ping\xa1x" + b"\x91" * 8 + b"\x00", "too_deep"),
    ("nine levels of maps", b"\x82\xa4type\xa4ping\xa1x" + b"\x81\xa1x" * 8 + b"\x00", "too_deep"),
    ("two thousand levels", b"\x91" * 2000 + b"\x00", "too_deep"),
    ("no type", b"\x80", "unknown_type"),
    ("a type that is no string", b"\x81\xa4type\x01", "unknown_type"),
    ("a type nobody knows", b"\x81\xa4type\xa6resign", "unknown_type"),
    ("a type in capitals", b"\x81\xa4type\xa4PING", "unknown_type"),
    ("a message only the arena sends", b"\x81\xa4type\xa7welcome", "wrong_direction"),
    ("a play without game and turn", b"\x81\xa4type\xa4play", "bad_field"),
    ("a play without an answer", b"\x83\xa4type\xa4play\xa4game\x01\xa4turn\x01", "bad_field"),
    ("a play with two answers", b"\x85" + PLAY + b"\xa5moves\x90\xa6choice\x00", "bad_field"),
    (
        "a play that offers a draw and gives no turn",
        b"\x84" + PLAY + b"\xa4draw\xa5offer",
        "bad_field",
    ),
    (
        "a play that accepts a draw and gives moves",
        b"\x85" + PLAY + b"\xa5moves\x90\xa4draw\xa6accept",
        "bad_field",
    ),
    (
        "a play that accepts a draw and gives a choice",
        b"\x85" + PLAY + b"\xa6choice\x00\xa4draw\xa6accept",
        "bad_field",
    ),
    (
        "a play that says something else of a draw",
        b"\x85" + PLAY + b"\xa5moves\x90\xa4draw\xa7decline",
        "bad_field",
    ),
    (
        "a draw that is a boolean",
        b"\x84\xa4type\xa4play\xa4game\x01\xa4turn\x01\xa4draw\xc3",
        "bad_field",
    ),
    ("a call without dice", b"\x83\xa4type\xa4call\xa4game\x01\xa4turn\x01", "bad_field"),
    (
        "a call for dice in words",
        b"\x84\xa4type\xa4call\xa4game\x01\xa4turn\x01\xa4dice\xa3one",
        "bad_field",
    ),
    (
        "a call for a list of dice",
        b"\x84\xa4type\xa4call\xa4game\x01\xa4turn\x01\xa4dice\x91\x01",
        "bad_field",
    ),
    (
        "a call for less than no dice",
        b"\x84\xa4type\xa4call\xa4game\x01\xa4turn\x01\xa4dice\xff",
        "bad_field",
    ),
    ("a game below 0", b"\x84\xa4type\xa4play\xa4game\xff\xa4turn\x01\xa5moves\x90", "bad_field"),
    (
        "a game that is a boolean",
        b"\x84\xa4type\xa4play\xa4game\xc3\xa4turn\x01\xa5moves\x90",
        "bad_field",
    ),
    (
        "a game that is a string",
        b"\x84\xa4type\xa4play\xa4game\xa11\xa4turn\x01\xa5moves\x90",
        "bad_field",
    ),
    (
        "moves that are a string",
        b"\x84\xa4type\xa4play\xa4game\x01\xa4turn\x01\xa5moves\xa31/7",
        "bad_field",
    ),
    ("a move of three numbers", b"\x84" + PLAY + b"\xa5moves\x91\x93\x01\x02\x03", "bad_field"),
    (
        "a move with nil",
        b"\x84\xa4type\xa4play\xa4game\x01\xa4turn\x01\xa5moves\x91\x92\x01\xc0",
        "bad_field",
    ),
    (
        "a confirmation without signature and objection",
        b"\x83\xa4type\xa7confirm\xa5match\xa1m\xa5lines\x05",
        "bad_field",
    ),
    (
        "33 bytes of entropy",
        b"\x83\xa4type\xadmatch_entropy\xa5match\xa1m\xa7entropy\xc4\x21" + bytes(33),
        "bad_field",
    ),
    (
        "entropy as a string",
        b"\x83\xa4type\xadmatch_entropy\xa5match\xa1m\xa7entropy\xa1x",
        "bad_field",
    ),
    (
        "a commitment of 31 bytes",
        b"\x83\xa4type\xabmatch_ready\xa5match\xa1m\xaacommitment\xc4\x1f" + bytes(31),
        "bad_field",
    ),
    (
        "a second login",
        b"\x84\xa4type\xa5login\xa8protocol\x01\xa4name\xa1b\xa5token\xa1t",
        "unexpected_message",
    ),
]

# A name, the payload, and the message that it is: nobody writes these, and everybody reads them.
OTHER_FORMS: list[tuple[str, bytes, Message]] = [
    ("a float", b"\x82\xa4type\xa4ping\xa4data\xcb" + bytes(8), Ping()),
    ("a single-precision float", b"\x82\xa4type\xa4ping\xa4data\xca" + bytes(4), Ping()),
    ("minus zero", b"\x82\xa4type\xa4ping\xa4data\xcb\x80" + bytes(7), Ping()),
    ("a float of 2^53", b"\x82\xa4type\xa4ping\xa4data\xcb\x43\x40" + bytes(6), Ping(data=2**53)),
    (
        "a float of -2^53",
        b"\x82\xa4type\xa4ping\xa4data\xcb\xc3\x40" + bytes(6),
        Ping(data=-(2**53)),
    ),
    ("a float in a field nobody knows", b"\x82\xa4type\xa4ping\xa1x\x91\xcb" + bytes(8), Ping()),
    (
        "a play of floats",
        b"\x84\xa4type\xa4play\xa4game\xca\x3f\x80\0\0\xa4turn\xca\x40\0\0\0\xa6choice\xca\x40\x40\0\0",
        Play(game=1, turn=2, choice=3),
    ),
    (
        "moves of floats",
        b"\x84" + PLAY + b"\xa5moves\x91\x92\xcb\x3f\xf0" + bytes(6) + b"\xca\x40\xe0" + bytes(2),
        Play(game=1, turn=1, moves=[[1, 7]]),
    ),
    (
        "a remark with a float",
        b"\x85" + PLAY + b"\xa6choice\x00\xa4info\x81\xa2at\xcb\x42\x7a\x21\x87\x02\x85\xd0\x00",
        Play(game=1, turn=1, choice=0, info={"at": 1795706333277}),
    ),
]

# What is no frame at all: sent as it stands.
BAD_HEADERS: list[tuple[str, bytes, str]] = [
    ("one byte more than allowed", (65_537).to_bytes(4, "big"), "frame_too_large"),
    ("a length in little-endian order", (10).to_bytes(4, "little"), "frame_too_large"),
    ("a map without a length", b"\x81\xa4type\xa4ping", "frame_too_large"),
    ("an HTTP request", b"GET / HTTP/1.1\r\n", "frame_too_large"),
]


def vectors() -> dict[str, Any]:
    return {
        "protocol": 1,
        "messages": [
            {
                "name": name,
                "from": sender,
                "frame": encode(message).hex(),
                "message": plain(message),
            }
            for name, sender, message in all_samples()
        ],
        "other_forms": [
            {
                "name": name,
                "bytes": (len(payload).to_bytes(4, "big") + payload).hex(),
                "message": plain(message),
            }
            for name, payload, message in OTHER_FORMS
        ],
        "bad_frames": [
            *(
                {
                    "name": name,
                    "bytes": (len(payload).to_bytes(4, "big") + payload).hex(),
                    "code": code,
                }
                for name, payload, code in BAD_PAYLOADS
            ),
            *(
                {"name": name, "bytes": data.hex(), "code": code}
                for name, data, code in BAD_HEADERS
            ),
        ],
    }


def plain(message: Any) -> Any:
    """Give a message as JSON can hold it."""
    return _show_bytes(msgspec.to_builtins(message, builtin_types=(bytes,)))


def _show_bytes(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"bin": value.hex()}
    if isinstance(value, dict):
        return {key: _show_bytes(item) for key, item in value.items()}
    return [_show_bytes(item) for item in value] if isinstance(value, list | tuple) else value


def text() -> str:
    data = vectors()
    lists = [
        f'  "{key}": [\n'
        + ",\n".join(f"    {json.dumps(one, ensure_ascii=False)}" for one in data[key])
        + "\n  ]"
        for key in ("messages", "other_forms", "bad_frames")
    ]
    return "{\n" + ",\n".join([f'  "protocol": {data["protocol"]}', *lists]) + "\n}\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")

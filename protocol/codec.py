"""Messages into frames and back: 4 bytes of length (big-endian), then one map in msgpack.

This is the only module that imports msgpack. It accepts plain values only (`values.py`), and string
keys. msgpack itself would also accept floats, dates, extension types, byte-string keys, repeated
keys and a thousand levels; these are refused here, but for whole numbers that came as floats.
Errors never quote received values, because they may contain a token.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, cast, get_args

import msgpack  # type: ignore[import-untyped]
import msgspec

from protocol.errors import (
    ErrorCode,
    InvalidMessageError,
    LocalProtocolError,
    UnknownTypeError,
    UnreadableFrameError,
)
from protocol.messages import FromArena, FromBot, MatchStart, Message, Play, Turn
from protocol.values import (
    BAD_KEY,
    NOT_UTF8,
    RECORD,
    RECORD_TYPE,
    REPEATED_KEY,
    TOO_DEEP,
    Extension,
    LeftOut,
    NotPlainError,
    are_plain,
    plain_fields,
)

HEADER_BYTES: Final = 4
"""The length before every payload: unsigned, big-endian, not counting itself."""

MAX_KEYS: Final = 256
"""The most keys that a map may have."""

# The map's header, the key "token" and its value's header fill eight bytes, so no byte of a token
# is shown.
_PREFIX_BYTES: Final = 8


class Direction(msgspec.Struct, frozen=True, eq=False):
    """One direction of the wire: its messages (by `type`), and the longest array they may hold.

    The array limit towards the arena is tight, because msgpack reserves an array's memory as soon
    as it has read its length, before any element has arrived.
    """

    name: str
    types: dict[str, type[Any]]
    max_array: int


def type_name(cls: type[Any]) -> str:
    """Return the `type` of a message class on the wire."""
    return str(cls.__struct_config__.tag)


def _types(union: Any) -> dict[str, type[Any]]:
    return {type_name(cls): cls for cls in get_args(union)}


TO_ARENA: Final = Direction(name="to the arena", types=_types(FromBot), max_array=1024)
TO_BOT: Final = Direction(name="to a bot", types=_types(FromArena), max_array=65_536)

_KNOWN_TYPES: Final = frozenset(TO_ARENA.types) | frozenset(TO_BOT.types)


def _fields_of(*directions: Direction) -> frozenset[str]:
    names: set[str] = set()
    for direction in directions:
        for cls in direction.types.values():
            names.update(cls.__struct_fields__)
    return frozenset(names)


_KNOWN_FIELDS: Final = _fields_of(TO_ARENA, TO_BOT)

_pack: Callable[[object], bytes] = msgpack.Packer().pack
# A turn goes out every few microseconds and holds only the arena's own data: encoding the struct
# directly takes a quarter of the time of a map made for msgpack, and gives the same bytes (the
# vectors check that).
_encode_turn: Final = msgspec.msgpack.Encoder().encode
_unpack: Callable[..., object] = msgpack.unpackb

_PLAY_START: Final = b"\x84\xa4type\xa4play"
"""A map of four keys that begins with its `type`."""
_decode_play: Final = msgspec.msgpack.Decoder(Play).decode

_QUOTED_WORD: Final = re.compile(r"\AInvalid enum value .*(?= - at `[^`]*`\Z)", re.DOTALL)
"""The part of a mistake that msgspec found with the value that it quotes, if only certain words are
allowed."""

_RECORD_START: Final = bytes((0xD4, RECORD_TYPE))

_UNPACK_ERRORS = (
    msgpack.UnpackException,
    ValueError,
    TypeError,
    OverflowError,
    MemoryError,
    RecursionError,
)
"""The exceptions of msgpack, with or without its C part, for bytes it cannot read."""


def encode(message: Message) -> bytes:
    """Encode a message as a whole frame: its length and its map, `type` first.

    Raises `LocalProtocolError`: the message holds a value that the wire does not carry (a fraction,
    an object, an integer beyond 2^53); a bug of the caller.
    """
    kind = type(message)
    try:
        if kind is Turn:
            payload = _encode_turn(message)
            return len(payload).to_bytes(HEADER_BYTES, "big") + payload
        if isinstance(message, Play):
            fields = _play_fields(message)
        else:
            fields = msgspec.to_builtins(message, builtin_types=(bytes,))
        if not are_plain(fields.values()):
            fields = plain_fields(fields, _KNOWN_FIELDS)
        payload = _pack(fields)
        # The contents of `info` and of a ruleset come from outside this package: they are read as
        # the other side will read them.
        if "info" in fields:
            _read_plain(payload, TO_ARENA)
        elif kind is MatchStart:
            _read_plain(payload, TO_BOT)
    except (NotPlainError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise LocalProtocolError(f"{kind.__name__} cannot be sent: {error}") from None
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


def _play_fields(play: Play) -> dict[str, object]:
    """Return the fields that are set, as they are: msgspec would make any remark plain."""
    fields: dict[str, object] = {"type": "play"}
    for name in Play.__struct_fields__:
        content = getattr(play, name)
        if content is not None:
            fields[name] = content
    return fields


def decode(payload: bytes, direction: Direction) -> Message:
    """Decode the payload of one frame, without its 4 bytes of length, as a message.

    Fields that the message does not have are skipped, but their values must still be plain. In the
    place of a remark that cannot be kept, `Play.info` has a `LeftOut`.

    Raises:
        UnreadableFrameError: the payload is not a map of plain values.
        InvalidMessageError: the map is not a message, or one that never goes this way, or a field
            is missing or wrong.
    """
    if (
        direction is TO_ARENA
        and payload.startswith(_PLAY_START)
        and len(payload) <= direction.max_array
    ):
        # By far the most common message, straight into its struct in a fifth of the time. After the
        # `type` come three more keys, and a play needs `game`, `turn` and one of `moves` and
        # `choice`: there is no room for a key that is repeated, unknown, or `info`. What these four
        # may hold is all plain, and too short for too long an array.
        try:
            return _decode_play(payload)
        except ValueError:  # decoded again below, which reports the mistake in full
            pass
    return _decode_fully(payload, direction)


def _decode_fully(payload: bytes, direction: Direction) -> Message:
    fields = _read(payload, direction)
    tag = fields.get("type")
    cls = None
    if type(tag) is str:
        cls = direction.types.get(tag)
    if cls is None:
        raise _no_such_message(tag, direction)
    if direction is TO_ARENA:
        _check_texts(fields, cls)
    try:
        # Plays hold no byte strings; without naming them msgspec is almost twice as quick.
        if cls is Play:
            return msgspec.convert(fields, Play)
        return cast("Message", msgspec.convert(fields, cls, builtin_types=(bytes,)))
    except msgspec.ValidationError as error:
        problem = _QUOTED_WORD.sub("not one of the words that are allowed", str(error))
    if problem.startswith("Expected `bytes"):
        problem += "; send bytes as msgpack bin, in JavaScript as `Buffer.from(array)`"
    # Raised outside the handler: msgspec's own error may quote a value and must not be kept with
    # this one.
    raise InvalidMessageError(
        ErrorCode.BAD_FIELD,
        f"`{tag}` with a wrong or missing field: {problem}; see its table in the protocol",
    )


def _check_texts(fields: dict[str, object], cls: type[Any]) -> None:
    """Refuse control characters in the texts of a bot: they would reach logs and terminals.

    `info` and `moves` are data, not texts.
    """
    for name in cls.__struct_fields__:
        text = fields.get(name)
        if type(text) is str and name != "info" and not text.isprintable():
            problem = f"`{type_name(cls)}` with a character in `{name}` that cannot be printed"
            raise InvalidMessageError(
                ErrorCode.BAD_FIELD,
                f"{problem}; send one line without control characters",
            )


def _no_such_message(tag: object, direction: Direction) -> InvalidMessageError:
    expected = f"expected one of {', '.join(sorted(direction.types))}"
    if type(tag) is not str:
        return InvalidMessageError(
            ErrorCode.UNKNOWN_TYPE,
            f"a map without a `type` string; {expected}",
        )
    if tag in _KNOWN_TYPES:
        return InvalidMessageError(
            ErrorCode.WRONG_DIRECTION,
            f"`{tag}` never goes {direction.name}; {expected}",
        )
    return UnknownTypeError(ErrorCode.UNKNOWN_TYPE, f"a map with an unknown `type`; {expected}")


def _read(payload: bytes, direction: Direction) -> dict[str, object]:
    """Decode a payload as a map of plain values, with one kind of error for all failures."""
    try:
        return _read_plain(payload, direction)
    except NotPlainError as error:
        fault = error
    if direction is TO_ARENA:
        # A remark is for the record alone: a fault in it costs no more than the remark.
        without_remark = _cut_remark(payload)
        if without_remark is not None:
            try:
                fields = _read_plain(without_remark, direction)
            except NotPlainError as error:
                fault = error
            else:
                fault.place = fault.place or "$.info"
                return fields | {"info": LeftOut(code=fault.code.value, message=str(fault))}
    prefix = payload[:_PREFIX_BYTES].hex(" ") or "nothing"
    raise UnreadableFrameError(
        fault.code,
        f"{fault} (a payload of {len(payload)} bytes that begins with {prefix})",
    )


def _cut_remark(payload: bytes) -> bytes | None:
    """Return the payload without its `info`; None if it is not a map with one `info`."""
    reader: Any = msgpack.Unpacker(
        max_buffer_size=len(payload),
        max_array_len=TO_ARENA.max_array,
        max_map_len=MAX_KEYS,
        strict_map_key=False,
    )
    remark: tuple[int, int] | None = None
    try:
        reader.feed(payload)
        size = reader.read_map_header()
        first = reader.tell()
        for _ in range(size):
            start = reader.tell()
            key = reader.unpack()
            reader.skip()
            if key == "info":
                if remark is not None:
                    return None
                remark = (start, reader.tell())
    except _UNPACK_ERRORS:
        return None
    if remark is None:
        return None
    start, end = remark
    header = b"\xdf" + (int(size) - 1).to_bytes(4, "big")
    return header + payload[first:start] + payload[end:]


def _read_plain(payload: bytes, direction: Direction) -> dict[str, object]:
    """Decode a payload as a map of plain values.

    Raises `NotPlainError`, without anything of msgpack's own error.
    """
    fields = _unpacked(payload, direction)
    if isinstance(fields, NotPlainError):
        raise fields
    if type(fields) is not dict:
        raise NotPlainError(
            ErrorCode.NOT_A_MAP,
            "a value that is not a map; send one map with string keys",
        )
    if are_plain(fields.values()):
        return fields
    return plain_fields(fields, _KNOWN_FIELDS)


def _unpacked(payload: bytes, direction: Direction) -> object:
    size = len(payload)
    try:
        return _unpack(
            payload,
            object_pairs_hook=_map,
            ext_hook=Extension,
            strict_map_key=False,  # `_map` is stricter and can tell what it found
            max_str_len=size,
            max_bin_len=size,
            max_ext_len=size,
            max_array_len=direction.max_array,
            max_map_len=MAX_KEYS,
        )
    except (msgpack.StackError, RecursionError):
        # The second comes from msgpack's version without C.
        code = ErrorCode.TOO_DEEP
        problem = TOO_DEEP
    except msgpack.ExtraData:
        code = ErrorCode.BAD_MSGPACK
        problem = "more bytes after the map; the length must cover exactly one map"
        if payload.startswith(_RECORD_START):
            problem = RECORD
    except UnicodeDecodeError:
        code = ErrorCode.BAD_MSGPACK
        problem = NOT_UTF8
    except _UNPACK_ERRORS as error:
        code = ErrorCode.BAD_MSGPACK
        problem = (
            f"no whole msgpack value ({type(error).__name__}: {error}); expected one map; "
            f"arrays hold at most {direction.max_array} values, maps {MAX_KEYS} keys"
        )
    # Raised outside the handlers: msgpack's own error may hold the payload and must not be kept
    # with this one.
    raise NotPlainError(code, problem)


def _map(pairs: Iterable[tuple[object, object]]) -> dict[str, object] | NotPlainError:
    """Make a map of its pairs; called by msgpack for every map, innermost first."""
    fields: dict[str, object] = {}
    for key, content in pairs:
        if type(key) is not str:
            return NotPlainError(ErrorCode.BAD_KEY, BAD_KEY)
        if key in fields:
            return NotPlainError(ErrorCode.DUPLICATE_KEY, REPEATED_KEY)
        fields[key] = content
    return fields

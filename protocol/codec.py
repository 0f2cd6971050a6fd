"""A message into a frame and back: 4 bytes of length (big-endian), then one msgpack map with string keys.

This is the only module that imports msgpack. It accepts plain values only: nil, booleans, integers within 2^53,
strings, byte strings, arrays, and maps with distinct string keys. msgpack itself would also accept floats, dates,
extension types, byte-string keys, repeated keys and a thousand levels; these are refused here. Errors never quote
received values, because they may contain a token.
"""

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any, Final, cast, get_args

import msgpack  # type: ignore[import-untyped]
import msgspec

from protocol.errors import ErrorCode, InvalidMessageError, LocalProtocolError, UnknownTypeError, UnreadableFrameError
from protocol.fields import MAX_INT
from protocol.messages import FromArena, FromBot, MatchStart, Message, Play, Turn

HEADER_BYTES: Final = 4
"""The length before every payload: unsigned, big-endian, not counting itself."""

MAX_DEPTH: Final = 8
"""How deep arrays and maps may be nested, including the message's own map."""

MAX_KEYS: Final = 256
"""How many keys a map may have."""

# The map's header, the key "token" and its value's header fill eight bytes, so no byte of a token is shown.
_PREFIX_BYTES: Final = 8


class Direction(msgspec.Struct, frozen=True, eq=False):
    """One direction of the wire: the messages that may go there (by `type`) and the longest array they may hold.

    The array limit towards the arena is tight, because msgpack reserves an array's memory as soon as it has read its
    length, before any element has arrived.
    """

    name: str
    types: dict[str, type[Any]]
    max_array: int


def type_name(cls: type[Any]) -> str:
    """The `type` of a message class on the wire."""
    return str(cls.__struct_config__.tag)


def _types(union: Any) -> dict[str, type[Any]]:
    return {type_name(cls): cls for cls in get_args(union)}


TO_ARENA: Final = Direction(name="to the arena", types=_types(FromBot), max_array=1024)
TO_BOT: Final = Direction(name="to a bot", types=_types(FromArena), max_array=65_536)

_KNOWN_TYPES: Final = frozenset(TO_ARENA.types) | frozenset(TO_BOT.types)
_PLAIN: Final = "nil, booleans, integers within 2^53, strings, byte strings, arrays and maps"


def _whole(value: Any) -> int:
    """Take what counts as an integer without being Python's, such as those of numpy; called only for foreign types."""
    try:
        return operator.index(value)
    except TypeError:
        kind = type(value).__name__
        raise TypeError(f"a value of type {kind}; allowed are {_PLAIN}, and what counts as an integer") from None


_pack: Callable[[object], bytes] = msgpack.Packer(default=_whole).pack
# A turn goes out every few microseconds and holds only the arena's own data: encoding the struct directly takes a
# quarter of the time of a map made for msgpack, and gives the same bytes (the vectors check that).
_encode_turn: Final = msgspec.msgpack.Encoder().encode
_unpack: Callable[..., object] = msgpack.unpackb

_PLAY_START: Final = b"\x84\xa4type\xa4play"
"""A map of four keys that begins with its `type`."""
_decode_play: Final = msgspec.msgpack.Decoder(Play).decode

_QUOTED_WORD: Final = re.compile(r"\AInvalid enum value .*(?= - at `[^`]*`\Z)", re.DOTALL)
"""The part of a mistake that msgspec found with the value that it quotes, if only certain words are allowed."""

_UNPACK_ERRORS = (msgpack.UnpackException, ValueError, TypeError, OverflowError, MemoryError, RecursionError)
"""The exceptions of msgpack, with or without its C part, for bytes it cannot read."""


class _RefusedError(Exception):
    """The finding of a check deep inside a payload; `decode` adds the frame's length and first bytes."""

    def __init__(self, code: ErrorCode, found: str) -> None:
        super().__init__(code, found)
        self.code = code
        self.found = found


def encode(message: Message) -> bytes:
    """Encode a message as a whole frame: its length and its map, `type` first.

    Raises `LocalProtocolError`: the message holds a value that the wire does not carry (a float, an object, an integer
    beyond 2^53); a bug of the caller.
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
        payload = _pack(fields)
        # What `info` and a ruleset hold comes from outside this package: it is read as the other side will read it.
        if "info" in fields:
            _read_plain(payload, TO_ARENA)
        elif kind is MatchStart:
            _read_plain(payload, TO_BOT)
    except _RefusedError as refused:
        raise LocalProtocolError(f"{kind.__name__} cannot be sent: {refused.found}") from None
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise LocalProtocolError(f"{kind.__name__} cannot be sent: {error}") from None
    return len(payload).to_bytes(HEADER_BYTES, "big") + payload


def _play_fields(play: Play) -> dict[str, object]:
    fields: dict[str, object] = {"type": "play", "game": play.game, "turn": play.turn}
    if play.moves is not None:
        fields["moves"] = play.moves
    elif play.choice is not None:
        fields["choice"] = play.choice
    if play.info is not None:
        fields["info"] = play.info
    if play.draw is not None:
        fields["draw"] = play.draw
    return fields


def decode(payload: bytes, direction: Direction) -> Message:
    """Decode the payload of one frame (without its 4 bytes of length) as a message of this direction.

    Fields that the message does not have are skipped, but their values must still be plain.

    Raises:
        UnreadableFrameError: the payload is not a map of plain values.
        InvalidMessageError: the map is not a message, or one that never goes this way, or a field is
            missing or wrong.
    """
    if direction is TO_ARENA and payload.startswith(_PLAY_START) and len(payload) <= direction.max_array:
        # By far the most common message, straight into its struct in a fifth of the time. After the `type` come three
        # more keys, and a play needs `game`, `turn` and one of `moves` and `choice`: there is no room for a key that
        # is repeated, unknown, or `info`. What these four may hold is all plain, and too short for too long an array.
        try:
            return _decode_play(payload)
        except ValueError:  # decoded again below, which reports the mistake in full
            pass
    return _decode_fully(payload, direction)


def _decode_fully(payload: bytes, direction: Direction) -> Message:
    fields = _read(payload, direction)
    tag = fields.get("type")
    cls = direction.types.get(tag) if type(tag) is str else None
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
        found = _QUOTED_WORD.sub("not one of the words that are allowed", str(error))
    # Raised outside the handler: msgspec's own error may quote a value and must not be kept with this one.
    raise InvalidMessageError(
        ErrorCode.BAD_FIELD, f"`{tag}` with a wrong or missing field: {found}; see its table in the protocol"
    )


def _check_texts(fields: dict[str, object], cls: type[Any]) -> None:
    """Refuse control characters in the texts of a bot: they would reach logs, records and terminals.

    `info` and `moves` are data, not texts.
    """
    for name in cls.__struct_fields__:
        value = fields.get(name)
        if type(value) is str and name != "info" and not value.isprintable():
            found = f"`{type_name(cls)}` with a character in `{name}` that cannot be printed"
            raise InvalidMessageError(ErrorCode.BAD_FIELD, f"{found}; send one line without control characters")


def _no_such_message(tag: object, direction: Direction) -> InvalidMessageError:
    expected = f"expected one of {', '.join(sorted(direction.types))}"
    if type(tag) is not str:
        return InvalidMessageError(ErrorCode.UNKNOWN_TYPE, f"a map without a `type` string; {expected}")
    if tag in _KNOWN_TYPES:
        return InvalidMessageError(ErrorCode.WRONG_DIRECTION, f"`{tag}` never goes {direction.name}; {expected}")
    return UnknownTypeError(ErrorCode.UNKNOWN_TYPE, f"a map with an unknown `type`; {expected}")


def _read(payload: bytes, direction: Direction) -> dict[str, object]:
    """Decode a payload as a map of plain values; every failure of msgpack becomes one kind of error."""
    try:
        return _read_plain(payload, direction)
    except _RefusedError as refused:
        code, found = refused.code, refused.found
    except (msgpack.StackError, RecursionError):  # the second comes from msgpack's version without C
        code, found = ErrorCode.TOO_DEEP, _too_deep()
    except msgpack.ExtraData:
        code, found = ErrorCode.BAD_MSGPACK, "more bytes after the map; the length must cover exactly one map"
    except UnicodeDecodeError:
        code, found = ErrorCode.BAD_MSGPACK, "a string that is not UTF-8; send raw bytes as msgpack bin"
    except _UNPACK_ERRORS as error:
        code = ErrorCode.BAD_MSGPACK
        found = (
            f"no whole msgpack value ({type(error).__name__}: {error}); "
            f"expected one map; arrays hold at most {direction.max_array} values, maps {MAX_KEYS} keys"
        )
    prefix = payload[:_PREFIX_BYTES].hex(" ") or "nothing"
    # Raised outside the handlers: msgpack's own error may hold the payload and must not be kept with this one.
    raise UnreadableFrameError(code, f"{found} (a payload of {len(payload)} bytes that begins with {prefix})")


def _read_plain(payload: bytes, direction: Direction) -> dict[str, object]:
    size = len(payload)
    value = _unpack(
        payload,
        object_pairs_hook=_map,
        strict_map_key=False,  # `_map` is stricter and can tell what it found
        max_str_len=size,
        max_bin_len=size,
        max_ext_len=size,
        max_array_len=direction.max_array,
        max_map_len=MAX_KEYS,
    )
    if type(value) is not dict:
        raise _RefusedError(ErrorCode.NOT_A_MAP, "a value that is not a map; send one map with string keys")
    _check(value.values(), MAX_DEPTH - 1)
    return value


def _too_deep() -> str:
    return f"values nested too deep; at most {MAX_DEPTH} arrays and maps may lie in each other"


def _map(pairs: Iterable[tuple[object, object]]) -> dict[str, object]:
    """Make a map of its pairs; called by msgpack for every map, innermost first."""
    fields: dict[str, object] = {}
    for key, value in pairs:
        if type(key) is not str:
            raise _RefusedError(ErrorCode.BAD_KEY, "a map key that is not a string; send every key as msgpack str")
        if key in fields:
            raise _RefusedError(ErrorCode.DUPLICATE_KEY, "a map with the same key twice; send each key once")
        fields[key] = value
    return fields


def _check(values: Iterable[object], levels: int) -> None:
    """Refuse values that are not plain; inside these values `levels` more arrays and maps may be nested."""
    for value in values:
        kind = type(value)
        if kind is int:
            if not -MAX_INT <= value <= MAX_INT:  # type: ignore[operator]
                raise _RefusedError(ErrorCode.BAD_VALUE, "an integer beyond 2^53; send it as a string")
        elif kind is list or kind is tuple:
            if not levels:
                raise _RefusedError(ErrorCode.TOO_DEEP, _too_deep())
            _check(value, levels - 1)  # type: ignore[arg-type]
        elif kind is dict:
            if not levels:
                raise _RefusedError(ErrorCode.TOO_DEEP, _too_deep())
            _check(value.values(), levels - 1)  # type: ignore[attr-defined]
        elif kind is not str and kind is not bool and value is not None and kind is not bytes:
            found = f"a value of type {kind.__name__}; allowed are {_PLAIN}"
            raise _RefusedError(ErrorCode.BAD_VALUE, found)

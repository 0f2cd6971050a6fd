"""The values that the wire carries, and the errors for those it does not.

Plain values are nil, booleans, integers within 2^53, strings, byte strings, arrays, and maps with
distinct string keys. A float without a fraction is read as the integer it stands for: some
languages have no other numbers, and some libraries write every large integer so. It is never
written. Errors name the place of a value and never quote it.
"""

import math
import operator
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from protocol.errors import ErrorCode
from protocol.fields import MAX_INT

MAX_DEPTH: Final = 8
"""How deep arrays and maps may be nested, including the message's own map."""

_LONGEST_KEY: Final = 24
"""A longer key is not named in an error."""

_PLAIN: Final = "nil, booleans, integers within 2^53, strings, byte strings, arrays and maps"


class Extension(NamedTuple):
    """A value of a msgpack extension type, which nothing here carries."""

    code: int
    content: bytes


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """Stands in `Play.info` for a remark that cannot be kept. The answer counts without it."""

    code: str
    """The code of the error that the value would have been elsewhere."""
    message: str
    """The problem, its place, and what to send instead."""


class NotPlainError(Exception):
    """A value that the wire does not carry: the code of the error, the problem, and its place.

    It also stands in the place of a map with bad keys, and is raised when its place is known.
    """

    def __init__(self, code: ErrorCode, problem: str) -> None:
        super().__init__(code, problem)
        self.code = code
        self.problem = problem
        self.place = ""
        """Path to the value, such as `$.info.at`; empty if it is not known."""

    def __str__(self) -> str:
        if not self.place:
            return self.problem
        return f"{self.problem} - at `{self.place}`"

    def within(self, step: str) -> None:
        """Note that the place is below this one."""
        self.place = step + self.place


# One function, with a branch for each kind: it runs for every message, and goes into its arrays.
def are_plain(values: Iterable[object], levels: int = MAX_DEPTH - 1) -> bool:
    """Return whether all these values are plain; `levels` more arrays and maps may lie inside them.

    This is the quick look at every message. `plain_fields` then says what is wrong, or mends it.
    """
    for value in values:
        kind = type(value)
        if kind is int:
            if not -MAX_INT <= value <= MAX_INT:  # type: ignore[operator]
                return False
        elif kind is list or kind is tuple:
            if not levels or not are_plain(value, levels - 1):  # type: ignore[arg-type]
                return False
        elif kind is dict:
            inside = value.values()  # type: ignore[attr-defined]
            if not levels or not are_plain(inside, levels - 1):
                return False
        elif kind is not str and kind is not bool and value is not None and kind is not bytes:
            return False
    return True


def plain_fields(fields: Mapping[str, object], names: Collection[str]) -> dict[str, object]:
    """Return the fields of a message with whole floats as integers.

    `names` are the fields that messages have: any other name may be a secret in the wrong place.
    Raises `NotPlainError`, with the place.
    """
    plain: dict[str, object] = {}
    for name, content in fields.items():
        try:
            plain[name] = _plain(content, MAX_DEPTH - 1)
        except NotPlainError as error:
            if name in names:
                error.within(f"$.{name}")
            else:
                error.place = "$[...]"
            raise
    return plain


def _plain(value: Any, levels: int) -> object:
    if isinstance(value, NotPlainError):
        raise value
    if isinstance(value, Extension):
        raise NotPlainError(ErrorCode.BAD_VALUE, _problem_of_extension(value))
    if isinstance(value, float):
        return _whole(value)
    if isinstance(value, list | tuple):
        return _plain_array(value, _below(levels))
    if isinstance(value, dict):
        return _plain_map(value, _below(levels))
    if value is None or isinstance(value, str | bool | bytes | bytearray | memoryview):
        return value
    try:
        return _within_range(operator.index(value))  # integers of numpy count as well
    except TypeError:
        problem = _problem_of_object(type(value).__name__)
        raise NotPlainError(ErrorCode.BAD_VALUE, problem) from None


def _below(levels: int) -> int:
    if not levels:
        raise NotPlainError(ErrorCode.TOO_DEEP, TOO_DEEP)
    return levels - 1


def _plain_array(elements: Iterable[object], levels: int) -> list[object]:
    plain: list[object] = []
    for element in elements:
        try:
            plain.append(_plain(element, levels))
        except NotPlainError as error:
            error.within(f"[{len(plain)}]")
            raise
    return plain


def _plain_map(pairs: Mapping[object, object], levels: int) -> dict[str, object]:
    plain: dict[str, object] = {}
    for key, content in pairs.items():
        if not isinstance(key, str):
            raise NotPlainError(ErrorCode.BAD_KEY, BAD_KEY)
        try:
            plain[key] = _plain(content, levels)
        except NotPlainError as error:
            step = "[...]"
            if key.isidentifier() and len(key) <= _LONGEST_KEY:
                step = f".{key}"
            error.within(step)
            raise
    return plain


def _whole(number: float) -> int:
    """Return the integer that a float stands for. Raises `NotPlainError`: it stands for none."""
    if number.is_integer():
        return _within_range(int(number))
    if math.isinf(number):
        problem = "an infinite number; leave it out, or send it as text"
    elif math.isnan(number):
        problem = "NaN in the place of a number; leave it out, or send nil"
    else:
        problem = "a number with a fraction; send a whole number, such as thousandths, or text"
    raise NotPlainError(ErrorCode.BAD_VALUE, problem)


def _within_range(number: int) -> int:
    if not -MAX_INT <= number <= MAX_INT:
        raise NotPlainError(ErrorCode.BAD_VALUE, "an integer beyond 2^53; send it as a string")
    return number


NOT_UTF8: Final = (
    "a string that is not UTF-8; send raw bytes as msgpack bin, and in JavaScript a text "
    "that may be cut within a character as `text.toWellFormed()`"
)
TOO_DEEP: Final = (
    f"values nested too deep; at most {MAX_DEPTH} arrays and maps may lie in each other"
)
BAD_KEY: Final = "a map key that is not a string; send every key as msgpack str"
REPEATED_KEY: Final = "a map with the same key twice; send each key once"
RECORD: Final = (
    "a record of msgpackr, which is no msgpack map; encode with `pack` of msgpackr, or with "
    "`new Packr({useRecords: false})`"
)

_UNDEFINED: Final = 0
"""msgpackr, what-the-pack and @ably/msgpack-js write `undefined` as this type with the data 0."""
_NO_NUMBERS: Final = (b"\x01", b"\x02", b"\x03")
"""The data by which what-the-pack writes NaN and the infinities as the same type."""
RECORD_TYPE: Final = 0x72
"""msgpackr begins a record with this type."""
_ARRAYS_OF_LITE: Final = range(0x11, 0x1E)
"""msgpack-lite writes typed arrays and their buffers as these types, one for each class."""
_DATE_OF_LITE: Final = 0x0D
_ARRAYS_OF_MSGPACKR: Final = 0x74
"""msgpackr does so with `moreTypes`."""


def _problem_of_extension(extension: Extension) -> str:
    code = extension.code
    if code == RECORD_TYPE:
        return RECORD
    if code == _UNDEFINED and extension.content in _NO_NUMBERS:
        return "NaN or an infinite number, as what-the-pack writes it; leave it out, or send null"
    if code == _UNDEFINED:
        return (
            "`undefined` as some libraries of JavaScript write it; "
            "leave the key out, send null, or set `encodeUndefinedAsNil: true` in msgpackr"
        )
    if code in _ARRAYS_OF_LITE:
        return "a typed array as msgpack-lite writes it; send bytes as `Buffer.from(array)`"
    if code == _ARRAYS_OF_MSGPACKR:
        return "a typed array as msgpackr writes it with `moreTypes`; set `moreTypes: false`"
    if code == _DATE_OF_LITE:
        return (
            f"extension type {code}, by which msgpack-lite writes a date; "
            "send `date.getTime()`, or text"
        )
    return f"a value of extension type {code}; allowed are {_PLAIN}"


def _problem_of_object(kind: str) -> str:
    if kind == "Timestamp":
        return "a date (msgpack timestamp); send whole milliseconds, or text"
    return f"a value of type {kind}; allowed are {_PLAIN}, and what counts as an integer"

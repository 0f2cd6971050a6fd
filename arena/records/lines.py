"""A fact as a line of a record and back: one JSON object a line, in exactly one form, so that bytes can be compared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, TypeVar, get_args

import msgspec

from arena.nearest import nearest
from arena.records.facts import MatchLine, RecordClosed, TournamentFact
from arena.tournaments.errors import TournamentError
from arena.tournaments.formats.registry import format_named

LONGEST_NAME: Final = 60
"""Characters that are shown of a name that is not known."""

UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not the JSON it wants: no JSON, no UTF-8, too deep."""

T = TypeVar("T")


class RecordError(Exception):
    """A record is wrong: the message says where, what was found and what was expected."""

    def __init__(self, where: str, message: str) -> None:
        self.where = where
        self.message = message
        super().__init__(f"{where}: {message}")


encode_line: Callable[[msgspec.Struct], bytes] = msgspec.json.Encoder().encode
"""One fact as JSON without the newline; fields in the order of the schema."""


def event_of(fact: msgspec.Struct) -> str:
    """The value of `event` in a line of this fact."""
    return str(type(fact).__struct_config__.tag)


def closing_line(before: bytes) -> bytes:
    """The closing line for a file whose bytes so far are `before`."""
    return encode_line(RecordClosed(sha256=hashlib.sha256(before).hexdigest()))


class LineReader(Generic[T]):
    """Reads the lines of one kind of record, strictly."""

    def __init__(self, kind: Any) -> None:
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(kind)
        self._kinds = {str(one.__struct_config__.tag): one for one in get_args(kind)}

    def read(self, name: str, data: bytes) -> Iterator[tuple[int, T]]:
        """Every fact of a file with its line number; checks form and closing lines on the way.

        Raises `RecordError` at the first line that is cut short, unreadable or not in the canonical form, or is a
        closing line that does not match the bytes before it.
        """
        start = 0
        for number, line in enumerate(data.split(b"\n"), start=1):
            where = f"{name}:{number}"
            if start + len(line) == len(data):
                if line:
                    raise RecordError(where, "the last line is incomplete; its write was cut short")
                return
            fact = self.read_line(where, line)
            if isinstance(fact, RecordClosed) and closing_line(data[:start]) != line:
                raise RecordError(where, "the closing line does not fit the lines before it: they were changed")
            yield number, fact
            start += len(line) + 1

    def read_line(self, where: str, line: bytes) -> T:
        """One fact; raises `RecordError`."""
        try:
            fact = self._decoder.decode(line)
        except UNREADABLE as error:
            reason = self._unknown(line) or f"not a line of this record: {error}"
            raise RecordError(where, reason) from error
        if encode_line(fact) != line:  # type: ignore[arg-type]  # every kind of line is a struct
            raise RecordError(where, "the line is not in the form in which records are written")
        if (b"\\" in line or not line.isascii()) and not _is_printable(msgspec.to_builtins(fact)):
            raise RecordError(where, "a text holds a control character; records hold only what can be printed")
        return fact

    def _unknown(self, line: bytes) -> str:
        """Return what is unknown in a line of another version, and what is known; empty if nothing is."""
        try:
            fields = msgspec.json.decode(line, type=dict[str, Any])
        except UNREADABLE:
            return ""
        event = fields.get("event")
        if not isinstance(event, str):
            return ""
        event = event[:LONGEST_NAME]
        if event not in self._kinds:
            return f"unknown event {event!r}; known are {', '.join(self._kinds)}{nearest(event, self._kinds)}"
        known = {field.name: field.default for field in msgspec.structs.fields(self._kinds[event])}
        for name, what in (("v", "version"), ("format", "format")):
            if name in known and fields.get(name) != known[name]:
                return f"unknown {what} {str(fields.get(name))[:LONGEST_NAME]!r}; this arena reads {known[name]!r}"
        schedule = fields.get("schedule")
        try:
            if isinstance(schedule, dict):
                format_named(schedule.get("name"))
        except TournamentError as error:
            return str(error)
        return ""


def _is_printable(value: object) -> bool:
    """True if no text in a line could steer a terminal; `moves` and `info` are data of bots, and shown as such."""
    if isinstance(value, dict):
        return all(_is_printable(one) for name, one in value.items() if name not in ("moves", "info"))
    if isinstance(value, list | tuple):
        return all(map(_is_printable, value))
    return not isinstance(value, str) or value.isprintable()


match_lines: LineReader[MatchLine] = LineReader(MatchLine)
tournament_lines: LineReader[TournamentFact] = LineReader(TournamentFact)

"""A fact as a line of a record and back: one JSON object a line, in one form only, so that bytes can be compared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import msgspec

from arena.records.facts import MatchLine, RecordClosed, TournamentFact

T = TypeVar("T")


class RecordError(Exception):
    """A record does not say what it must: where, what was found, what was expected."""

    def __init__(self, where: str, message: str) -> None:
        self.where = where
        self.message = message
        super().__init__(f"{where}: {message}")


encode_line: Callable[[msgspec.Struct], bytes] = msgspec.json.Encoder().encode
"""One fact as JSON without the newline; fields in the order of the schema."""


def event_of(fact: msgspec.Struct) -> str:
    """What a line of this fact has under `event`."""
    return str(type(fact).__struct_config__.tag)


def closing_line(before: bytes) -> bytes:
    """The line that closes a file whose bytes so far are `before`."""
    return encode_line(RecordClosed(sha256=hashlib.sha256(before).hexdigest()))


class LineReader(Generic[T]):
    """Reads the lines of one kind of record, strictly."""

    def __init__(self, kind: Any) -> None:
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(kind)

    def read(self, name: str, data: bytes) -> Iterator[tuple[int, T]]:
        """Every fact of a file with its line number; checks form and closing lines on the way.

        Raises `RecordError` at the first line that is torn, unreadable, not in the one form, or a closing line
        that does not fit the bytes before it.
        """
        start = 0
        for number, line in enumerate(data.split(b"\n"), start=1):
            where = f"{name}:{number}"
            if start + len(line) == len(data):
                if line:
                    raise RecordError(where, "the last line has no end; the write was cut short")
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
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise RecordError(where, f"not a line of this record: {error}") from error
        if encode_line(fact) != line:  # type: ignore[arg-type]  # every kind of line is a struct
            raise RecordError(where, "the line is not in the form in which records are written")
        return fact


match_lines: LineReader[MatchLine] = LineReader(MatchLine)
tournament_lines: LineReader[TournamentFact] = LineReader(TournamentFact)

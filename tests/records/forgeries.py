"""Runs with forbidden changes: of bytes, of lines, and false lines whose hashes fit."""

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.records.lines import RecordError
from arena.records.verify import verify_run
from tests.matches.sitting import Sitting
from tests.records.small_run import TERMS, Files

LEDGER = "tournament.jsonl"


def bytes_of(files: Files) -> Iterator[tuple[str, int]]:
    """Every byte of a run: file and place."""
    for name, data in files.items():
        for place in range(len(data)):
            yield name, place


def replaced(files: Files, name: str, place: int, old: int, new: bytes) -> Files:
    """The run with `old` bytes at a place of a file replaced by others."""
    data = files[name]
    return files | {name: data[:place] + new + data[place + old :]}


def assert_refused(files: Files, *places: str) -> RecordError:
    """Verification fails with a RecordError, one that names one of the places if any is given."""
    with pytest.raises(RecordError) as caught:
        verify_run(files)
    assert not places or any(place in str(caught.value) for place in places), str(caught.value)
    return caught.value


Line = dict[str, Any]


def nth(found: list[Line], event: str, number: int = 0) -> Line:
    """The line of an event, the first unless another is asked for."""
    return [line for line in found if line["event"] == event][number]


def setting(event: str, number: int = 0, **fields: Any) -> Callable[[list[Line]], None]:
    """Change fields of one line; `a__b` is field b inside a."""

    def change(found: list[Line]) -> None:
        for name, value in fields.items():
            *path, last = name.split("__")
            inner: Any = nth(found, event, number)
            for step in path:
                inner = inner[int(step) if step.isdigit() else step]
            inner[int(last) if last.isdigit() else last] = value

    return change


def without(event: str, number: int = 0) -> Callable[[list[Line]], None]:
    """Leave one line out."""
    return lambda found: found.remove(nth(found, event, number))


def twice(event: str, number: int = 0) -> Callable[[list[Line]], None]:
    """Tell one line twice."""

    def change(found: list[Line]) -> None:
        line = nth(found, event, number)
        found.insert(found.index(line), copy.deepcopy(line))

    return change


def no_show(fixture: str, absent: int, *, attempt: int = 1) -> Sitting:
    """A match that one bot, or neither (0), came to."""
    sitting = Sitting(terms=TERMS, fixture=fixture, attempt=attempt)
    if absent:
        sitting.ready(2 if absent == 1 else 1)
    sitting.waits(5000)
    return sitting


def without_field(event: str, name: str, number: int = 0) -> Callable[[list[Line]], None]:
    """Leave a field out of one line."""
    return lambda found: nth(found, event, number).__delitem__(name)

"""The records of a run at one moment, whether it is finished or going on."""

from collections.abc import Iterator, Mapping
from typing import Final

from arena.records.facts import (
    FixtureIssued,
    FixtureSettled,
    RecordClosed,
    TournamentFact,
)
from arena.records.files import (
    MATCHES,
    TOURNAMENT_FILE,
    TOURNAMENT_RECORD,
    Files,
    match_record,
    match_records,
)
from arena.records.lines import (
    Attempt,
    RecordError,
    opened_in,
    read_attempts,
    read_tournament,
    whole_lines,
)
from arena.tournaments.schedule import parse_fixture
from arena.words import Said

_HEADER: Final = b'{"event":"match_opened",'
CLOSING: Final = b'{"event":"record_closed"'
"""How a closing line begins."""


class Snapshot(Mapping[str, bytes]):
    """The files of a run by name, without last lines that are being written, or were cut short.

    Matches and attempts that were issued after the tournament record was read are left out, so that
    all files fit together even while the run goes on.
    """

    def __init__(self, files: Files) -> None:
        """Read the tournament record.

        Raises `RecordError` if it is missing, cannot be read or does not begin with
        `tournament_opened`.
        """
        if TOURNAMENT_RECORD not in files:
            raise RecordError(TOURNAMENT_RECORD, Said("record.no_file"))
        self._files = files
        record = files[TOURNAMENT_RECORD]
        self._record = whole_lines(record)
        self.torn: set[str] = set()
        """The records read so far whose last line was incomplete."""
        if len(self._record) < len(record):
            self.torn.add(TOURNAMENT_RECORD)
        self.facts: list[TournamentFact] = []
        self.settled: dict[str, FixtureSettled] = {}
        last_attempt: dict[str, int] = {}
        for _, fact in read_tournament(TOURNAMENT_RECORD, self._record):
            self.facts.append(fact)
            if isinstance(fact, FixtureIssued):
                last_attempt[fact.fixture] = fact.attempt
            elif isinstance(fact, FixtureSettled):
                self.settled[fact.fixture] = fact
        self.opened = opened_in(self.facts)
        self.fixtures: list[str] = []
        """The fixtures that have a record, or must have one, in the order in which they were
        issued."""
        self._attempts: dict[str, int] = {}
        """The number of issued attempts, by the name of the record."""
        self._names: list[str] = []
        self._list_records(last_attempt)

    def _list_records(self, last_attempt: Mapping[str, int]) -> None:
        """List the names of the records; `last_attempt` is the number of it, by fixture."""
        existing = set(self._files)
        if TOURNAMENT_FILE in existing:
            self._names.append(TOURNAMENT_FILE)
        self._names.append(TOURNAMENT_RECORD)
        for fixture, attempts in last_attempt.items():
            name = match_record(fixture)
            self._attempts[name] = attempts
            if name in existing:
                self._names.append(name)
            if name in existing or fixture in self.settled:
                self.fixtures.append(fixture)

    def __getitem__(self, name: str) -> bytes:
        """Return the whole lines of a record."""
        if name == TOURNAMENT_RECORD:
            return self._record
        record = self._files[name]
        if not name.startswith(MATCHES):
            return record
        whole = whole_lines(record)
        if len(whole) < len(record):
            self.torn.add(name)
        # Nothing is added to a closed run, so an attempt too many is not new there and must be
        # seen.
        if isinstance(self.facts[-1], RecordClosed):
            return whole
        return _first_attempts(whole, self._attempts.get(name, 0))

    def __contains__(self, name: object) -> bool:
        """Return whether it has a file of this name, without reading it."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def attempts(self, fixture: str) -> list[Attempt]:
        """Return every attempt at a fixture, with the settled one.

        Raises `RecordError` if the file is not the record of the fixture.
        """
        name = match_record(fixture)
        if name not in self:
            raise RecordError(name, Said("record.settled_missing"))
        attempts = read_attempts(name, self[name])
        parsed = parse_fixture(fixture)
        settled = self.settled.get(fixture)
        if settled is not None:
            numbers = [attempt.opened.attempt for attempt in attempts]
            if settled.attempt not in numbers:
                problem = Said("record.settled_attempt_missing", {"attempt": settled.attempt})
                raise RecordError(name, problem)
        for attempt in attempts:
            opened = attempt.opened
            is_of_it = (opened.match, *opened.entrants) == (fixture, parsed.first, parsed.second)
            if not is_of_it or opened.ruleset != self.opened.ruleset:
                problem = Said("record.other_match", {"attempt": opened.attempt})
                raise RecordError(name, problem)
        return attempts


def as_it_stands(files: Files) -> Files:
    """Return the verifiable part of a run.

    It is all of the run if its tournament record is closed, else a `Snapshot`. A closing line that
    was cut short counts as one, so that no byte of a finished run can be lost unnoticed. Raises
    `RecordError` if the tournament record cannot be read.
    """
    record = files.get(TOURNAMENT_RECORD, b"")
    whole = whole_lines(record)
    incomplete_line = record[len(whole) :]
    last_line = whole[whole.rfind(b"\n", 0, -1) + 1 :]
    is_closed = last_line.startswith(CLOSING) or incomplete_line.startswith(CLOSING)
    if is_closed or not record:
        return files
    return Snapshot(files)


def is_unbegun(files: Files) -> bool:
    """Return whether the run stopped before anything was played.

    Then not even the first line of its tournament record is whole.
    """
    has_lines = bool(whole_lines(files.get(TOURNAMENT_RECORD, b"")))
    return TOURNAMENT_FILE in files and not has_lines and not any(match_records(files))


def _first_attempts(record: bytes, number: int) -> bytes:
    """Return the first attempts in a match record."""
    end = 0
    for _ in range(number):
        end = record.find(b"\n" + _HEADER, end) + 1
        if not end:
            return record
    return record[:end]

"""The records of a run at one moment, whether it is finished or going on."""

from collections.abc import Iterator, Mapping
from typing import Final

from arena.records.facts import FixtureIssued, FixtureSettled, RecordClosed, TournamentFact
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
        """Raises `RecordError` if the tournament record is missing, cannot be read or has no first line."""
        if TOURNAMENT_RECORD not in files:
            raise RecordError(TOURNAMENT_RECORD, Said("record.no_file"))
        self._files = files
        data = files[TOURNAMENT_RECORD]
        self._record = whole_lines(data)
        self.facts: list[TournamentFact] = [
            fact for _, fact in read_tournament(TOURNAMENT_RECORD, self._record)
        ]
        self.opened = opened_in(self.facts)
        issued = {
            fact.fixture: fact.attempt for fact in self.facts if isinstance(fact, FixtureIssued)
        }
        there = set(files)
        self.settled = {
            fact.fixture: fact for fact in self.facts if isinstance(fact, FixtureSettled)
        }
        self.fixtures = [
            fixture
            for fixture in issued
            if match_record(fixture) in there or fixture in self.settled
        ]
        """The fixtures that have a record, or must have one, in the order in which they were
        issued."""
        self._attempts = {match_record(fixture): attempt for fixture, attempt in issued.items()}
        """The number of issued attempts, by the name of the record."""
        self.torn = {TOURNAMENT_RECORD} if len(self._record) < len(data) else set()
        """The records read so far whose last line was incomplete."""
        names = (TOURNAMENT_FILE, TOURNAMENT_RECORD, *map(match_record, self.fixtures))
        self._names = [name for name in names if name in there]

    def __getitem__(self, name: str) -> bytes:
        """The whole lines of a record."""
        if name == TOURNAMENT_RECORD:
            return self._record
        data = self._files[name]
        if not name.startswith(MATCHES):
            return data
        whole = whole_lines(data)
        if len(whole) < len(data):
            self.torn.add(name)
        # Nothing is added to a closed run, so an attempt too many is not new there and must be
        # seen.
        return (
            whole
            if isinstance(self.facts[-1], RecordClosed)
            else _first_attempts(whole, self._attempts.get(name, 0))
        )

    def __contains__(self, name: object) -> bool:
        """Return whether it has a file of this name; without reading it."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def attempts(self, fixture: str) -> list[Attempt]:
        """Every attempt at a fixture, with the settled one; raises `RecordError` if the file is not its record."""
        name = match_record(fixture)
        if name not in self:
            raise RecordError(name, Said("record.settled_missing"))
        attempts = read_attempts(name, self[name])
        played = parse_fixture(fixture)
        settled = self.settled.get(fixture)
        if settled is not None and settled.attempt not in [
            attempt.opened.attempt for attempt in attempts
        ]:
            raise RecordError(
                name, Said("record.settled_attempt_missing", {"attempt": settled.attempt})
            )
        for attempt in attempts:
            opened = attempt.opened
            is_of_it = (opened.match, *opened.entrants) == (fixture, played.first, played.second)
            if not is_of_it or opened.ruleset != self.opened.ruleset:
                raise RecordError(name, Said("record.other_match", {"attempt": opened.attempt}))
        return attempts


def as_it_stands(files: Files) -> Files:
    """The verifiable part of a run: all of it if its tournament record is closed, else a `Snapshot`.

    A closing line that was cut short counts as one, so that no byte of a finished run can be lost
    unnoticed. Raises `RecordError` if the tournament record cannot be read.
    """
    data = files.get(TOURNAMENT_RECORD, b"")
    whole = whole_lines(data)
    last, rest = whole[whole.rfind(b"\n", 0, -1) + 1 :], data[len(whole) :]
    return (
        files
        if not data or last.startswith(CLOSING) or rest.startswith(CLOSING)
        else Snapshot(files)
    )


def is_unbegun(files: Files) -> bool:
    """Return whether the run stopped before the first line of its tournament record was whole: nothing was played."""
    has_lines = bool(whole_lines(files.get(TOURNAMENT_RECORD, b"")))
    return TOURNAMENT_FILE in files and not has_lines and not any(match_records(files))


def _first_attempts(data: bytes, number: int) -> bytes:
    end = 0
    for _ in range(number):
        end = data.find(b"\n" + _HEADER, end) + 1
        if not end:
            return data
    return data[:end]

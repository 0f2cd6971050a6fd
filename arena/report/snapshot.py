"""The records of a run as they stand at one moment, be it finished or going on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from arena.records.facts import FixtureIssued, FixtureSettled, TournamentFact, TournamentOpened
from arena.records.lines import RecordError
from arena.records.reading import Attempt, read_attempts, read_tournament, whole_lines
from arena.records.verify import MATCHES, TOURNAMENT_FILE, TOURNAMENT_RECORD, match_record
from arena.tournaments.schedule import parse_fixture


class Snapshot(Mapping[str, bytes]):
    """The files of a run by name, without last lines that are being written, or were cut short.

    Matches that were issued after the tournament record was read are left out, so that it fits a run that goes on.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """Raises `RecordError` if the tournament record is missing, cannot be read or has no first line."""
        if TOURNAMENT_RECORD not in files:
            raise RecordError(TOURNAMENT_RECORD, "the file is missing from the run")
        self._files = files
        self._record = whole_lines(files[TOURNAMENT_RECORD])
        self.facts: list[TournamentFact] = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, self._record)]
        if not self.facts or not isinstance(self.facts[0], TournamentOpened):
            raise RecordError(f"{TOURNAMENT_RECORD}:1", "a tournament record begins with tournament_opened")
        self.opened: TournamentOpened = self.facts[0]
        issued = dict.fromkeys(fact.fixture for fact in self.facts if isinstance(fact, FixtureIssued))
        there = set(files)
        self.settled = {fact.fixture: fact for fact in self.facts if isinstance(fact, FixtureSettled)}
        self.fixtures = [fixture for fixture in issued if match_record(fixture) in there or fixture in self.settled]
        """Those that have a record of their own, or must have one, in the order in which they were issued."""
        found = [name for name in (TOURNAMENT_FILE, TOURNAMENT_RECORD) if name in there]
        self._names = dict.fromkeys([*found, *(name for name in map(match_record, self.fixtures) if name in there)])

    def __getitem__(self, name: str) -> bytes:
        """The whole lines of a record."""
        if name == TOURNAMENT_RECORD:
            return self._record
        data = self._files[name]
        return whole_lines(data) if name.startswith(MATCHES) else data

    def __contains__(self, name: object) -> bool:
        """Whether it has a file of this name; without reading it."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        """The names of all files."""
        return iter(self._names)

    def __len__(self) -> int:
        """How many files there are."""
        return len(self._names)

    def attempts(self, fixture: str) -> list[Attempt]:
        """Every attempt at a fixture that has written anything; raises `RecordError` if the file is not its record.

        The one that was settled is among them.
        """
        name = match_record(fixture)
        if name not in self:
            raise RecordError(name, "the record of a settled match is missing")
        attempts = read_attempts(name, self[name])
        played = parse_fixture(fixture)
        settled = self.settled.get(fixture)
        if settled is not None and settled.attempt not in [attempt.opened.attempt for attempt in attempts]:
            raise RecordError(name, f"attempt {settled.attempt}, which was settled, is missing")
        for attempt in attempts:
            opened = attempt.opened
            is_of_it = (opened.match, *opened.entrants) == (fixture, played.first, played.second)
            if not is_of_it or opened.ruleset != self.opened.ruleset:
                raise RecordError(name, f"attempt {opened.attempt} is of another match, or by other rules")
        return attempts

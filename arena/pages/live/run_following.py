"""The tournament record followed while it grows: lines in, standings out; pure, without files or clocks."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from arena.games import Game
from arena.pages.contents import RunPage
from arena.pages.run_page import meetings_of, run_page
from arena.records.facts import (
    FixtureIssued,
    FixtureSettled,
    FixtureVoided,
    RecordClosed,
    TournamentFact,
    TournamentOpened,
)
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError, rules_on_record, tournament_lines
from arena.records.state import TournamentState
from arena.tournaments import TournamentError
from arena.tournaments.standings import Standings


class RunFollower:
    """The state of a run after the lines of its tournament record so far."""

    def __init__(self) -> None:
        self.lines = 0
        """How many lines were taken."""
        self.state: TournamentState | None = None
        self.rules: Game[Any] | None = None
        self.running: dict[str, FixtureIssued] = {}
        """The matches that are issued and neither settled nor void."""
        self.latest_ms = 0
        self.broken = ""
        """Why the record cannot be followed any further; empty if it can."""
        self._read = 0
        self._due: deque[tuple[TournamentFact, bytes]] = deque()
        self._hash = hashlib.sha256()
        self.size = 0
        """How many bytes the lines have that were taken."""
        self._table: Standings | None = None

    def read(self, lines: Iterable[bytes]) -> None:
        """Take whole lines as they are in the file; what cannot be read stops here."""
        if self.broken:
            return
        for line in lines:
            self._read += 1
            try:
                fact = tournament_lines.read_line(f"{TOURNAMENT_RECORD}:{self._read}", line)
            except RecordError as error:
                self.broken = str(error)
                return
            self._due.append((fact, line))

    @property
    def sha256(self) -> str:
        """The hash of the lines that were taken."""
        return self._hash.hexdigest()

    def advance(self, until_ms: int | None = None) -> list[tuple[int, TournamentFact]]:
        """Take the lines that were read, each with its number from 1; with `until_ms`, later ones are held back."""
        taken: list[tuple[int, TournamentFact]] = []
        while self._due:
            fact, line = self._due[0]
            if until_ms is not None and not isinstance(fact, RecordClosed) and fact.at_ms > until_ms:
                break
            self._due.popleft()
            try:
                self._take(fact)
            except (RecordError, TournamentError) as error:
                self.broken = str(error)
                self._due.clear()
                break
            self.lines += 1
            self.size += len(line) + 1
            self._hash.update(line + b"\n")
            taken.append((self.lines, fact))
        if taken:
            self._table = None
        return taken

    def _take(self, fact: TournamentFact) -> None:
        where = f"{TOURNAMENT_RECORD}:{self.lines + 1}"
        if not isinstance(fact, RecordClosed):
            self.latest_ms = fact.at_ms
        if self.state is None:
            if not isinstance(fact, TournamentOpened):
                raise RecordError(where, "a tournament record begins with tournament_opened")
            self.rules = rules_on_record(fact.ruleset, where)
            self.state = TournamentState(fact)
        self.state.take(fact)
        if isinstance(fact, FixtureIssued):
            self.running[fact.fixture] = fact
        elif isinstance(fact, FixtureSettled | FixtureVoided):
            self.running.pop(fact.fixture, None)

    @property
    def is_begun(self) -> bool:
        """Whether the first line was taken."""
        return self.state is not None

    def table(self) -> Standings:
        """The standings after the lines so far. Raises `RecordError` if they give none."""
        assert self.state is not None, "nothing was read yet"
        if self._table is None:
            self._table = self.state.standings()
        return self._table

    def page(self, delay_ms: int = 0) -> RunPage:
        """The head of the run with its standings. Raises `RecordError`."""
        assert self.state is not None, "nothing was read yet"
        assert self.rules is not None
        page = run_page(self.state, self.table(), self.rules, self.latest_ms)
        return replace(page, delay_ms=delay_ms, broken=self.broken)

    def crosstable(self) -> list[list[list[tuple[int, int, str]]]]:
        """Every meeting by row and column, in the order of the standings."""
        assert self.state is not None, "nothing was read yet"
        return meetings_of(self.state, self.table())

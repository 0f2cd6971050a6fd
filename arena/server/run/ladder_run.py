"""A day of a ladder as the venue has it: opened, told who may play, closed, and taken over."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import trio

from arena.records.ladder_day import LadderBook
from arena.records.ladder_facts import EarlierDay, LadderOpened
from arena.server.run.ladder_log import LadderLog
from arena.server.run.ladder_roster import LadderRoster, Members, open_ladder_roster
from arena.server.venue.venue import OpenRun, Venue


class OpenDay:
    """One day, from outside its run. `Run.day` has it."""

    def __init__(self, opening: LadderOpened | None, members: Members) -> None:
        """`opening` is what a new day begins with; a day that goes on has it on record."""
        self._opening = opening
        self._members = members
        self._log: LadderLog | None = None
        self._roster: LadderRoster | None = None
        self._is_closed = False
        self.is_open = trio.Event()
        """Set once its record is open: then there is a book."""

    # For its run

    def begin(self, log: LadderLog) -> None:
        """Open the day with its record, or go on with it. Raises `DiskError`."""
        log.begin(self._opening)
        self._log = log
        if self._is_closed:
            log.close_day()
        self.is_open.set()

    @asynccontextmanager
    async def open_roster(self, venue: Venue, run: OpenRun) -> AsyncIterator[LadderRoster]:
        """Let the members of the venue play."""
        async with open_ladder_roster(venue, run, self.log, self._members) as roster:
            self._roster = roster
            try:
                yield roster
            finally:
                self._roster = None

    # For the venue

    @property
    def log(self) -> LadderLog:
        """Its record; it has to be open."""
        assert self._log is not None, "the day is open"
        return self._log

    @property
    def book(self) -> LadderBook:
        """What follows from its lines so far; it has to be open."""
        return self.log.book

    @property
    def sealed(self) -> EarlierDay | None:
        """The end of its record, once it is over."""
        return None if self._log is None else self._log.sealed

    @property
    def is_full(self) -> bool:
        """True if it takes no more matches: the next day is to be opened."""
        return self._log is not None and self.book.is_full

    def look(self, bots: Iterable[str]) -> None:
        """Ask the members again: these bots have joined, were banned or may play again."""
        if self._roster is not None:
            self._roster.look(bots)

    def close(self) -> None:
        """Let no new match begin; when those in play are finished, the day is sealed.

        `Draining` is something else: it stops a run at once, to go on with it later.
        """
        self._is_closed = True
        if self._log is not None:
            self._log.close_day()
        if self._roster is not None:
            self._roster.tell_all()

    def take_edges(self, before: "OpenDay") -> None:
        """Count what the day before, which is sealed, has counted while it drained; once."""
        assert before.sealed is not None, "it is sealed"
        self.log.take_edges(before.sealed, before.book.edges)

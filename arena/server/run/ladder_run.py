"""A day of a ladder as the venue has it: opened, told who may play, closed, and taken over."""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final

import trio
from msgspec.structs import replace

from arena.records.ladder_day import LadderBook
from arena.server.io.clock import RunClock
from arena.server.run.ladder_log import LadderLog, Opening, SealedDay
from arena.server.run.ladder_roster import LadderRoster, Members, open_ladder_roster
from arena.server.run.tournament_log import Report
from arena.server.setup.credentials import Signer
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan
from arena.server.venue.venue import OpenRun, Venue

NO_CONSTANTS: Final[Mapping[str, float]] = MappingProxyType({})


class OpenDay:
    """One day, from outside its run. `Run.day` has it."""

    def __init__(self, opening: Opening, members: Members) -> None:
        """`opening` is what a new day begins with; a day that goes on has it on record."""
        self._opening = opening
        self._members = members
        self._log: LadderLog | None = None
        self._roster: LadderRoster | None = None
        self._is_closed = False
        self.is_open = trio.Event()
        """Set once its record is open: then there is a book."""
        self.sealed: SealedDay | None = None
        """What the next day takes from it, once it is over."""

    # For its run

    def open_log(
        self,
        plan: Plan,
        folder: RunFolder,
        clock: RunClock,
        report: Report,
        signer: Signer | None,
        *,
        run_id: str,
    ) -> LadderLog:
        """Open its record, or go on with it. Raises `RecordError`."""
        self._log = LadderLog(
            plan, folder, clock, report, signer, run_id=run_id, opening=self._opening
        )
        self._log.on_sealed = self._note_sealed
        if self._is_closed:
            self._log.close_day()
        self.is_open.set()
        return self._log

    @asynccontextmanager
    async def open_roster(self, venue: Venue, run: OpenRun) -> AsyncIterator[LadderRoster]:
        """Let the members of the venue play."""
        assert self._log is not None, "its record is open"
        async with open_ladder_roster(venue, run, self._log, self._members) as roster:
            self._roster = roster
            try:
                yield roster
            finally:
                self._roster = None

    def _note_sealed(self, sealed: SealedDay) -> None:
        self.sealed = sealed

    # For the venue

    @property
    def book(self) -> LadderBook:
        """What follows from its lines so far; it has to be open."""
        assert self._log is not None, "the day is open"
        return self._log.book

    @property
    def is_full(self) -> bool:
        """True if it takes no more matches: the next day is to be opened."""
        return self._log is not None and self._log.is_full

    def next_opening(
        self,
        day: str,
        *,
        frozen: Collection[str] = (),
        constants: Mapping[str, float] = NO_CONSTANTS,
    ) -> Opening:
        """Return what the next day begins with, as things are at this moment.

        Call `close` before anything else happens. `frozen` are versions that play no more, and
        `constants` the ratings of those that were frozen long ago.
        """
        assert self._log is not None, "the day is open"
        before, edges = self._log.moment()
        players = []
        for entrant, player in self.book.players.items():
            constant = constants.get(entrant, player.known.constant_elo)
            is_frozen = player.known.is_frozen or entrant in frozen
            known = replace(player.known, is_frozen=is_frozen, constant_elo=constant)
            players.append(known)
        return Opening(
            ladder=self.book.opened.ladder,
            day=day,
            before=before,
            players=players,
            edges=edges,
            anchors_mean_elo=self.book.opened.anchors_mean_elo,
        )

    def look(self) -> None:
        """Ask the members anew: a bot has joined, was banned or may play again."""
        if self._roster is not None:
            self._roster.look()

    def close(self) -> None:
        """Let no new match begin; when those in play are finished, the day is sealed.

        `Draining` is something else: it stops a run at once, to go on with it later.
        """
        self._is_closed = True
        if self._log is not None:
            self._log.close_day()
        if self._roster is not None:
            self._roster.tell_all()

    def take_edges(self, sealed: SealedDay) -> None:
        """Count what the day before has counted while it drained; once, however often called."""
        assert self._log is not None, "the day is open"
        self._log.take_edges(sealed)

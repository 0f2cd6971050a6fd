"""The index of all runs in a folder: which are known, their list, and the pages of each.

A run that is read again gets another number. Its row changes to that number in one transaction,
once all its matches are there; so no page shows half of a run, and no transaction is long.
"""

import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from msgspec.structs import astuple

from arena.pages.contents import RunInList
from arena.pages.index import Index, Learnt, patterns_of
from arena.pages.ladder import Point
from arena.pages.live.index_file import IndexFile
from arena.pages.live.run_reader import RunReader, unread_row
from arena.pages.live.runs_folder import FoundRun
from arena.pages.venue_contents import RatedBot
from arena.records.facts import TournamentFact
from arena.words import Said

T = TypeVar("T")
AT_ONCE: Final = 5000
"""Matches that are deleted in one transaction."""
OF_A_RUN: Final = ("games", "bots", "matches")
"""The tables with rows of matches; `matches` is the last, because the others are deleted by it."""


class IndexedRun(NamedTuple):
    """A run in the index."""

    run: int
    stamp: str
    latest_ms: int
    """The time of the last line in it."""
    held_ms: int | None
    """The time of the next line, which was held back for the delay."""

    def is_valid(self, stamp: str, until_ms: int) -> bool:
        """Return whether this is all that may be known of a record with this stamp."""
        if self.stamp != stamp or self.latest_ms > until_ms:
            return False
        return self.held_ms is None or self.held_ms > until_ms


class Unlearnt(NamedTuple):
    """Matches of a run whose records were not read yet, each with its attempt."""

    run: int
    folder: str
    matches: list[tuple[str, int]]


class RunsIndex:
    """The index of the runs; every method takes a short time, or is called in a thread."""

    def __init__(self, file: IndexFile) -> None:
        self.file = file
        self._last = 0

    def entries(self) -> dict[str, IndexedRun]:
        """Return every run by its folder, and drop what an arena that was killed has left."""
        rows: list[Any] = self.file.read(_all_runs)
        used = {run for _, run, *_ in rows}
        for run in self.file.read(_numbers) - used:
            self._delete(run)
        self._last = max(used, default=0)
        return {folder: IndexedRun(*values) for folder, *values in rows}

    def take(
        self,
        place: FoundRun,
        reader: RunReader,
        earlier: IndexedRun | None,
        until_ms: int,
        *,
        goes_on: bool,
    ) -> IndexedRun:
        """Read what is new in a run, and keep it.

        With `goes_on` the reader has read the lines before, and they are in the index under the
        number of `earlier`.
        """
        run = earlier.run if goes_on and earlier is not None else self._new_number()
        replaced = {earlier.run} if earlier is not None else set()
        for facts, is_again in reader.pieces(until_ms):
            if is_again:
                replaced.add(run)
                run = self._new_number()
            if facts:
                self.file.write(_adding(run, reader.settled, facts, reader.course.take_points()))
        row = reader.row(place.folder, place.changed_ms)
        return self._keep(run, place, row, replaced, reader)

    def refuse(
        self, place: FoundRun, trouble: Said | str, earlier: IndexedRun | None
    ) -> IndexedRun:
        """Keep that a run cannot be read at all."""
        row = unread_row(place.folder, place.changed_ms, trouble)
        replaced = {earlier.run} if earlier is not None else set()
        return self._keep(self._new_number(), place, row, replaced, None)

    def _keep(
        self,
        run: int,
        place: FoundRun,
        row: RunInList,
        replaced: set[int],
        reader: RunReader | None,
    ) -> IndexedRun:
        pages: dict[str, bytes] = {}
        players: list[RatedBot] = []
        words = f"{row.name} {row.folder}".casefold()
        held_ms: int | None = None
        latest_ms = 0
        if reader is not None:
            pages = reader.pages()
            players = reader.players()
            words = reader.words(row)
            held_ms = reader.follower.held_ms
            latest_ms = reader.follower.latest_ms

        def keep(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM runs WHERE folder = ?", (place.folder,))
            database.execute(
                "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run,
                    place.folder,
                    place.stamp,
                    row.started_ms,
                    latest_ms,
                    held_ms,
                    words,
                    msgspec.json.encode(row).decode(),
                ),
            )
            database.executemany(
                "INSERT OR REPLACE INTO pages VALUES (?, ?, ?)",
                [(run, name, content) for name, content in pages.items()],
            )
            database.executemany(_ADD_PLAYER, [(run, *astuple(player)) for player in players])

        self.file.write(keep)
        for number in replaced - {run}:
            self._delete(number)
        return IndexedRun(run, place.stamp, latest_ms, held_ms)

    def forget(self, folders: Iterable[str], entries: dict[str, IndexedRun]) -> None:
        """Forget runs that are no longer there."""
        for folder in folders:
            self._delete(entries[folder].run)

    def listed(self, find: str, start: int, most: int) -> tuple[list[RunInList], int]:
        """Return a part of the list, latest first, and the number of runs with all words."""
        patterns = patterns_of(find)
        condition = " AND ".join(["words LIKE ? ESCAPE '\\'"] * len(patterns)) or "TRUE"

        def ask(database: sqlite3.Connection) -> tuple[list[RunInList], int]:
            # the parts of both questions are from this file, and patterns are bound
            count = f"SELECT count(*) FROM runs WHERE {condition}"  # noqa: S608
            [total] = database.execute(count, patterns).fetchone()
            question = (
                f"SELECT row FROM runs WHERE {condition}"  # noqa: S608
                " ORDER BY started_ms DESC, run DESC LIMIT ? OFFSET ?"
            )
            rows = database.execute(question, [*patterns, most, start]).fetchall()
            return [msgspec.json.decode(row, type=RunInList) for (row,) in rows], total

        return self.file.read(ask)

    def row(self, folder: str) -> RunInList | None:
        """Return the row of the run in a folder; None if it is not in the index."""

        def ask(database: sqlite3.Connection) -> RunInList | None:
            question = "SELECT row FROM runs WHERE folder = ?"
            rows = database.execute(question, (folder,)).fetchall()
            for (row,) in rows:
                return msgspec.json.decode(row, type=RunInList)
            return None

        return self.file.read(ask)

    def page(self, run: int, name: str) -> bytes | None:
        """Return a page of a run as compressed JSON; None if it has none."""

        def ask(database: sqlite3.Connection) -> bytes | None:
            question = "SELECT content FROM pages WHERE run = ? AND name = ?"
            row = database.execute(question, (run, name)).fetchone()
            return None if row is None else row[0]

        return self.file.read(ask)

    def ask(self, run: int, work: Callable[[Index], T]) -> T:
        """Ask the index of one run."""
        return self.file.read(lambda database: work(Index(database, run)))

    def unlearnt(self, most: int) -> Unlearnt | None:
        """Return a run with matches whose records were not read, and these matches."""

        def ask(database: sqlite3.Connection) -> Unlearnt | None:
            question = (
                "SELECT run, folder FROM runs WHERE run ="
                " (SELECT max(run) FROM matches WHERE is_learnt IS NULL)"
            )
            row = database.execute(question).fetchone()
            if row is None:  # no match, or one of a run that is being read
                return None
            run, folder = row
            return Unlearnt(run, folder, Index(database, run).unlearnt(most))

        return self.file.read(ask)

    def learn(self, run: int, attempts: list[Learnt]) -> None:
        """Add what match records say."""
        self.file.write(lambda database: Index(database, run).learn(attempts))

    def _new_number(self) -> int:
        self._last += 1
        return self._last

    def _delete(self, run: int) -> None:
        """Delete all of a run, a few matches at a time."""

        def delete_some(database: sqlite3.Connection) -> int:
            question = "SELECT place FROM matches WHERE run = ? ORDER BY place LIMIT 1 OFFSET ?"
            row = database.execute(question, (run, AT_ONCE)).fetchone()
            before = 1 << 62 if row is None else row[0]
            deleted = 0
            for table in OF_A_RUN:
                done = database.execute(
                    f"DELETE FROM {table} WHERE run = ? AND place < ?",  # noqa: S608
                    (run, before),
                )
                deleted = done.rowcount
            return deleted

        def delete_row(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM runs WHERE run = ?", (run,))
            for table in ("pages", "rated", "course"):
                database.execute(f"DELETE FROM {table} WHERE run = ?", (run,))  # noqa: S608

        self.file.write(delete_row)
        while self.file.write(delete_some):
            pass


def _all_runs(database: sqlite3.Connection) -> list[Any]:
    question = "SELECT folder, run, stamp, latest_ms, held_ms FROM runs"
    return database.execute(question).fetchall()


def _numbers(database: sqlite3.Connection) -> set[int]:
    """Return the numbers of all runs that have a match or a page."""
    numbers = set()
    for table in ("matches", "pages"):
        number = -1
        while True:
            question = f"SELECT min(run) FROM {table} WHERE run > ?"  # noqa: S608
            [number] = database.execute(question, (number,)).fetchone()
            if number is None:
                break
            numbers.add(number)
    return numbers


def _adding(
    run: int,
    settled: int,
    facts: list[TournamentFact],
    points: list[Point],
) -> Callable[[sqlite3.Connection], None]:
    def add(database: sqlite3.Connection) -> None:
        Index(database, run, settled).add(facts)
        database.executemany(_ADD_POINT, [(run, *point) for point in points])

    return add


_ADD_PLAYER: Final = (
    "INSERT OR REPLACE INTO rated"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ADD_POINT: Final = "INSERT OR REPLACE INTO course VALUES (?, ?, ?, ?, ?, ?)"

"""Reads the rows of a run for `arena log`: those there are, and those that are added later."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

import click

from arena.cli.shared.output import CHECK_FAILED, fail
from arena.cli.shared.sources import RecordSource
from arena.records.files import TOURNAMENT_RECORD, match_records
from arena.records.lines import RecordError
from arena.records.rows import MatchRow, Row
from arena.records.tabulate import Settled, is_over, rows_of_record, settled_in

_T = TypeVar("_T")
LOOK_SECONDS: Final = 0.5
"""How long to wait before looking at the records again."""


class TableReader:
    """The rows of one table; a record that cannot be read is reported once and left out."""

    def __init__(self, source: RecordSource, table: str, *, with_positions: bool) -> None:
        self._source = source
        self._table = table
        self._with_positions = with_positions
        self._broken: set[str] = set()

    @property
    def is_broken(self) -> bool:
        """Whether a record was left out."""
        return bool(self._broken)

    def rows(self) -> Iterator[Row]:
        """Every row there is now, record by record."""
        settled = self._tournament_log(settled_in)
        for name in match_records(self._source.files):
            yield from self._rows_of(name, settled)

    def followed(self) -> Iterator[Row]:
        """Every row once, new ones soon after they are recorded, until the run ends. Matches come when settled."""
        sizes: dict[str, int] = {}
        given: dict[str, int] = {}
        """The last line that was yielded of each record."""
        waits = TOURNAMENT_RECORD in self._source.files  # a record by itself does not tell who won the match
        while True:
            ends = self._tournament_log(is_over)  # looked up first: what was written before the end is read below
            settled = self._tournament_log(settled_in)
            for name in match_records(self._source.files):
                size = self._source.place(name).stat().st_size
                if size == sizes.get(name):
                    continue
                sizes[name] = size
                for row in self._rows_of(name, settled):
                    if waits and not ends and _is_to_be_settled(row):
                        del sizes[name]  # its winner will be recorded soon: look at it again
                        break
                    if row.line > given.get(name, 0) and not (isinstance(row, MatchRow) and row.state == "open"):
                        given[name] = row.line
                        yield row
            if ends:
                return
            time.sleep(LOOK_SECONDS)

    def _tournament_log(self, question: Callable[[Mapping[str, bytes]], _T]) -> _T:
        """Ask the tournament record; ends the command if it cannot be read."""
        try:
            return question(self._source.files)
        except RecordError as error:
            fail(f"the tournament record cannot be read: {error}", code=CHECK_FAILED)

    def _rows_of(self, name: str, settled: Settled) -> Iterator[Row]:
        try:
            yield from rows_of_record(
                name, self._source.files[name], settled, tables=(self._table,), with_positions=self._with_positions
            )
        except RecordError as error:
            if name not in self._broken:
                self._broken.add(name)
                click.echo(f"left out: {error}", err=True)


def _is_to_be_settled(row: Row) -> bool:
    """Whether this match is over, but not yet settled in the tournament record that was read."""
    return isinstance(row, MatchRow) and row.state == "over" and row.decision is None

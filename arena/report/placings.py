"""The rows of the standings and of the cross-table, as the report and the live pages have them."""

from __future__ import annotations

from collections.abc import Sequence

from arena.records.columns import StandingsColumn
from arena.report.contents import Heading, Placing
from arena.tournaments.crosstable import Crosstable
from arena.tournaments.standings import Standing


def placing_of(row: Standing, name: str, columns: Sequence[StandingsColumn]) -> Placing:
    """A row of the standings under these columns; `name` is what the entrant is called on screens."""
    return Placing(
        name=name,
        place=row.place,
        is_shared=row.is_shared,
        withdrawal=row.withdrawal.value,
        cells=[column.cell(row) for column in columns],
    )


def headings_of(columns: Sequence[StandingsColumn]) -> list[Heading]:
    """Give the names of columns."""
    return [Heading(key=column.key, text=column.heading) for column in columns]


def meetings_of(cross: Crosstable) -> list[list[list[tuple[int, int, str]]]]:
    """The cross-table with points for and against and the outcome of each meeting."""
    return [
        [[(one.points_for, one.points_against, one.outcome.value) for one in cell] for cell in row]
        for row in cross.cells
    ]

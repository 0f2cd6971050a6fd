"""Selecting rows: criteria, and which tables they apply to; counting and sorting."""

from __future__ import annotations

import heapq
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from arena.records.rows import FOLLOWED, TABLES, Row, columns_of
from arena.tournaments.names import NO_NAMES, listed, shown

CRITERIA: Final[dict[str, tuple[str, ...]]] = {
    "bot": ("bot", "seat_1", "seat_2"),
    "opponent": ("opponent", "seat_1", "seat_2"),
    "winner": ("winner",),
    "loser": ("loser",),
    "match": ("match",),
    "attempt": ("attempt",),
    "game": ("game",),
    "turn": ("turn",),
    "ruleset": ("ruleset",),
    "ending": ("ending",),
    "cause": ("cause",),
    "code": ("code",),
    "clause": ("clause",),
    "event": ("event",),
    "slower_than_ms": ("spent_ms",),
    "position": ("position",),
    "position_after": ("position_after",),
    "since_ms": ("at_ms",),
    "until_ms": ("at_ms",),
}
"""Each criterion with its columns: one of those in the table must match.

`match` is a pattern in which * stands for anything. Bounds are compared, all others must be equal.
"""
ENTRANTS: Final = ("bot", "opponent", "winner", "loser")
"""The criteria that are the id of an entrant."""
BOUNDS: Final[dict[str, Callable[[int, int], bool]]] = {
    "slower_than_ms": operator.gt,
    "since_ms": operator.ge,
    "until_ms": operator.lt,
}
"""How the value of a column is compared with the wanted one."""

MOST_SHOWN: Final = 12
"""How many values a message names when the wanted one does not occur."""
PREFERRED: Final = ("games", "turns", "rejections", "absences", "bots", "matches")
"""The order in which tables are tried if none is named."""


class SelectionError(ValueError):
    """These criteria do not go together; the message says which would."""


@dataclass(slots=True)
class Selection:
    """Criteria that a row of one table must all meet; counts the rows it has seen."""

    table: str
    criteria: Mapping[str, Any]
    seen: int = 0
    """How many rows of the table it has seen."""
    found: int = 0
    """How many of them meet every criterion."""
    _values: dict[str, set[Any]] = field(default_factory=dict)

    def rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        """The rows that meet every criterion."""
        return (row for row in rows if self.is_met(row))

    def is_met(self, row: Row) -> bool:
        """Return whether a row of the table meets every criterion."""
        self.seen += 1
        results = [self._is_one_met(name, wanted, row) for name, wanted in self.criteria.items()]
        is_met = all(results)
        self.found += is_met
        return is_met

    def _is_one_met(self, name: str, wanted: Any, row: Row) -> bool:
        values = [getattr(row, column) for column in _columns(name, self.table)]
        if name in BOUNDS:
            return BOUNDS[name](values[0], wanted)
        if name not in FOLLOWED:
            known = self._values.setdefault(name, set())
            if len(known) <= MOST_SHOWN:
                known.update(value for value in values if value is not None)
        if name == "match":
            return fnmatchcase(values[0], wanted)
        return wanted in values

    def unknown(self, names: Mapping[str, str] = NO_NAMES) -> list[str]:
        """A sentence for each wanted value that occurred in no row seen, naming those that did.

        Sentences call entrants by their display `names`.
        """
        found = []
        for name, values in self._values.items():
            wanted = self.criteria[name]
            if wanted in values or len(values) > MOST_SHOWN or name == "match":
                continue
            if name in ENTRANTS:
                wanted, there = names.get(wanted, wanted), listed(sorted(shown(names, list(values))) or ["none"])
            else:
                there = ", ".join(map(str, sorted(values))) or "none"
            found.append(f"{name} {wanted!r} does not occur; there are: {there}")
        return found


def select(table: str | None, criteria: Mapping[str, Any]) -> Selection:
    """A selection from the named table, else from the first to which all criteria apply.

    Raises `SelectionError` if a criterion does not apply to the table, or no table has them all.
    """
    if table is None:
        fitting = [name for name in PREFERRED if all(_columns(criterion, name) for criterion in criteria)]
        if not fitting:
            each = "; ".join(f"--{option_of(name)} is for {_tables_with(name)}" for name in criteria)
            raise SelectionError(f"nothing has all of that: {each}")
        return Selection(fitting[0], criteria)
    for criterion in criteria:
        if not _columns(criterion, table):
            raise SelectionError(f"--{option_of(criterion)} is for {_tables_with(criterion)}, not for {table}")
    return Selection(table, criteria)


def option_of(criterion: str) -> str:
    """The option of the command line that sets a criterion."""
    return criterion.removesuffix("_ms").replace("_", "-")


def _columns(criterion: str, table: str) -> list[str]:
    fields = TABLES[table].__struct_fields__
    return [column for column in CRITERIA[criterion] if column in fields]


def _tables_with(criterion: str) -> str:
    return ", ".join(name for name in PREFERRED if _columns(criterion, name))


def check_column(table: str, name: str) -> str:
    """Check that a table can be sorted and counted by a column; raises `SelectionError` naming those that can."""
    known = [column.name for column in columns_of(table) if column.kind != "json"]
    if name not in known:
        raise SelectionError(f"{table} cannot be sorted or counted by {name!r}; there are: {', '.join(known)}")
    return name


def sorted_rows(rows: Iterable[Row], column: str, *, descending: bool, limit: int | None) -> list[Row]:
    """The first `limit` rows in the order of a column (all if None), empty values last."""

    def key(row: Row) -> tuple[bool, Any]:
        value = getattr(row, column)
        return (value is not None) == descending, value if value is not None else 0

    if limit is None:
        return sorted(rows, key=key, reverse=descending)
    return heapq.nlargest(limit, rows, key) if descending else heapq.nsmallest(limit, rows, key)


def count_by(rows: Iterable[Row], columns: Iterable[str]) -> list[tuple[tuple[Any, ...], int]]:
    """Count the rows that have each value of these columns, most frequent first."""
    names = tuple(columns)
    counts = Counter(tuple(getattr(row, name) for name in names) for row in rows)
    return sorted(counts.items(), key=lambda item: (-item[1], tuple(map(str, item[0]))))

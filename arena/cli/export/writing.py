"""Writes the tables of a run as files: SQLite, CSV, Parquet, and backgammon matches as MAT."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, Final

from arena.cli.shared.duck import connect, load, quoted
from arena.cli.shared.output import fail
from arena.records.files import match_records
from arena.records.mat import NotBackgammonError, format_mat
from arena.records.reading import read_attempts, whole_lines
from arena.records.rows import TABLE_OF, TABLES, Row, cells_of, columns_of
from arena.records.tabulate import rows_of_run

Files = Mapping[str, bytes]

BATCH_ROWS: Final = 5000
SQLITE_TYPES: Final = {"integer": "INTEGER", "text": "TEXT", "boolean": "INTEGER", "json": "TEXT"}
COLUMNS: Final = ("table_name", "column_name", "kind", "description")
"""Of the table `columns`, which says what every column of the others is."""


def _descriptions() -> Iterable[tuple[str, str, str, str]]:
    return ((table, one.name, one.kind, one.description) for table in TABLES for one in columns_of(table))


def _rows(files: Files) -> Iterable[Row]:
    return rows_of_run(files, tables=TABLES, with_positions=True)


def write_sqlite(files: Files, out: Path) -> None:
    """One database with every table, and `columns`. Raises `RecordError`."""
    with closing(sqlite3.connect(out)) as database, database:
        for table in TABLES:
            columns = ", ".join(f"{column.name} {SQLITE_TYPES[column.kind]}" for column in columns_of(table))
            database.execute(f"CREATE TABLE {table} ({columns})")
        database.execute(f"CREATE TABLE columns ({', '.join(f'{name} TEXT' for name in COLUMNS)})")
        database.executemany("INSERT INTO columns VALUES (?, ?, ?, ?)", _descriptions())
        waiting: dict[str, list[tuple[Any, ...]]] = {table: [] for table in TABLES}

        def insert(table: str) -> None:
            places = ", ".join("?" * len(columns_of(table)))
            database.executemany(f"INSERT INTO {table} VALUES ({places})", waiting[table])  # noqa: S608 - a name of ours
            waiting[table].clear()

        for row in _rows(files):
            table = TABLE_OF[type(row)]
            waiting[table].append(cells_of(row))
            if len(waiting[table]) == BATCH_ROWS:
                insert(table)
        for table in TABLES:
            insert(table)


def write_csv(files: Files, out: Path) -> None:
    """A folder with a file for each table, and `columns.csv`; RFC 4180, UTF-8. Raises `RecordError`."""
    out.mkdir()
    with ExitStack() as stack:
        writers = {}
        for table in (*TABLES, "columns"):
            file = stack.enter_context((out / f"{table}.csv").open("w", encoding="utf-8", newline=""))
            writers[table] = csv.writer(file)
            writers[table].writerow([one.name for one in columns_of(table)] if table in TABLES else COLUMNS)
        writers["columns"].writerows(_descriptions())
        for row in _rows(files):
            writers[TABLE_OF[type(row)]].writerow(cells_of(row))


def write_parquet(files: Files, out: Path) -> None:
    """A folder with a file for each table. Raises `RecordError`; ends the command where DuckDB is missing."""
    out.mkdir()
    with closing(connect()) as database:
        load(database, files, TABLES)
        for table in TABLES:
            database.execute(f"COPY {table} TO {quoted(str(out / f'{table}.parquet'))} (FORMAT parquet)")


def write_mat(files: Files, out: Path) -> None:
    """A folder with a file for each match that was not void. Raises `RecordError`; ends the command in other games."""
    out.mkdir()
    for name in match_records(files):
        for attempt in islice(reversed(read_attempts(name, whole_lines(files[name]))), 1):
            try:
                text = format_mat(attempt)
            except NotBackgammonError as error:
                fail(f"MAT is for backgammon alone, and {error}; sqlite, csv and parquet are for every ruleset")
            # by the name of the file, not by what stands in it: a record may come from anybody
            (out / f"{PurePosixPath(name).stem}.mat").write_text(text, encoding="utf-8")


WRITERS: Final[Mapping[str, Callable[[Files, Path], None]]] = {
    "sqlite": write_sqlite,
    "csv": write_csv,
    "parquet": write_parquet,
    "mat": write_mat,
}
"""By the name of the format; each writes to a path where nothing is yet."""

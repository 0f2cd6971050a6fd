"""Writes the tables of a run as files: SQLite, CSV, Parquet, and backgammon matches as MAT."""

import csv
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

from arena.cli.shared.output import fail
from arena.cli.shared.streams import csv_cells
from arena.records.files import match_records
from arena.records.lines import read_attempts, whole_lines
from arena.records.mat import NotBackgammonError, format_mat, jacoby
from arena.records.rows import ANALYSED, TABLE_OF, TABLES, Row, cells_of, columns_of
from arena.records.tabulate import annulled_in, rows_of_run, tournament_name
from arena.services.database import COLUMNS, analysed_rows, create_tables, descriptions, fill_tables

Files = Mapping[str, bytes]

PARQUET_TYPES: Final = {
    "integer": "BIGINT",
    "real": "DOUBLE",
    "text": "VARCHAR",
    "boolean": "BOOLEAN",
    "json": "VARCHAR",
}


def _tables(files: Files) -> tuple[str, ...]:
    """The tables of a run: those of analyses only if a match has one."""
    return (*TABLES, *(ANALYSED if next(analysed_rows(files), None) else ()))


def _rows(files: Files) -> Iterable[Row]:
    return chain(rows_of_run(files, tables=TABLES, with_positions=True), analysed_rows(files))


def write_sqlite(files: Files, out: Path) -> None:
    """One database with every table, and `columns`. Raises `RecordError`."""
    with closing(sqlite3.connect(out)) as database:
        tables = _tables(files)
        create_tables(database, tables)
        fill_tables(database, files, tables)


def write_csv(files: Files, out: Path) -> None:
    """A folder with a file for each table, and `columns.csv`; RFC 4180, UTF-8.

    Raises `RecordError`.

    Each begins with a byte order mark: without it Excel reads a file that is opened by a click in
    another encoding.
    """
    out.mkdir()
    tables = _tables(files)
    with ExitStack() as stack:
        writers = {}
        for table in (*tables, "columns"):
            file = stack.enter_context(
                (out / f"{table}.csv").open("w", encoding="utf-8-sig", newline="")
            )
            writers[table] = csv.writer(file)
            writers[table].writerow(
                [one.name for one in columns_of(table)] if table in tables else COLUMNS
            )
        writers["columns"].writerows(descriptions(tables))
        for row in _rows(files):
            writers[TABLE_OF[type(row)]].writerow(csv_cells(cells_of(row)))


def write_parquet(files: Files, out: Path) -> None:
    """A folder with a file for each table.

    Raises `RecordError`; ends the command if DuckDB is missing.

    The rows go to DuckDB through files of JSON lines; one by one they would take it a thousand
    times as long.
    """
    try:
        import duckdb
    except ImportError:
        fail(
            f"Parquet needs DuckDB, the extra `parquet`; install it with: {sys.executable} -m pip install duckdb"
        )
    out.mkdir()
    encoder = msgspec.json.Encoder()
    with tempfile.TemporaryDirectory(prefix="arena-") as folder, ExitStack() as stack:
        lines = {
            table: stack.enter_context((Path(folder) / f"{table}.jsonl").open("wb"))
            for table in _tables(files)
        }
        for row in _rows(files):
            cells = dict(zip(row.__struct_fields__, cells_of(row), strict=True))
            lines[TABLE_OF[type(row)]].write(encoder.encode(cells) + b"\n")
        database = stack.enter_context(
            closing(duckdb.connect(config={"autoinstall_known_extensions": "false"}))
        )
        for table, file in lines.items():
            file.close()
            columns = ", ".join(
                f"'{column.name}': '{PARQUET_TYPES[column.kind]}'" for column in columns_of(table)
            )
            source = f"read_json({_quoted(file.name)}, format = 'newline_delimited', columns = {{{columns}}})"
            target = _quoted(str(out / f"{table}.parquet"))
            try:
                database.execute(f"COPY (SELECT * FROM {source}) TO {target} (FORMAT parquet)")  # noqa: S608 - all ours
            except RuntimeError as error:
                if "interrupted" in str(
                    error
                ):  # how DuckDB reports Ctrl-C, sometimes only when it has finished
                    raise KeyboardInterrupt from None
                raise


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def write_mat(files: Files, out: Path) -> None:
    """A folder with a file for each match that was not void.

    Raises `RecordError`; ends the command in other games.
    """
    out.mkdir()
    event, annulled = tournament_name(files), annulled_in(files)
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name]))[-1:]:
            is_annulled = attempt.opened.match in annulled
            try:
                text = format_mat(
                    attempt, event=event, date=_date(attempt.opened.at_ms), is_annulled=is_annulled
                )
            except NotBackgammonError as error:
                fail(
                    f"MAT is for backgammon alone, and {error}; sqlite, csv and parquet are for every ruleset"
                )
            # the name of the file, not one from inside it: a record may come from anybody
            (out / f"{PurePosixPath(name).stem}.mat").write_text(text, encoding="utf-8")


def _date(at_ms: int) -> str:
    """Return the date as MAT has it; empty for one that no calendar has, since a record may say anything."""
    try:
        return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y.%m.%d}"
    except (ValueError, OverflowError, OSError):
        return ""


def advice_on_mat(files: Files, out: Path) -> str:
    """Say how GNU Backgammon counts these matches as the arena has; empty without a match."""
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name])):
            rule, file = jacoby(attempt), out / f"{PurePosixPath(name).stem}.mat"
            meaning = "gammons count" if rule == "off" else "gammons do not count"
            return f"in GNU Backgammon: set jacoby {rule}, then import mat {file}; so {meaning}, as in the ruleset"
    return ""


WRITERS: Final[Mapping[str, Callable[[Files, Path], None]]] = {
    "sqlite": write_sqlite,
    "csv": write_csv,
    "parquet": write_parquet,
    "mat": write_mat,
}
"""The writers by the name of the format; each writes to a path that does not exist yet."""

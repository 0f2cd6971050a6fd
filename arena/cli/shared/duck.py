"""The tables of a run in DuckDB, of the extra `query`."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import msgspec

from arena.cli.shared.output import fail
from arena.extras import install_command
from arena.records.rows import TABLE_OF, cells_of, columns_of
from arena.records.tabulate import rows_of_run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TYPES: Final = {"integer": "BIGINT", "text": "VARCHAR", "boolean": "BOOLEAN", "json": "VARCHAR"}


def connect() -> DuckDBPyConnection:
    """An empty database in memory; ends the command, saying what to install, where DuckDB is missing."""
    try:
        import duckdb
    except ImportError:
        fail(f"this needs DuckDB, which is not installed; install it with: {install_command('query')}")
    return duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})


def load(database: DuckDBPyConnection, files: Mapping[str, bytes], tables: Collection[str]) -> None:
    """Fill a table for each name with the rows of a run; raises `RecordError` at the first broken record.

    They go through files of JSON lines, since rows given one by one take DuckDB a thousand times as long.
    """
    encoder = msgspec.json.Encoder()
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        paths = {table: Path(folder) / f"{table}.jsonl" for table in tables}
        with ExitStack() as stack:
            outputs: dict[str, Any] = {table: stack.enter_context(path.open("wb")) for table, path in paths.items()}
            for row in rows_of_run(files, tables=tables, with_positions=True):
                names = row.__struct_fields__
                line = encoder.encode(dict(zip(names, cells_of(row), strict=True)))
                outputs[TABLE_OF[type(row)]].write(line + b"\n")
        for table, path in paths.items():
            columns = ", ".join(f"'{column.name}': '{TYPES[column.kind]}'" for column in columns_of(table))
            answer(
                database,
                f"CREATE TABLE {table} AS SELECT * FROM "  # noqa: S608 - names and path are ours
                f"read_json({quoted(str(path))}, format = 'newline_delimited', columns = {{{columns}}})",
            )
            for column in columns_of(table):
                database.execute(f"COMMENT ON COLUMN {table}.{column.name} IS {quoted(column.description)}")


def answer(database: DuckDBPyConnection, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of the columns and the rows; raises `duckdb.Error`, and `KeyboardInterrupt` at once.

    DuckDB asks Python for signals only now and then, and answers one with an error of another kind; so it works in a
    thread of its own, and is told to stop.
    """
    result: Future[tuple[list[str], list[tuple[Any, ...]]]] = Future()

    def work() -> None:
        try:
            found = database.execute(sql)
            result.set_result(([column[0] for column in found.description or ()], found.fetchall()))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is waited for
            result.set_exception(error)

    thread = Thread(target=work, daemon=True)
    try:
        thread.start()
        return result.result()
    except KeyboardInterrupt:  # it may come while the thread is being started
        while thread.is_alive():  # a question that is just being put does not heed it yet
            database.interrupt()
            thread.join(0.1)
        raise


def quoted(text: str) -> str:
    """Text as SQL has it."""
    return "'" + text.replace("'", "''") + "'"

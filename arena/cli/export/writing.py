"""Writes a run as files: tables as SQLite, CSV or Parquet, backgammon matches as MAT or OGXM."""

import csv
import sqlite3
import sys
import tempfile
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec

from arena.cli.shared.output import fail
from arena.cli.shared.streams import csv_cells
from arena.records.analysed import analysis_of
from arena.records.files import match_records
from arena.records.lines import Attempt, RecordError, read_attempts, whole_lines
from arena.records.mat import NotBackgammonError, format_mat, jacoby
from arena.records.ogxm import ogxm_document
from arena.records.rows import ANALYSED, TABLE_OF, TABLES, Row, cells_of, columns_of
from arena.records.tabulate import annulled_in, rows_of_run, tournament_name
from arena.server.setup.credentials import Signer
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
    """Return the tables of a run; those of analyses only if a match has one."""
    for _ in analysed_rows(files):
        return (*TABLES, *ANALYSED)
    return tuple(TABLES)


def _rows(files: Files) -> Iterable[Row]:
    return chain(rows_of_run(files, tables=TABLES, with_positions=True), analysed_rows(files))


def write_sqlite(files: Files, out: Path) -> None:
    """Write one database with all tables, and `columns`. Raises `RecordError`."""
    with closing(sqlite3.connect(out)) as database:
        tables = _tables(files)
        create_tables(database, tables)
        fill_tables(database, files, tables)


def write_csv(files: Files, out: Path) -> None:
    """Write a folder with a file for each table, and `columns.csv`; RFC 4180, UTF-8.

    Raises `RecordError`.

    Each file begins with a byte order mark: without it Excel opens a file in another encoding when
    you double-click it.
    """
    out.mkdir()
    tables = _tables(files)
    headings: dict[str, Sequence[str]] = {}
    for table in tables:
        headings[table] = [column.name for column in columns_of(table)]
    headings["columns"] = COLUMNS
    with ExitStack() as stack:
        writers = {}
        for table, heading in headings.items():
            path = out / f"{table}.csv"
            file = stack.enter_context(path.open("w", encoding="utf-8-sig", newline=""))
            writers[table] = csv.writer(file)
            writers[table].writerow(heading)
        writers["columns"].writerows(descriptions(tables))
        for row in _rows(files):
            writers[TABLE_OF[type(row)]].writerow(csv_cells(cells_of(row)))


def write_parquet(files: Files, out: Path) -> None:
    """Write a folder with a file for each table.

    Raises `RecordError`; ends the command if DuckDB is missing.

    DuckDB reads the rows from files of JSON lines; row by row it would need a thousand times as
    long.
    """
    try:
        import duckdb
    except ImportError:
        advice = f"install it with: {sys.executable} -m pip install duckdb"
        fail(f"Parquet needs DuckDB, the extra `parquet`; {advice}")
    out.mkdir()
    encoder = msgspec.json.Encoder()
    with tempfile.TemporaryDirectory(prefix="arena-") as folder, ExitStack() as stack:
        lines = {}
        for table in _tables(files):
            path = Path(folder) / f"{table}.jsonl"
            lines[table] = stack.enter_context(path.open("wb"))
        for row in _rows(files):
            cells = dict(zip(row.__struct_fields__, cells_of(row), strict=True))
            lines[TABLE_OF[type(row)]].write(encoder.encode(cells) + b"\n")
        connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
        database = stack.enter_context(closing(connection))
        for table, file in lines.items():
            file.close()
            statement = _copy_statement(table, file.name, str(out / f"{table}.parquet"))
            try:
                database.execute(statement)
            except RuntimeError as error:
                # DuckDB reports Ctrl-C as such an error, sometimes only after its work
                if "interrupted" in str(error):
                    raise KeyboardInterrupt from None
                raise


def _copy_statement(table: str, source: str, target: str) -> str:
    """Return the SQL of DuckDB that makes a Parquet file of a file of JSON lines."""
    columns = ", ".join(
        f"'{column.name}': '{PARQUET_TYPES[column.kind]}'" for column in columns_of(table)
    )
    options = f"format = 'newline_delimited', columns = {{{columns}}}"
    select = f"SELECT * FROM read_json({_quote(source)}, {options})"  # noqa: S608 - all ours
    return f"COPY ({select}) TO {_quote(target)} (FORMAT parquet)"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def write_mat(files: Files, out: Path) -> None:
    """Write a folder with a file for each match that was not void.

    Raises `RecordError`; ends the command in other games.
    """
    event, annulled = tournament_name(files), annulled_in(files)

    def encode(_: str, attempt: Attempt) -> bytes:
        is_annulled = attempt.opened.match in annulled
        date = _date(attempt.opened.at_ms)
        return format_mat(attempt, event=event, date=date, is_annulled=is_annulled).encode()

    _write_matches(files, out, "mat", encode)


def write_ogxm(files: Files, out: Path, signer: Signer | None = None) -> None:
    """Write a folder with a file for each match that was not void, with its analysis if it has one.

    A signer signs both. Raises `RecordError`; ends the command in other games, or if the package is
    missing.
    """
    try:
        import ogxm
    except ImportError:
        advice = f"install it with: {sys.executable} -m pip install ogxm"
        fail(f"OGXM needs the package ogxm, the extra `ogxm`, on Linux; {advice}")
    event = tournament_name(files)

    def encode(name: str, attempt: Attempt) -> bytes:
        document = ogxm_document(attempt, analysis_of(files, name), event)
        problem = ogxm.v2_problem(document)
        if problem:
            raise RecordError(name, f"OGXM cannot hold it: {problem}")
        content: bytes = ogxm.json_to_binary(document)
        if signer is not None:
            signed = _signed(ogxm.binary_to_json(content), signer)
            content = ogxm.json_to_binary(signed)
        return content

    _write_matches(files, out, "ogxm", encode)


def _signed(document: dict[str, Any], signer: Signer) -> dict[str, Any]:
    """Return a document of OGXM with the signatures of the match and of its analysis.

    Each covers what the library says (section 8 of its specification).
    """
    from ogxm.signature import analysis_payload, match_payload

    def base64(value: str) -> str:
        return b64encode(bytes.fromhex(value)).decode()

    def sign(payload: bytes) -> dict[str, str]:
        return unsigned | {"signature": base64(signer.sign(payload))}

    unsigned = {
        "algorithm": "ed25519",
        "public_key": base64(signer.public_key),
        "signature": base64("00" * 64),  # its place is needed for the payload
    }
    document["match_signatures"] = [unsigned]
    document["match_signatures"] = [sign(match_payload(document, 0))]
    analysis = document.get("analysis_info")
    if analysis is not None:
        analysis["signature"] = unsigned
        analysis["signature"] = sign(analysis_payload(document, 0))
    return document


def _write_matches(
    files: Files, out: Path, ending: str, encode: Callable[[str, Attempt], bytes]
) -> None:
    """Write each match as `encode` makes it of the name of its record and the last attempt."""
    out.mkdir()
    for name in match_records(files):
        attempts = read_attempts(name, whole_lines(files[name]))
        if not attempts:
            continue
        try:
            content = encode(name, attempts[-1])
        except NotBackgammonError as error:
            others = "sqlite, csv and parquet are for every ruleset"
            fail(f"{ending.upper()} is for backgammon alone, and {error}; {others}")
        # the name of the file, not the one inside it: anybody may have written the record
        (out / f"{PurePosixPath(name).stem}.{ending}").write_bytes(content)


def _date(at_ms: int) -> str:
    """Return the date as MAT has it; empty for 0, and for a date that no calendar has.

    The time comes from a record, which may say anything.
    """
    if not at_ms:
        return ""
    try:
        return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y.%m.%d}"
    except (ValueError, OverflowError, OSError):
        return ""


def advice_on_mat(files: Files, out: Path) -> str:
    """Say how GNU Backgammon counts these matches as the arena does; empty without a match."""
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name])):
            rule = jacoby(attempt)
            file = out / f"{PurePosixPath(name).stem}.mat"
            meaning = "gammons count" if rule == "off" else "gammons do not count"
            steps = f"set jacoby {rule}, then import mat {file}"
            return f"in GNU Backgammon: {steps}; so {meaning}, as in the ruleset"
    return ""


WRITERS: Final[Mapping[str, Callable[[Files, Path], None]]] = {
    "sqlite": write_sqlite,
    "csv": write_csv,
    "parquet": write_parquet,
    "mat": write_mat,
    "ogxm": write_ogxm,
}
"""Writers by the name of the format; each writes to a path that does not exist yet."""

"""`arena query`: ask the records of a run in SQL."""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape

from arena.cli.shared.output import CHECK_FAILED, fail, output, printable
from arena.cli.shared.sources import Source, source_of

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("sql", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a row.")
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values with a heading.")
def command(run: Path, sql: str | None, *, as_json: bool, as_csv: bool) -> None:
    """Answer a question in SQL about a RUN folder, or one record under its matches/. Needs the extra `query`.

    The tables are matches, games, turns, rejections, absences and bots; without SQL their columns are listed, each with
    what it means. The records are only read, and the question can touch no other file.

    \b
    Examples:
      arena query my-run
      arena query my-run "SELECT bot, count(*) FROM rejections GROUP BY bot"
      arena query my-run "SELECT * FROM turns ORDER BY spent_ms DESC LIMIT 1"
    """  # noqa: D301 - click's mark for a block that keeps its lines
    if as_json and as_csv:
        fail("--json and --csv exclude each other")
    source = source_of(run)
    if sql is None:
        _print_columns(as_json=as_json)
        return
    names, rows = _answer(source, sql)
    if as_json:
        keys = _distinct(names)
        for row in rows:
            click.echo(json.dumps(dict(zip(keys, map(_jsonable, row), strict=True)), default=str))
    elif as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
    else:
        _print_table(names, rows)


def _answer(source: Source, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The names of the columns and the rows; ends the command where the question is none."""
    from arena.cli.shared.duck import answer, connect, load
    from arena.records.lines import RecordError
    from arena.records.rows import TABLES

    database = connect()
    import duckdb  # it is there: connect has ended the command otherwise

    words = set(re.findall(r"\w+", sql.lower()))
    try:
        _check(database, sql)
        load(database, source.files, words & TABLES.keys() or TABLES)
        database.execute("SET enable_external_access = false; SET lock_configuration = true")
        return answer(database, sql)
    except RecordError as error:
        fail(f"the records cannot be queried: {error}", code=CHECK_FAILED)
    except duckdb.Error as error:
        fail(
            f"the question cannot be answered: {str(error).strip()}\n"
            f"Tables: {', '.join(TABLES)}; `arena query {source.path}` lists their columns"
        )


def _distinct(names: list[str]) -> list[str]:
    """The names of columns as keys of an object: of those that come again the second is `name_2`, as after a join."""
    keys: dict[str, None] = {}
    for name in names:
        number = 1
        key = name
        while key in keys:
            number += 1
            key = f"{name}_{number}"
        keys[key] = None
    return list(keys)


def _jsonable(value: Any) -> Any:
    """JSON has neither infinity nor NaN: null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _check(database: DuckDBPyConnection, sql: str) -> None:
    """Ends the command if this is not one question."""
    import duckdb

    statements = database.extract_statements(sql)
    asks = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
    if len(statements) != 1 or statements[0].type not in asks:
        kinds = ", ".join(statement.type.name for statement in statements) or "nothing"
        fail(f"expected one SELECT, found {kinds}; records are only read, and answer one question at a time")


def _print_columns(*, as_json: bool) -> None:
    """Every table and column with its kind and meaning."""
    from arena.cli.shared.tables import plain_table
    from arena.records.rows import TABLES, columns_of

    console = output()
    for name, row in TABLES.items():
        if as_json:
            for column in columns_of(name):
                found = {"table": name, "column": column.name, "kind": column.kind, "description": column.description}
                click.echo(json.dumps(found))
            continue
        table = plain_table(f"{name}: {(row.__doc__ or '').strip()}")
        table.add_column("column", no_wrap=True)
        table.add_column("kind", no_wrap=True)
        table.add_column("is")
        for column in columns_of(name):
            table.add_row(column.name, column.kind, escape(column.description.replace("`", "")))
        console.print(table)


def _print_table(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    from arena.cli.shared.tables import plain_table

    table = plain_table("")
    for number, name in enumerate(names):
        are_numbers = all(isinstance(row[number], int | float) for row in rows)
        table.add_column(escape(name), justify="right" if are_numbers and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*("-" if value is None else escape(printable(str(value))) for value in row))
    output().print(table)
    click.echo(f"{len(rows)} row{'' if len(rows) == 1 else 's'}", err=True)

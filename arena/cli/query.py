"""`arena query`: ask the records of a run in SQL."""

import csv
import math
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.shared.language import counted
from arena.cli.shared.output import (
    arena_again,
    echo_json,
    fail,
    json_option,
    output,
    printable,
    run_argument,
)
from arena.cli.shared.streams import csv_cells
from arena.services.sources import RecordSource, source_of

IDS: Final = frozenset({"bot", "opponent", "winner", "loser", "seat_1", "seat_2"})
"""The columns that hold the id of an entrant."""


@click.command()
@run_argument
@click.argument("sql", required=False)
@json_option("One JSON object a row.")
@click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values with a heading.")
def command(run: Path, sql: str | None, *, as_json: bool, as_csv: bool) -> None:
    """Answer a question in SQL about a RUN folder, or one record under its matches/.

    The tables are matches, games, turns, rejections, absences and bots. bot_games has a row for
    each bot of a game: win, points, ending, seat, forfeits. decisions, rolls and luck_games (points
    without the luck of the dice) are there after `arena analyse`. Without SQL all columns are
    listed, with their meaning. The SQL is that of SQLite. The records are only read, and a question
    can touch no other file.

    \b
    Examples:
      arena query my-run
      arena query my-run "SELECT bot, count(*) FROM rejections GROUP BY bot"
      arena query my-run "SELECT * FROM turns ORDER BY spent_ms DESC LIMIT 1"
      arena query my-run "SELECT bot, ending, avg(win), count(*) FROM bot_games GROUP BY bot, ending"
      arena query my-run "SELECT bot, avg(points), avg(adjusted) FROM luck_games GROUP BY bot"
    """
    source = source_of(run)
    if sql is None:
        _print_columns(as_json=as_json)
    else:
        print_answer(source, sql, {}, names={}, as_json=as_json, as_csv=as_csv)


def print_answer(
    source: RecordSource,
    sql: str,
    values: Mapping[str, str | int],
    *,
    names: Mapping[str, str],
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print the answer to a question; people see the display names of entrants, if these are given by id."""
    from arena.services.database import NotAnalysedError, ask

    if as_json and as_csv:
        fail("--json and --csv exclude each other")
    try:
        columns, rows = ask(source, sql, values)
    except NotAnalysedError as error:
        fail(f"{error}; first: {arena_again('analyse', source.path)}")
    if as_json:
        print_json(columns, rows)
    elif as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(map(csv_cells, [columns, *rows]))
    else:
        people = {number for number, column in enumerate(columns) if column in IDS}
        _print_rows(columns, [_with_names(row, people, names) for row in rows])
        click.echo(counted(len(rows), "row"), err=True)


def _with_names(row: Sequence[Any], people: Container[int], names: Mapping[str, str]) -> list[Any]:
    """Return a row with display names in the columns `people`."""
    return [names.get(cell, cell) if at in people else cell for at, cell in enumerate(row)]


def _print_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print all cells: on a terminal as a table, or as records if that is too wide; else between tabs."""
    from arena.cli.shared.tables import UNLIMITED, plain_table

    console = output()
    names = [printable(name) for name in names]
    lines = [["-" if value is None else printable(str(value)) for value in row] for row in rows]
    if not console.is_terminal:
        for line in (names, *lines):
            click.echo("\t".join(line))
        return
    table = plain_table("")
    for number, name in enumerate(names):
        are_numbers = all(isinstance(row[number], int | float) for row in rows)
        table.add_column(name, justify="right" if are_numbers and rows else "left")
    for line in lines:
        table.add_row(*line)
    if (
        console.measure(table, options=console.options.update(max_width=UNLIMITED)).maximum
        <= console.width
    ):
        console.print(table)
        return
    width = max(map(len, names))
    for number, line in enumerate(lines, start=1):
        click.echo(f"row {number}")
        for name, cell in zip(names, line, strict=True):
            click.echo(f"  {name:{width}}  {cell}")


def print_json(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print one JSON object a row. JSON has no infinity: null."""
    keys = _distinct(names)
    for row in rows:
        cells = [
            None if isinstance(cell, float) and not math.isfinite(cell) else cell for cell in row
        ]
        echo_json(dict(zip(keys, cells, strict=True)), default=str)


def _distinct(names: Iterable[str]) -> list[str]:
    """The names of columns as keys of an object: the second of the same name is `name_2`, as after a join."""
    keys: dict[str, None] = {}
    for name in names:
        number = 1
        key = name
        while key in keys:
            number += 1
            key = f"{name}_{number}"
        keys[key] = None
    return list(keys)


def _print_columns(*, as_json: bool) -> None:

    from arena.cli.shared.tables import UNLIMITED, plain_table
    from arena.records.rows import ANALYSED, TABLES, VIEWS, columns_of

    if as_json:
        from arena.services.database import descriptions

        print_json(["table", "column", "kind", "description"], descriptions())
        return
    console = output()
    if not console.is_terminal:
        console.width = UNLIMITED
    for name, row in (TABLES | ANALYSED | VIEWS).items():
        table = plain_table(f"{name}: {(row.__doc__ or '').strip()}")
        table.add_column("column", no_wrap=True)
        table.add_column("kind", no_wrap=True)
        table.add_column("is")
        for column in columns_of(name):
            table.add_row(column.name, column.kind, column.description.replace("`", ""))
        console.print(table)

"""`arena query`: ask the records of a run in SQL."""

import csv
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from arena.cli.shared.language import with_noun
from arena.cli.shared.output import (
    arena_again,
    echo_json,
    fail,
    json_option,
    make_printable,
    output,
    read_source,
    run_argument,
    with_options,
)
from arena.cli.shared.streams import csv_cells
from arena.services.sources import RecordSource

row_options = with_options(
    json_option("One JSON object a row."),
    click.option("--csv", "as_csv", is_flag=True, help="Comma-separated values with a heading."),
)
"""The forms in which a command prints rows."""
IDS: Final = frozenset({"bot", "opponent", "winner", "loser", "seat_1", "seat_2"})
"""Columns that hold the id of an entrant."""


@click.command()
@run_argument
@click.argument("sql", required=False)
@row_options
def command(run: Path, sql: str | None, *, as_json: bool, as_csv: bool) -> None:
    """Answer a question in SQL about a RUN folder, or one record under its matches/.

    RUN may also be a match of another program (.mat, .txt, .xg, .bgf).

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
      arena query my-run "SELECT bot, ending, avg(win) FROM bot_games GROUP BY bot, ending"
      arena query my-run "SELECT bot, avg(points), avg(adjusted) FROM luck_games GROUP BY bot"
    """
    source = read_source(run)
    if sql is None:
        _print_columns(as_json=as_json)
    else:
        print_answer(source, sql, {}, names={}, as_json=as_json, as_csv=as_csv)


def print_answer(
    source: RecordSource,
    sql: str,
    parameters: Mapping[str, str | int],
    *,
    names: Mapping[str, str],
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print the answer to a question; for people, `names` maps ids of entrants to display names."""
    from arena.services.database import NotAnalysedError, ask

    if as_json and as_csv:
        fail("--json and --csv exclude each other")
    try:
        columns, rows = ask(source, sql, parameters)
    except NotAnalysedError as error:
        fail(f"{error}; first: {arena_again('analyse', source.path)}")
    if as_json:
        print_json(columns, rows)
    elif as_csv:
        csv.writer(sys.stdout, lineterminator="\n").writerows(map(csv_cells, [columns, *rows]))
    else:
        _print_rows(columns, [_with_names(columns, row, names) for row in rows])
        click.echo(with_noun(len(rows), "row"), err=True)


def _with_names(columns: Sequence[str], row: Sequence[Any], names: Mapping[str, str]) -> list[Any]:
    """Return a row with display names in place of ids."""
    cells = []
    for column, cell in zip(columns, row, strict=True):
        cells.append(names.get(cell, cell) if column in IDS else cell)
    return cells


def _print_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print all cells: on a terminal as a table, or as records if that is too wide.

    Off a terminal tabs separate the cells.
    """
    from arena.cli.shared.tables import UNLIMITED, plain_table

    console = output()
    names = list(map(make_printable, columns))
    lines = [list(map(_cell, row)) for row in rows]
    if not console.is_terminal:
        for line in (names, *lines):
            click.echo("\t".join(line))
        return
    table = plain_table("")
    for number, name in enumerate(names):
        are_numbers = bool(rows) and all(isinstance(row[number], int | float) for row in rows)
        table.add_column(name, justify="right" if are_numbers else "left")
    for line in lines:
        table.add_row(*line)
    unlimited = console.options.update(max_width=UNLIMITED)
    if console.measure(table, options=unlimited).maximum <= console.width:
        console.print(table)
    else:
        _print_records(names, lines)


def _cell(cell: Any) -> str:
    return "-" if cell is None else make_printable(str(cell))


def _print_records(names: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    width = max(map(len, names))
    for number, line in enumerate(lines, start=1):
        click.echo(f"row {number}")
        for name, cell in zip(names, line, strict=True):
            click.echo(f"  {name:{width}}  {cell}")


def print_json(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print one JSON object a row; null stands for infinity, which JSON does not have."""
    keys = _distinct(names)
    for row in rows:
        cells = map(_json_cell, row)
        echo_json(dict(zip(keys, cells, strict=True)), default=str)


def _json_cell(cell: Any) -> Any:
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    return cell


def _distinct(names: Iterable[str]) -> list[str]:
    """Return the names of columns as keys; a second one is `name_2`, as after a join."""
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

"""Answers that are rows and columns: for people, as JSON lines, as CSV."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.markup import escape

from arena.cli.shared.output import output, printable
from arena.cli.shared.streams import csv_cells
from arena.cli.shared.tables import UNLIMITED, plain_table


def print_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows for people: on a terminal a table, or one record below the other if a table is too wide.

    Elsewhere each row is one line with tabs between its cells, and the first line has the names. Nothing is cut off.
    """
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
        table.add_column(escape(name), justify="right" if are_numbers and rows else "left")
    for line in lines:
        table.add_row(*map(escape, line))
    if console.measure(table, options=console.options.update(max_width=UNLIMITED)).maximum <= console.width:
        console.print(table)
        return
    width = max(map(len, names))
    for number, line in enumerate(lines, start=1):
        click.echo(f"row {number}")
        for name, cell in zip(names, line, strict=True):
            click.echo(f"  {name:{width}}  {cell}")


def print_json(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print one JSON object a row."""
    keys = _distinct(names)
    for row in rows:
        click.echo(json.dumps(dict(zip(keys, map(_jsonable, row), strict=True)), default=str))


def print_csv(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values with a heading."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(csv_cells(names))
    writer.writerows(map(csv_cells, rows))


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


def _jsonable(value: Any) -> Any:
    """JSON has no infinity: null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

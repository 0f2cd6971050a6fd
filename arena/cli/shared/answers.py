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
from arena.cli.shared.tables import plain_table


def print_rows(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows for people, as a table."""
    table = plain_table("")
    for number, name in enumerate(names):
        are_numbers = all(isinstance(row[number], int | float) for row in rows)
        table.add_column(escape(name), justify="right" if are_numbers and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*("-" if value is None else escape(printable(str(value))) for value in row))
    output().print(table)


def print_json(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print one JSON object a row."""
    keys = _distinct(names)
    for row in rows:
        click.echo(json.dumps(dict(zip(keys, map(_jsonable, row), strict=True)), default=str))


def print_csv(names: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values with a heading."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _distinct(names: Iterable[str]) -> list[str]:
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
    """JSON has no infinity: null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

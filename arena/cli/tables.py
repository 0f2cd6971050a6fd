"""Standings and cross-table as tables for a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from arena.tournaments.crosstable import Crosstable
from arena.tournaments.results import format_points
from arena.tournaments.standings import Standings


def print_standings(console: Console, table: Standings, cross: Crosstable) -> None:
    """The standings, why every tie was broken as it was, and the cross-table."""
    console.print(_standings(table))
    for tie in table.tie_breaks:
        console.print(f"  {tie.sentence}", markup=False)
    for note in table.notes:
        console.print(f"  {note}", markup=False)
    console.print()
    console.print(_crosstable(table, cross))


def _standings(table: Standings) -> Table:
    shown = Table(box=SIMPLE_HEAD, title="Standings", title_justify="left", title_style="bold")
    shown.add_column("", justify="right")
    shown.add_column("entrant", no_wrap=True)
    for heading in ("played", "won", "drawn", "lost", "match\npoints", "game\npoints", "best games", "forfeits"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in table.rows:
        best = " ".join(str(game.points) for game in row.best_games[:4]) + (" …" if len(row.best_games) > 4 else "")
        place = "-" if row.place is None else f"{row.place}{'=' if row.is_shared else ''}"
        shown.add_row(
            place,
            row.entrant,
            *map(str, (row.played, row.won, row.drawn, row.lost)),
            format_points(row.match_points),
            f"{row.points_for}:{row.points_against}",
            best or "-",
            str(row.forfeits),
        )
    return shown


def _crosstable(table: Standings, cross: Crosstable) -> Table:
    shown = Table(box=SIMPLE_HEAD, title="Cross-table (points for:against)", title_justify="left", title_style="bold")
    shown.add_column("")
    for row in table.rows:
        shown.add_column(row.entrant, justify="center")
    for row in table.rows:
        cells = []
        for column in table.rows:
            if column.entrant == row.entrant:
                cells.append("·")
                continue
            meetings = cross.meetings(row.entrant, column.entrant)
            cells.append(" ".join(f"{one.points_for}:{one.points_against}" for one in meetings) or "-")
        shown.add_row(row.entrant, *cells)
    return shown

"""Standings and cross-table as tables for a terminal."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from arena.cli.shared.language import in_words, told
from arena.cli.shared.tables import UNLIMITED, plain_table, short_name
from arena.records.columns import shown_columns
from arena.records.state import TournamentState
from arena.tournaments.crosstable import Crosstable, Meeting, crosstable
from arena.tournaments.results import PairCount
from arena.tournaments.standings import Standing, Standings
from arena.words import Said

SHORTEST: Final = 8
"""Characters that are left of a name, however narrow the terminal is."""


def print_standings(
    console: Console, state: TournamentState, table: Standings, forfeits: Sequence[Said]
) -> None:
    """Print the standings, why every tie was broken as it was, further sentences, the cross-table, and the outcome."""
    width = console.width if console.is_terminal else UNLIMITED
    console.width = UNLIMITED
    names = [table.name(row.entrant) for row in table.rows]
    fitting = partial(_fitting, console, width, names)
    console.print(fitting(partial(_standings, table, state.pairs(table))))
    explained = [Said("column.best_games")] if table.best_game != "none" else []
    explained += [tie.sentence for tie in table.tie_breaks]
    for note in (*explained, *table.notes, *forfeits, *state.containment()):
        console.print(f"  {told(note)}")
    console.print()
    console.print(fitting(partial(_crosstable, table, crosstable(table, state.results))))
    console.print(f"\n{'; '.join(map(told, state.outcome(table)))}")


def _fitting(
    console: Console, width: int, names: Sequence[str], draw: Callable[[int | None], Table]
) -> Table:
    """Draw a table with whole names (None), or with room for so many characters of each if that is too wide."""

    def too_wide(shown: Table) -> int:
        return (
            console.measure(shown, options=console.options.update(max_width=UNLIMITED)).maximum
            - width
        )

    shown = draw(None)
    if too_wide(shown) <= 0:
        return shown
    longest = max(cell_len(name) for name in names)
    return draw(max(SHORTEST, longest - max(0, too_wide(draw(longest)))))


def _standings(table: Standings, pairs: Mapping[str, PairCount], room: int | None) -> Table:
    shown = plain_table("Standings")
    shown.add_column("#", justify="right", no_wrap=True)
    shown.add_column(in_words("entrant"), no_wrap=True)
    columns = shown_columns(table, pairs)
    for column in columns:
        head = (
            in_words(column.heading)
            if room is None
            else in_words(column.heading).replace(" ", "\n")
        )
        shown.add_column(head, justify="right", no_wrap=column.key == "points")
    for row in table.rows:
        name = short_name(table.name(row.entrant), room)
        shown.add_row(_place(row), name, *(told(column.cell(row)) for column in columns))
    return shown


def _place(row: Standing) -> str:
    return "-" if row.place is None else f"{row.place}{'=' if row.is_shared else ''}"


def _crosstable(table: Standings, cross: Crosstable, room: int | None) -> Table:
    """Each column is headed by a name; by a place where there is too little room for names."""
    shown = plain_table("Cross-table (points for:against)")
    if room is not None:
        shown.add_column("#", justify="right")
    shown.add_column("")
    for row in table.rows:
        shown.add_column(table.name(row.entrant) if room is None else _place(row), justify="center")
    for number, row in enumerate(table.rows):
        cells = [_cell(meetings) for meetings in cross[number]]
        cells[number] = "·"
        place = [] if room is None else [_place(row)]
        shown.add_row(*place, short_name(table.name(row.entrant), room), *cells)
    return shown


def _score(one: Meeting) -> str:
    return in_words("void") if one.outcome == "void" else f"{one.points_for}:{one.points_against}"


def _cell(meetings: Sequence[Meeting]) -> str:
    if len(meetings) <= 3:
        return " ".join(map(_score, meetings)) or "-"
    points = (
        f"{sum(one.points_for for one in meetings)}:{sum(one.points_against for one in meetings)}"
    )
    won, drawn, lost = (
        sum(one.outcome == how for one in meetings) for how in ("won", "drawn", "lost")
    )
    return f"{points} (+{won} ={drawn} -{lost})"

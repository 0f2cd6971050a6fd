"""Standings and cross-table as tables for a terminal."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from arena.cli.shared.language import in_words, translate
from arena.cli.shared.tables import UNLIMITED, plain_table, short_name
from arena.records.columns import shown_columns
from arena.records.state import TournamentState
from arena.tournaments.crosstable import Crosstable, Meeting, crosstable
from arena.tournaments.results import PairCount
from arena.tournaments.standings import Standing, Standings
from arena.words import Said

SHORTEST: Final = 8
"""Fewest characters of a name, however narrow the terminal is."""


def print_standings(
    console: Console,
    state: TournamentState,
    table: Standings,
    forfeits: Sequence[Said],
) -> None:
    """Print the standings, how each tie was broken, notes, the cross-table, and the outcome."""
    width = UNLIMITED
    if console.is_terminal:
        width = console.width
    console.width = UNLIMITED
    names = [table.name(row.entrant) for row in table.rows]
    fitting = partial(_draw_to_fit, console, width, names)
    console.print(fitting(partial(_standings, table, state.pairs(table))))
    notes = []
    if table.best_game != "none":
        notes.append(Said("column.best_games"))
    notes += [tie.sentence for tie in table.tie_breaks]
    notes += [*table.notes, *forfeits, *state.containment()]
    for note in notes:
        console.print(f"  {translate(note)}")
    console.print()
    console.print(fitting(partial(_crosstable, table, crosstable(table, state.results))))
    console.print(f"\n{'; '.join(map(translate, state.outcome(table)))}")


def _draw_to_fit(
    console: Console,
    width: int,
    names: Sequence[str],
    draw: Callable[[int | None], Table],
) -> Table:
    """Draw a table with whole names, or with shortened ones if it is too wide.

    `draw` gets the number of characters for each name; None for whole names.
    """
    unlimited = console.options.update(max_width=UNLIMITED)

    def excess(table: Table) -> int:
        return console.measure(table, options=unlimited).maximum - width

    whole = draw(None)
    if excess(whole) <= 0:
        return whole
    longest = max(map(cell_len, names))
    room = longest - max(0, excess(draw(longest)))
    return draw(max(SHORTEST, room))


def _standings(table: Standings, pairs: Mapping[str, PairCount], room: int | None) -> Table:
    shown = plain_table("Standings")
    shown.add_column("#", justify="right", no_wrap=True)
    shown.add_column(in_words("entrant"), no_wrap=True)
    columns = shown_columns(table, pairs)
    for column in columns:
        heading = in_words(column.heading)
        if room is not None:
            heading = heading.replace(" ", "\n")
        shown.add_column(heading, justify="right", no_wrap=column.key == "points")
    for row in table.rows:
        cells = [_place(row), short_name(table.name(row.entrant), room)]
        cells += [translate(column.cell(row)) for column in columns]
        shown.add_row(*cells)
    return shown


def _place(row: Standing) -> str:
    if row.place is None:
        return "-"
    return f"{row.place}=" if row.is_shared else str(row.place)


def _crosstable(table: Standings, cross: Crosstable, room: int | None) -> Table:
    """Draw the cross-table; without room for names, places are the headings of the columns."""
    shown = plain_table("Cross-table (points for:against)")
    if room is not None:
        shown.add_column("#", justify="right")
    shown.add_column("")
    for row in table.rows:
        heading = table.name(row.entrant)
        if room is not None:
            heading = _place(row)
        shown.add_column(heading, justify="center")
    for number, row in enumerate(table.rows):
        cells = list(map(_cell, cross[number]))
        cells[number] = "·"
        cells.insert(0, short_name(table.name(row.entrant), room))
        if room is not None:
            cells.insert(0, _place(row))
        shown.add_row(*cells)
    return shown


def _score(meeting: Meeting) -> str:
    if meeting.outcome == "void":
        return in_words("void")
    return f"{meeting.points_for}:{meeting.points_against}"


def _cell(meetings: Sequence[Meeting]) -> str:
    if len(meetings) <= 3:
        return " ".join(map(_score, meetings)) or "-"
    points_for = sum(meeting.points_for for meeting in meetings)
    points_against = sum(meeting.points_against for meeting in meetings)
    counts = Counter(meeting.outcome for meeting in meetings)
    won, drawn, lost = counts["won"], counts["drawn"], counts["lost"]
    return f"{points_for}:{points_against} (+{won} ={drawn} -{lost})"

"""The head of a run, its standings and its cross-table, from the state of its tournament record."""

from __future__ import annotations

from typing import Any

from arena.games import Game
from arena.pages.boards import board_of
from arena.pages.contents import Heading, RunPage, TableRow
from arena.records.columns import page_columns
from arena.records.state import TournamentState
from arena.tournaments.crosstable import crosstable
from arena.tournaments.standings import Standings


def run_page(state: TournamentState, table: Standings, rules: Game[Any], latest_ms: int) -> RunPage:
    """Return the head of a run with these standings; `latest_ms` is when the last of it happened."""
    opened = state.opened
    columns = page_columns(table, state.pairs(table))
    return RunPage(
        name=opened.name,
        ruleset=str(opened.ruleset["name"]),
        format=state.format.name,
        terms=opened.terms,
        board=board_of(rules),
        counted=len(table.counted),
        scheduled=state.scheduled,
        settled=len(state.settled),
        is_finished=state.is_finished,
        begun_ms=opened.at_ms,
        latest_ms=latest_ms,
        names=dict(state.names),
        columns=[Heading(key=column.key, text=column.heading) for column in columns],
        tie_breaks=[tie.sentence for tie in table.tie_breaks],
        notes=table.notes,
        contained=state.containment(),
        entrants=[
            TableRow(
                id=row.entrant,
                name=state.names[row.entrant],
                place=row.place,
                is_shared=row.is_shared,
                withdrawal=row.withdrawal.value,
                cells=[column.cell(row) for column in columns],
            )
            for row in table.rows
        ],
    )


def meetings_of(state: TournamentState, table: Standings) -> list[list[list[tuple[int, int, str]]]]:
    """Every meeting by row and column, in the order of the standings: points for, against, outcome."""
    return [
        [[(one.points_for, one.points_against, one.outcome.value) for one in cell] for cell in row]
        for row in crosstable(table, state.results).cells
    ]

"""`arena standings`: the standings of a run, finished or not."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.language import language, translate
from arena.cli.shared.output import echo_json, json_option, output, run_argument
from arena.services.sources import tournament_of
from arena.words import Said, decimal, say

if TYPE_CHECKING:
    from rich.console import Console

    from arena.records.columns import StandingsColumn
    from arena.records.facts import TournamentFact
    from arena.records.luck import LuckStatistics
    from arena.records.state import TournamentState
    from arena.services.luck import Luck
    from arena.tournaments.standings import Standing, Standings
    from arena.tournaments.statistics.intervals import PointsPerGame

LOOK_SECONDS: Final = 0.5
"""Seconds between two looks of `--follow` at the record."""


@click.command()
@run_argument
@click.option(
    "--follow",
    is_flag=True,
    help="Print the standings again whenever they change, until the tournament is over.",
)
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Add a cross-table without the luck of the dice.",
)
@json_option("Print one JSON object instead of tables.")
def command(run: Path, *, follow: bool, luck_adjusted: bool, as_json: bool) -> None:
    """Print the standings and the cross-table of a RUN folder, and the step that decided every tie.

    Works while the run is going on, too, from another terminal. Results as they were played decide
    the standings; with --luck-adjusted a second cross-table shows them without the luck of the dice
    (docs/statistics.md).

    \b
    Examples:
      arena standings my-run
      arena standings my-run --follow
      arena standings my-run --luck-adjusted
    """
    from arena.cli.shared.bars import bar_of_analysis
    from arena.records.state import state_of
    from arena.services.luck import luck_taken_out

    shown = None
    while True:
        opened, facts = tournament_of(run)
        state = state_of(opened, facts)
        news = len(state.results), len(state.withdrawn), len(state.fixtures), state.is_finished
        if news != shown:
            luck = None
            if luck_adjusted:
                with bar_of_analysis() as tell:
                    luck = luck_taken_out(run, opened, facts, is_wanted=True, tell=tell)
            _print(run, facts, state, luck, clear=follow, as_json=as_json)
        shown = news
        if state.is_finished or not follow:
            return
        time.sleep(LOOK_SECONDS)


def _print(
    run: Path,
    facts: list[TournamentFact],
    state: TournamentState,
    luck: Luck | None,
    *,
    clear: bool,
    as_json: bool,
) -> None:
    """Print the standings as tables or as one line of JSON.

    With `clear`, on a terminal, they replace the earlier ones.
    """
    from arena.cli.shared.standings import print_standings
    from arena.records.reasons import forfeit_sentences
    from arena.server.setup.run_folder import RunFiles

    table = state.standings()
    forfeits = forfeit_sentences(facts, RunFiles(run), state.names)
    if as_json:
        echo_json(_as_json(state, table, forfeits, luck))
        return
    console = output()
    if clear and console.is_terminal:
        console.clear()
    _print_heading(console, state, table)
    print_standings(console, state, table, forfeits)
    if luck is not None:
        statistics, notes = luck
        _print_luck(console, table, statistics, notes)


def _print_heading(console: Console, state: TournamentState, table: Standings) -> None:
    parts = [state.opened.ruleset["name"], state.format.name]
    due = state.format.rounds_due(len(state.entrants))
    if state.rounds:
        code = "standings.round_of" if due else "standings.round"
        parts.append(translate(Said(code, {"round": len(state.rounds), "rounds": due or 0})))
    parts.append(translate(state.matches_counted(table)))
    console.print(f"{state.opened.name}: {', '.join(parts)}")


def _print_luck(
    console: Console,
    table: Standings,
    statistics: LuckStatistics | None,
    notes: Sequence[Said],
) -> None:
    """Print the cross-table without luck, if there is one, and the notes."""
    from arena.records.luck import without_error

    console.print()
    if statistics is not None:
        names = [row.entrant for row in table.rows if row.entrant in statistics.entrants]
        against = {pair: statistics.against(*pair) for pair in permutations(names, 2)}
        _print_luck_table(console, table, names, against)
        figures = [points for points in against.values() if points is not None]
        interval = Said("standings.interval")
        notes = [interval, statistics.source, *notes, *without_error(figures)]
    for note in dict.fromkeys(map(translate, notes)):
        console.print(f"  {note}")


def _print_luck_table(
    console: Console,
    table: Standings,
    names: Sequence[str],
    against: Mapping[tuple[str, str], PointsPerGame | None],
) -> None:
    from arena.cli.shared.tables import plain_table

    shown = plain_table("Cross-table, luck taken out (points a game of the row against the column)")
    shown.add_column("", no_wrap=True)
    for name in names:
        shown.add_column(table.name(name), justify="center", no_wrap=True)
    for name in names:
        cells = [table.name(name)]
        for opponent in names:
            if opponent == name:
                cells.append("·")
            else:
                cells.append(_points(against[name, opponent]))
        shown.add_row(*cells)
    console.print(shown)


def _points(points: PointsPerGame | None) -> str:
    if points is None:
        return "-"
    mean = decimal(round(points.mean, 2) + 0.0, "+.2f", language())
    if points.margin is None:
        return mean
    return f"{mean} ± {decimal(points.margin, '.2f', language())}"


def _as_json(
    state: TournamentState,
    table: Standings,
    forfeits: Sequence[Said],
    luck: Luck | None,
) -> dict[str, Any]:
    from arena.records.columns import columns_of

    columns = columns_of(table, state.pairs(table))
    early = state.early_end()
    entry: dict[str, Any] = {
        "name": state.opened.name,
        "matches": len(table.counted),
        "standings": [_row_as_json(state, table, columns, row) for row in table.rows],
        "outcome": list(map(say, state.outcome(table))),
        "ended_early": early and say(early),
        "tie_breaks": [say(tie.sentence) for tie in table.tie_breaks],
        "notes": list(map(say, table.notes)),
        "forfeits": list(map(say, forfeits)),
    }
    if luck is not None:
        statistics, notes = luck
        entry["luck"] = statistics and _luck_as_json(statistics)
        entry["luck_notes"] = list(map(say, notes))
    return entry


def _row_as_json(
    state: TournamentState,
    table: Standings,
    columns: Sequence[StandingsColumn],
    row: Standing,
) -> dict[str, Any]:
    from arena.tournaments.standings import Withdrawal

    entry: dict[str, Any] = {
        "place": row.place,
        "entrant": row.entrant,
        "name": table.name(row.entrant),
    }
    for column in columns:
        figure = column.value(row)
        if column.key and figure is not None:
            entry[column.key] = figure
    if row.withdrawal is not Withdrawal.NONE:
        entry["withdrawal"] = row.withdrawal.value
    if row.entrant in state.contained:
        entry["contained"] = sorted(state.contained[row.entrant])
    return entry


def _luck_as_json(statistics: LuckStatistics) -> dict[str, Any]:
    points: dict[str, dict[str, Any]] = {name: {} for name in statistics.entrants}
    for name, opponent in permutations(statistics.entrants, 2):
        against = statistics.against(name, opponent)
        if against is not None:
            points[name][opponent] = {"mean": against.mean, "margin_95": against.margin}
    return {
        "evaluator": statistics.evaluator.name,
        "evaluator_sha256": statistics.evaluator.sha256,
        "fixed_before_the_first_game": statistics.is_fixed,
        "points_per_game": points,
    }

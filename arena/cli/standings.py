"""`arena standings`: the table of a run, finished or not."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.language import language, told
from arena.cli.shared.output import echo_json, json_option, output, run_argument
from arena.services.sources import tournament_of
from arena.words import Said, decimal, say

if TYPE_CHECKING:
    from rich.console import Console

    from arena.records.facts import TournamentFact
    from arena.records.luck import LuckStatistics
    from arena.records.state import TournamentState
    from arena.services.luck import Luck
    from arena.tournaments.standings import Standings
    from arena.tournaments.statistics.intervals import PointsPerGame

LOOK_SECONDS: Final = 0.5
"""How long `--follow` waits before it reads the record again."""


@click.command()
@run_argument
@click.option(
    "--follow",
    is_flag=True,
    help="Print the standings again whenever they change, until the tournament is over.",
)
@click.option(
    "--luck-adjusted", is_flag=True, help="Add a cross-table without the luck of the dice."
)
@json_option("Print one JSON object instead of tables.")
def command(run: Path, *, follow: bool, luck_adjusted: bool, as_json: bool) -> None:
    """Print the standings and the cross-table of a RUN folder, and the step that decided every tie.

    Works while the run is going on, too, from another terminal. Results as they were played decide the standings; with
    --luck-adjusted a second cross-table shows them without the luck of the dice (docs/statistics.md).

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
    """Print the present standings, as tables or as one line of JSON; on a terminal they replace the earlier ones."""
    from arena.cli.shared.standings import print_standings
    from arena.records.reasons import forfeit_sentences
    from arena.server.setup.run_folder import RunFiles

    table = state.standings()
    forfeits = forfeit_sentences(facts, RunFiles(run), state.names)
    if as_json:
        echo_json(_plain(state, table, forfeits, luck))
        return
    console = output()
    if clear and console.is_terminal:
        console.clear()
    due = state.format.rounds_due(len(state.entrants))
    parts = [state.opened.ruleset["name"], state.format.name]
    if state.rounds:
        code = "standings.round_of" if due else "standings.round"
        parts.append(told(Said(code, {"round": len(state.rounds), "rounds": due or 0})))
    parts.append(told(state.matches_counted(table)))
    console.print(f"{state.opened.name}: {', '.join(parts)}")
    print_standings(console, state, table, forfeits)
    if luck is not None:
        _print_luck(console, table, *luck)


def _print_luck(
    console: Console, table: Standings, found: LuckStatistics | None, notes: Sequence[Said]
) -> None:
    from arena.cli.shared.tables import plain_table
    from arena.records.luck import without_error

    console.print()
    if found is not None:
        figures: list[PointsPerGame] = []
        shown = plain_table(
            "Cross-table, luck taken out (points a game of the row against the column)"
        )
        shown.add_column("", no_wrap=True)
        names = [row.entrant for row in table.rows if row.entrant in found.entrants]
        for name in names:
            shown.add_column(table.name(name), justify="center", no_wrap=True)
        for name in names:
            met = [None if other == name else found.against(name, other) for other in names]
            figures += [one for one in met if one is not None]
            cells = ["-" if one is None else _points(one) for one in met]
            cells[names.index(name)] = "·"
            shown.add_row(table.name(name), *cells)
        console.print(shown)
        notes = [Said("standings.interval"), found.source, *notes, *without_error(figures)]
    for note in dict.fromkeys(map(told, notes)):
        console.print(f"  {note}")


def _points(one: PointsPerGame) -> str:
    mean = decimal(round(one.mean, 2) + 0.0, "+.2f", language())
    return mean if one.margin is None else f"{mean} ± {decimal(one.margin, '.2f', language())}"


def _plain(
    state: TournamentState, table: Standings, forfeits: Sequence[Said], luck: Luck | None
) -> dict[str, Any]:
    from arena.records.columns import columns_of
    from arena.tournaments.standings import Withdrawal

    columns, contained = columns_of(table, state.pairs(table)), state.contained
    rows = [
        {
            "place": row.place,
            "entrant": row.entrant,
            "name": table.name(row.entrant),
            **{
                column.key: value
                for column in columns
                if column.key and (value := column.value(row)) is not None
            },
            **({} if row.withdrawal is Withdrawal.NONE else {"withdrawal": row.withdrawal.value}),
            **({"contained": sorted(contained[row.entrant])} if row.entrant in contained else {}),
        }
        for row in table.rows
    ]
    early = state.early_end()
    return {
        "name": state.opened.name,
        "matches": len(table.counted),
        "standings": rows,
        "outcome": [say(one) for one in state.outcome(table)],
        "ended_early": None if early is None else say(early),
        "tie_breaks": [say(tie.sentence) for tie in table.tie_breaks],
        "notes": [say(note) for note in table.notes],
        "forfeits": [say(one) for one in forfeits],
        **(
            {}
            if luck is None
            else {"luck": luck[0] and _plain_luck(luck[0]), "luck_notes": [*map(say, luck[1])]}
        ),
    }


def _plain_luck(found: LuckStatistics) -> dict[str, Any]:
    return {
        "evaluator": found.evaluator.name,
        "evaluator_sha256": found.evaluator.sha256,
        "fixed_before_the_first_game": found.is_fixed,
        "points_per_game": {
            name: {
                other: {"mean": one.mean, "margin_95": one.margin}
                for other in found.entrants
                if other != name and (one := found.against(name, other))
            }
            for name in found.entrants
        },
    }

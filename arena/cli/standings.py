"""`arena standings`: the table of a run, finished or not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.common import output, tournament_of

if TYPE_CHECKING:
    from arena.tournaments.pairs import PairCount


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def command(run: Path, *, as_json: bool) -> None:
    """Print the standings and the cross-table of a RUN folder, and the step that decided every tie.

    Works while the run is going on. Example: arena standings my-run
    """
    import json

    from arena.cli.tables import print_standings
    from arena.records.table import crosstable_of, pairs_of, schedule_of, standings_of

    opened, facts = tournament_of(run)
    table = standings_of(opened, facts)
    cross = crosstable_of(table, facts)
    pairs = pairs_of(opened, table, facts)
    played, scheduled = len(table.counted), len(schedule_of(opened))
    if not as_json:
        console = output()
        rules = opened.ruleset["name"]
        console.print(f"{opened.name}: {rules}, {played} of {scheduled} matches counted", markup=False)
        print_standings(console, table, cross, pairs)
        return
    rows = [
        {
            "place": row.place,
            "entrant": row.entrant,
            "played": row.played,
            "won": row.won,
            "drawn": row.drawn,
            "lost": row.lost,
            "match_points": float(row.match_points),
            "points": row.points_for,
            "points_against": row.points_against,
            "best_games": [game.points for game in row.best_games],
            "forfeits": row.forfeits,
            **({"pairs": _plain(pairs[row.entrant])} if row.entrant in pairs else {}),
        }
        for row in table.rows
    ]
    sentences = [tie.sentence for tie in table.tie_breaks]
    click.echo(json.dumps({"name": opened.name, "matches": played, "standings": rows, "tie_breaks": sentences}))


def _plain(count: PairCount) -> dict[str, float | None]:
    """The pairs of an entrant as JSON has them."""
    return {
        "won": count.won,
        "level": count.level,
        "lost": count.lost,
        "points_a_pair": float(count.mean),
        "standard_error": count.standard_error,
    }

"""`arena verify`: check every record of a run."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.common import CHECK_FAILED, output, run_folder


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a sentence.")
def command(run: Path, *, as_json: bool) -> None:
    """Recompute dice, legality, endings, points and standings of a RUN folder from its records.

    Every roll is worked out again from the revealed seed, every turn judged again, every clock reckoned again, and
    every byte compared. Exits 0 if all is in order, 1 with the first difference.

    Example: arena verify my-run
    """
    import json

    from rich.markup import escape

    from arena.records.lines import RecordError
    from arena.records.verify import verify_run
    from arena.server.folder import RunFiles

    try:
        found = verify_run(RunFiles(run_folder(run)))
    except RecordError as error:
        if as_json:
            click.echo(json.dumps({"verified": False, "where": error.where, "message": error.message}))
        else:
            output().print(f"[red]not in order[/red]: {escape(str(error))}")
        raise SystemExit(CHECK_FAILED) from None
    if as_json:
        facts = {"fixtures": found.fixtures, "scheduled": found.scheduled, "games": found.games, "turns": found.turns}
        click.echo(json.dumps({"verified": True, "finished": found.is_finished, **facts}))
        return
    state = "finished" if found.is_finished else f"not finished: {found.fixtures} of {found.scheduled} matches played"
    counts = f"{found.fixtures} matches, {found.games} games, {found.turns} turns"
    output().print(f"[green]in order[/green]: {counts}; the run is {state}")

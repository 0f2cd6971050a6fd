"""`arena positions`: the positions of `arena exam`, and what their turns lose."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from arena.cli.shared.output import CHECK_FAILED, INTERRUPTED, WRONG_USE, fail


@click.command()
@click.argument("ruleset")
@click.option("--number", type=click.IntRange(10, 100_000), default=5000, help="Positions.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, help="The same seed gives the same positions.")
@click.option("--turns", type=click.IntRange(1, 800), default=6, help="Turns of a game that is played out.")
@click.option(
    "--error",
    type=click.FloatRange(0.001, 1),
    default=0.02,
    help="Points; games are played out until the difference between two turns has this error.",
)
@click.option("--workers", type=click.IntRange(1, 1024), help="Processes.  [default: one for each core]")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="The folder.  [default: positions-RULESET]"
)
@click.option("--quiet", is_flag=True, help="Say nothing on the way.")
def command(
    ruleset: str,
    number: int,
    seed: int,
    turns: int,
    error: float,
    workers: int | None,
    out: Path | None,
    *,
    quiet: bool,
) -> None:
    """Make positions for `arena exam` under RULESET, and play out their turns.

    They come from games of players of all strengths. Every turn that may be the best is played out many times by the
    evaluator that ships, all with the same dice. In the end the sample bots are examined, and the folder holds
    RULESET.positions, which `arena exam --positions` reads. Killed or stopped, the same command goes on where it was.

    \b
    Examples:
      arena positions vasa
      arena positions fiske --number 500 --workers 1 --out few
    """
    from arena.analysis import EvaluatorError, evaluator_for
    from arena.games import GameError, load_game
    from arena.games.tables.game import TablesGame
    from arena.lab.positions import Making, new_head
    from arena.lab.training import LabPlanError

    try:
        game = load_game(ruleset)
        evaluator = evaluator_for(game)
        assert isinstance(game, TablesGame), "only tables games have an evaluator"
        making = Making(
            game,
            evaluator,
            out or Path(f"positions-{game.name}"),
            number,
            new_head(game, evaluator, seed, turns, error),
        )
        begun, first = time.monotonic(), None
        for done in making.run(workers or os.cpu_count() or 1):
            first = done if first is None else first
            took = time.monotonic() - begun
            left = f", about {(number - done) * took / (done - first) / 60:.0f} min left" if done > first else ""
            if done and not quiet:
                click.echo(f"{done} of {number} positions{left}", err=True)
        _examine_samples(making.file, game.name)
    except (GameError, EvaluatorError, LabPlanError) as problem:
        fail(str(problem), code=CHECK_FAILED if isinstance(problem, LabPlanError) else WRONG_USE)
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on", err=True)
        raise SystemExit(INTERRUPTED) from None


def _examine_samples(file: Path, ruleset: str) -> None:
    """Write the error rates of the sample bots into the file, and print what it holds."""
    import msgspec

    from arena.analysis.examination import position_set, write_positions
    from arena.cli.exam import floor_of
    from arena.cli.shared.examining import Examining, losses_of
    from arena.cli.shared.one_bot import plan_for_one
    from arena.person.opponents import opponents_for

    asked = position_set(file)
    bots = {one.name: one.command() for one in opponents_for(ruleset)}
    bots["neural, one turn ahead"] = f"{bots['neural']} --plies 1"
    work = Examining(asked, plan_for_one(None, ruleset, ()), file.with_suffix(".answers"))
    scale = {}
    for name, line in bots.items():
        rate = asked.rates(losses_of(asked, work.answers(line, name)))["all"]
        scale[name] = round(rate.mean, 2), round(rate.half_width, 2)
        click.echo(f"{name}: {rate.mean:.1f} ± {rate.half_width:.1f} thousandths of a point a decision")
    head = msgspec.structs.replace(asked.head, scale=scale)
    write_positions(head, [question.of for question in asked.questions], file)
    click.echo(f"perfect answers: {floor_of(asked):.1f}, for the losses have errors")
    click.echo(f"{file}  {len(asked.questions)} positions, SHA-256 {asked.sha256}")

"""`arena positions`: the positions of `arena exam`, and what their turns lose."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.output import CHECK_FAILED, INTERRUPTED, fail
from arena.services.plans import given_ruleset

if TYPE_CHECKING:
    from arena.lab.positions import Truth

WEAKER: Final = (
    ("neural", "one turn ahead", "--plies 1"),
    ("neural", "two turns ahead", "--plies 2"),
    ("brandubh", "four turns ahead", "--depth 4"),
)
"""Sample bots that are examined once more, with an option that leaves less to the clock."""


@click.command()
@click.argument("ruleset")
@click.option("--number", type=click.IntRange(10, 100_000), default=5000, help="Positions.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=1,
    help="The same seed gives the same positions.",
)
@click.option(
    "--turns",
    type=click.IntRange(1, 800),
    help="Tables games: turns that are played out.  [default: 6]",
)
@click.option(
    "--error",
    type=click.FloatRange(0.001, 1),
    help="Tables games: points; turns are played out until their difference has this error.  [default: 0.02]",
)
@click.option(
    "--looks",
    type=click.IntRange(1, 100_000),
    help="Brandubh: positions that proofs look at for each decision.  [default: 6000]",
)
@click.option(
    "--workers", type=click.IntRange(1, 1024), help="Processes.  [default: one for each core]"
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder.  [default: positions-RULESET]",
)
@click.option("--quiet", is_flag=True, help="Say nothing on the way.")
def command(
    ruleset: str,
    number: int,
    seed: int,
    turns: int | None,
    error: float | None,
    looks: int | None,
    workers: int | None,
    out: Path | None,
    *,
    quiet: bool,
) -> None:
    """Make positions for `arena exam` under RULESET, a name or a tournament file, and find what their turns lose.

    They come from games of players of all strengths. In tables games every turn that may be the best is played out many
    times by the evaluator that ships, all with the same dice; in Brandubh a search proves which turns win and which
    lose. In the end the sample bots are examined, and the folder holds RULESET.positions, which `arena exam
    --positions` reads. Killed or stopped, the same command goes on where it was.

    \b
    Examples:
      arena positions vasa
      arena positions fiske --number 500 --workers 1 --out few
      arena positions money.toml
      arena positions brandubh-1 --number 250
    """
    import arena.conformance  # noqa: F401 - it is needed in the end; its lack is told before the long work
    from arena.lab.positions import Making
    from arena.lab.training import LabPlanError
    from arena.server.programs.cpu_share import CORES

    try:
        truth = _truth(ruleset, {"turns": turns, "error": error, "looks": looks})
        making = Making(truth, out or Path(f"positions-{truth.game.name}"), number, seed)
        begun, first = time.monotonic(), None
        for done in making.run(workers or CORES):
            first = done if first is None else first
            took = time.monotonic() - begun
            left = (
                f", about {(number - done) * took / (done - first) / 60:.0f} min left"
                if done > first
                else ""
            )
            if done and not quiet:
                click.echo(f"{done} of {number} positions{left}", err=True)
        _examine_samples(making.file)
    except LabPlanError as problem:
        fail(str(problem), code=CHECK_FAILED)
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on", err=True)
        raise SystemExit(INTERRUPTED) from None


def _truth(ruleset: str, options: dict[str, Any]) -> Truth:
    """Return what knows the losses under a ruleset; raises `GameError` or `EvaluatorError` where nothing does."""
    from arena.analysis import evaluator_for
    from arena.games import load_game
    from arena.games.brandubh.game import BrandubhGame
    from arena.games.tables.game import TablesGame
    from arena.lab.playing_out import PlayingOut
    from arena.lab.proving import Proving

    game = load_game(given_ruleset(ruleset))
    given = {name: value for name, value in options.items() if value is not None}
    takes = {"looks"} if isinstance(game, BrandubhGame) else {"turns", "error"}
    if wrong := sorted(given.keys() - takes):
        fail(
            f"--{wrong[0]} means nothing for {game.name}, which takes --{' and --'.join(sorted(takes))}; leave it out"
        )
    if isinstance(game, BrandubhGame):
        return Proving(game, **given)
    evaluator = evaluator_for(game)
    assert isinstance(game, TablesGame), "only tables games have an evaluator"
    return PlayingOut(game, evaluator, **given)


def _examine_samples(file: Path) -> None:
    """Write the error rates of the sample bots into the file, and print what it holds."""
    import msgspec

    from arena.analysis.examination import position_set, write_positions
    from arena.cli.exam import floor_of
    from arena.cli.shared.bars import counting_bar
    from arena.conformance.examination import Examining, losses_of
    from arena.sample_opponents import opponents_for
    from arena.services.one_bot import plan_for_one

    asked = position_set(file)
    bots = {one.name: one.command() for one in opponents_for(asked.game.ruleset)}
    bots |= {f"{bot}, {how}": f"{bots[bot]} {option}" for bot, how, option in WEAKER if bot in bots}
    work = Examining(asked, plan_for_one(None), file.with_suffix(".answers"))
    scale = {}
    for name, line in bots.items():
        with counting_bar(name) as tell:
            answers = work.answers(line, name, tell)
        rate = asked.rates(losses_of(asked, answers))["all"]
        scale[name] = round(rate.mean, 2), round(rate.half_width, 2)
        click.echo(
            f"{name}: {rate.mean:.1f} ± {rate.half_width:.1f} thousandths of a point a decision"
        )
    head = msgspec.structs.replace(asked.head, scale=scale)
    write_positions(head, [question.of for question in asked.questions], file)
    click.echo(f"perfect answers: {floor_of(asked):.1f}, for the losses have errors")
    click.echo(f"{file}  {len(asked.questions)} positions, SHA-256 {asked.sha256}")

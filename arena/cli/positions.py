"""`arena positions`: positions for `arena exam`, with the losses of their turns."""

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
"""Sample bots that are examined a second time, with an option that depends less on the clock."""


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
    help="Tables games: points; turns are played out until their difference has this error.  "
    "[default: 0.02]",
)
@click.option(
    "--looks",
    type=click.IntRange(1, 100_000),
    help="Brandubh: positions that proofs look at for each decision.  [default: 6000]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    help="Processes.  [default: one for each core]",
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
    """Make positions for `arena exam` under RULESET, and compute the losses of their turns.

    RULESET is a name or a tournament file. The positions come from games of players of all
    strengths. In tables games the evaluator that ships plays out every turn that may be the best,
    many times and all with the same dice; in Brandubh a search proves which turns win and which
    lose. In the end the sample bots are examined, and the folder holds RULESET.positions, which
    `arena exam --positions` reads. If the command was stopped, start it again: it goes on.

    \b
    Examples:
      arena positions vasa
      arena positions fiske --number 500 --workers 1 --out few
      arena positions money.toml
      arena positions brandubh-1 --number 250
    """
    import arena.conformance  # noqa: F401 - report that it is missing before the long work
    from arena.lab.positions import Making
    from arena.lab.training import LabPlanError
    from arena.server.programs.cpu_share import CORES

    try:
        truth = _truth(
            ruleset,
            {
                "turns": turns,
                "error": error,
                "looks": looks,
            },
        )
        making = Making(truth, out or Path(f"positions-{truth.game.name}"), number, seed)
        start, first = time.monotonic(), None
        for done in making.run(workers or CORES):
            if first is None:
                first = done
            line = f"{done} of {number} positions"
            if done > first:
                minutes = (number - done) * (time.monotonic() - start) / (done - first) / 60
                line += f", about {minutes:.0f} min left"
            if done and not quiet:
                click.echo(line, err=True)
        _examine_samples(making.file)
    except LabPlanError as problem:
        fail(str(problem), code=CHECK_FAILED)
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on", err=True)
        raise SystemExit(INTERRUPTED) from None


def _truth(ruleset: str, options: dict[str, Any]) -> Truth:
    """Return what knows the losses under a ruleset. Raises `GameError` and `EvaluatorError`."""
    from arena.analysis import evaluator_for
    from arena.games import load_game
    from arena.games.brandubh.game import BrandubhGame
    from arena.games.tables.game import TablesGame
    from arena.lab.playing_out import PlayingOut
    from arena.lab.proving import Proving

    game = load_game(given_ruleset(ruleset))
    chosen = {name: setting for name, setting in options.items() if setting is not None}
    accepted = ("looks",) if isinstance(game, BrandubhGame) else ("error", "turns")
    for name in sorted(chosen):
        if name not in accepted:
            takes = f"which takes --{' and --'.join(accepted)}"
            fail(f"--{name} means nothing for {game.name}, {takes}; leave it out")
    if isinstance(game, BrandubhGame):
        return Proving(game, **chosen)
    evaluator = evaluator_for(game)
    assert isinstance(game, TablesGame), "only tables games have an evaluator"
    return PlayingOut(game, evaluator, **chosen)


def _examine_samples(file: Path) -> None:
    """Write the error rates of the sample bots into the file, and print its contents."""
    import msgspec

    from arena.analysis.examination import read_position_set, write_positions
    from arena.cli.exam import floor_of
    from arena.cli.shared.bars import counting_bar
    from arena.conformance.examination import Examining, losses_of
    from arena.sample_opponents import opponents_for
    from arena.services.one_bot import plan_for_one

    positions = read_position_set(file)
    commands = {bot.name: bot.command() for bot in opponents_for(positions.game.ruleset)}
    for bot, depth, option in WEAKER:
        if bot in commands:
            commands[f"{bot}, {depth}"] = f"{commands[bot]} {option}"
    work = Examining(positions, plan_for_one(None), file.with_suffix(".answers"))
    scale = {}
    for name, line in commands.items():
        with counting_bar(name) as tell:
            answers = work.answers(line, name, tell)
        rate = positions.rates(losses_of(positions, answers))["all"]
        scale[name] = round(rate.mean, 2), round(rate.half_width, 2)
        click.echo(
            f"{name}: {rate.mean:.1f} ± {rate.half_width:.1f} thousandths of a point a decision"
        )
    head = msgspec.structs.replace(positions.head, scale=scale)
    write_positions(head, [question.of for question in positions.questions], file)
    click.echo(f"perfect answers: {floor_of(positions):.1f}, for the losses have errors")
    click.echo(f"{file}  {len(positions.questions)} positions, SHA-256 {positions.sha256}")

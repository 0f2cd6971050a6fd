"""`arena train`: an evaluator by self-play."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.output import CHECK_FAILED, INTERRUPTED, WRONG_USE, fail, tournament_text

if TYPE_CHECKING:
    from arena.lab.course import Stage


@click.command()
@click.argument("ruleset")
@click.option("--name", help="The name of the evaluator.  [default: my- and the name of the ruleset]")
@click.option("--games", type=click.IntRange(1, 10_000_000), default=150_000, help="Games of self-play.")
@click.option(
    "--deeper",
    type=click.IntRange(0, 10_000_000),
    default=100_000,
    help="Positions that are looked at one turn deeper afterwards; 0 leaves this stage out.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, help="The same seed gives the same weights.")
@click.option("--hidden", default="128,32", metavar="N,N", help="Widths of the hidden layers of the network.")
@click.option("--workers", type=click.IntRange(1, 256), default=1, help="Processes that look deeper.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="The folder of the training.  [default: the name]"
)
@click.option("--quiet", is_flag=True, help="Say nothing on the way.")
def command(
    ruleset: str,
    name: str | None,
    games: int,
    deeper: int,
    seed: int,
    hidden: str,
    workers: int,
    out: Path | None,
    *,
    quiet: bool,
) -> None:
    """Train an evaluator for RULESET, a name or a tournament file with a house ruleset, from nothing.

    A ruleset known by name is trained with all its options. Killed or stopped, the same command goes on where it was.
    In the end the folder holds the weights, NAME.weights, and a page about them, index.html.
    docs/training.md tells how it works and how strong the result is.

    \b
    Examples:
      arena train vasa
      arena train friday.toml --games 50000 --deeper 0
    """
    from arena.games import GameError
    from arena.lab.course import Course
    from arena.lab.page import page
    from arena.lab.training import LabPlanError, TrainingPlan, rulesets_with_options

    try:
        rulesets = rulesets_with_options(_ruleset(ruleset))
        plan = TrainingPlan(
            name=name or "my-" + str(rulesets[0]["name"]).partition("+")[0],
            rulesets=rulesets,
            games=games,
            deeper=deeper,
            seed=seed,
            hidden=_widths(hidden),
        )
        course = Course(plan, out or Path(plan.name))

        def tell(stage: Stage) -> None:
            (course.folder / "index.html").write_text(page(course, course.stages()), encoding="utf-8")
            if not quiet and (stage.points is not None or stage.stage != "self-play"):
                click.echo(_line(stage, plan.games), err=True)

        was_done = bool(told := course.stages()) and told[-1].stage == "done"
        told = course.run(tell, workers)
    except (GameError, LabPlanError) as error:
        fail(str(error), code=CHECK_FAILED if isinstance(error, LabPlanError) else WRONG_USE)
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on", err=True)
        raise SystemExit(INTERRUPTED) from None
    if was_done and not quiet:
        click.echo(f"{course.folder} is done; nothing was trained. For another training give another --out", err=True)
    click.echo(f"{course.weights}  SHA-256 {told[-1].sha256}")


def _line(stage: Stage, games: int) -> str:
    if stage.stage == "deeper":
        return f"looked one turn deeper at {stage.share:.0%} of the positions"
    left = stage.seconds * max(games - stage.games, 0) / max(stage.games, 1)
    strength = f"{stage.points:+.2f} ± {stage.half_width:.2f} points a game against the beginner"
    when = f"about {left / 60:.0f} min of self-play left" if stage.stage == "self-play" else "done"
    return f"{stage.games:,} of {games:,} games, {stage.turns:,} turns: {strength}; {when}"


def _ruleset(given: str) -> str | Mapping[str, Any]:
    if not given.endswith(".toml"):
        return given
    from arena.server.setup.tournament_file import PlanError, parse_plan

    try:
        return parse_plan(tournament_text(Path(given)), tell_lines=True).game().ruleset
    except PlanError as error:
        fail(f"{given} cannot be used: {error}")


def _widths(text: str) -> tuple[int, ...]:
    from arena.analysis.evaluator import DEEPEST, WIDEST

    words = text.split(",")
    if len(words) > DEEPEST or not all(
        word.isascii() and word.isdecimal() and len(word) <= 9 and 2 <= int(word) <= WIDEST for word in words
    ):
        raise click.BadParameter(
            f"found {text!r}; expected at most {DEEPEST} whole numbers from 2 to {WIDEST} with commas, such as 128,32",
            param_hint="--hidden",
        )
    return tuple(map(int, words))

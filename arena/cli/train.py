"""`arena train`: an evaluator by self-play."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.output import A_FILE, CHECK_FAILED, INTERRUPTED, echo_json, fail, json_option
from arena.services.plans import given_ruleset

if TYPE_CHECKING:
    from arena.lab.course_folder import Stage
    from arena.lab.training import TrainingPlan


@click.command()
@click.argument("ruleset")
@click.option(
    "--name", help="The name of the evaluator.  [default: my- and the name of the ruleset]"
)
@click.option(
    "--games", type=click.IntRange(1, 10_000_000), default=150_000, help="Games of self-play."
)
@click.option(
    "--begin",
    type=A_FILE,
    metavar="FILE",
    help="Weights to go on from, instead of self-play: of this ruleset, or of one that is won in the same ways.",
)
@click.option(
    "--generations",
    type=click.IntRange(0, 100),
    default=3,
    help="How often positions are looked at one turn deeper afterwards, each time by what was learnt so far.",
)
@click.option(
    "--positions",
    type=click.IntRange(20, 10_000_000),
    default=100_000,
    help="Positions of a generation.",
)
@click.option(
    "--played-out",
    type=click.IntRange(0, 10_000_000),
    default=20_000,
    help="Positions that are played out in the end, 36 times each.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=1,
    help="The same seed gives the same weights.",
)
@click.option(
    "--hidden",
    metavar="N,N",
    help="Widths of the hidden layers of the network; with --begin at most twice its own.  [default: 128,32]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    help="Processes that look deeper and play out.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder of the training.  [default: the name]",
)
@click.option("--quiet", is_flag=True, help="Say nothing on the way.")
@json_option("In the end print plan, stages and examination as one JSON object.")
def command(
    ruleset: str,
    name: str | None,
    games: int,
    begin: Path | None,
    generations: int,
    positions: int,
    played_out: int,
    seed: int,
    hidden: str | None,
    workers: int,
    out: Path | None,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """Train an evaluator for RULESET, a name or a tournament file with a house ruleset, from nothing.

    A ruleset known by name is trained with all its options. Killed or stopped, the same command
    goes on where it was. In the end the folder holds the weights, NAME.weights. docs/training.md
    tells how it works and how strong the result is.

    \b
    Examples:
      arena train vasa
      arena train friday.toml --games 50000 --generations 1 --played-out 0
      arena train friday.toml --begin vasa.weights
    """
    from arena.analysis.files import PINNED, read_evaluator
    from arena.analysis.headed_files import NAME_CHARS, is_name
    from arena.lab.course import Course
    from arena.lab.training import HIDDEN, LabPlanError, TrainingPlan, rulesets_with_options

    if name is not None and (not is_name(name) or "/" in name):
        expected = f"expected 1 to {NAME_CHARS} printable characters without a slash"
        raise click.BadParameter(f"found {name[:NAME_CHARS]!r}; {expected}", param_hint="--name")
    if name in PINNED:
        raise click.BadParameter(
            f"{name} is the name of weights that ship; give another one", param_hint="--name"
        )
    try:
        rulesets = rulesets_with_options(given_ruleset(ruleset))
        first = read_evaluator(begin) if begin else None
        plan = TrainingPlan(
            name=name or "my-" + str(rulesets[0]["name"]).partition("+")[0],
            rulesets=rulesets,
            games=0 if first else games,
            begin=first.sha256 if first else "",
            generations=generations,
            positions=positions,
            played_out=played_out,
            seed=seed,
            hidden=_widths(hidden) if hidden is not None else first.hidden if first else HIDDEN,
        )
        course = Course(plan, out or Path(plan.name), first)

        def tell(stage: Stage) -> None:
            stages = course.stages()
            same = [one for one in stages[:-1] if one.stage == stage.stage]
            is_next_tenth = not same or int(10 * stage.share) != int(10 * same[-1].share)
            is_told = stage.points is not None or (stage.stage != "self-play" and is_next_tenth)
            begun = next((one.seconds for one in reversed(stages) if one.stage != stage.stage), 0.0)
            if is_told and not quiet:
                click.echo(_line(stage, plan, begun), err=True)

        was_done = bool(told := course.stages()) and told[-1].stage == "done"
        told = course.run(tell, workers)
    except LabPlanError as error:
        fail(str(error), code=CHECK_FAILED)
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on", err=True)
        raise SystemExit(INTERRUPTED) from None
    if was_done and not quiet:
        click.echo(
            f"{course.folder} is done; nothing was trained. For another training give another --out",
            err=True,
        )
    examination = _examination(course.weights)
    if as_json:
        stages = [asdict(stage) for stage in told]
        figures = {
            "weights": str(course.weights),
            "plan": asdict(plan),
            "stages": stages,
            "examination": examination,
        }
        echo_json(figures)
        return
    click.echo(f"{course.weights}  SHA-256 {told[-1].sha256}")
    click.echo(examination)


def _line(stage: Stage, plan: TrainingPlan, begun: float) -> str:
    """Progress, and when the stage will be done; `begun` are the seconds of the training at its beginning."""
    left = (stage.seconds - begun) * (1 - stage.share) / stage.share / 60 if stage.share else 0
    words = f"{stage.stage}: {stage.share:.0%}"
    if stage.stage == "self-play":
        words = f"{stage.games:,} of {plan.games:,} games, {stage.turns:,} turns"
    if stage.points is not None:
        words += (
            f": {stage.points:+.2f} ± {stage.half_width:.2f} points a game against the beginner"
        )
    return words if stage.share == 1 else f"{words}; about {left:.0f} min of {stage.stage} left"


def _examination(weights: Path) -> str:
    """The error rate of the weights, one turn ahead, on the positions that ship for the ruleset."""
    from arena.analysis import EvaluatorError
    from arena.analysis.examination import position_set, shipped_positions
    from arena.analysis.files import read_evaluator
    from arena.games import load_game
    from arena.games.tables.game import TablesGame
    from arena.lab.strength import rate_of

    evaluator = read_evaluator(weights)
    base, plus, _ = evaluator.rules.name.partition(
        "+"
    )  # positions are for a ruleset without its options
    game = load_game(base) if plus else TablesGame(evaluator.rules)
    try:
        asked = position_set(shipped_positions(game.ruleset))
    except EvaluatorError as none:
        return f"not examined: {none}"
    assert isinstance(asked.game, TablesGame), "evaluators are for tables games"
    rate = rate_of(asked, evaluator.under(asked.game.rules))
    return (
        f"examination: {rate.mean:.1f} ± {rate.half_width:.1f} thousandths of a point a decision, one turn ahead, "
        f"{rate.positions} positions of {asked.game.name}; `arena exam` examines a bot that plays by it"
    )


def _widths(text: str) -> tuple[int, ...]:
    from arena.analysis.evaluator import DEEPEST, WIDEST

    words = text.split(",")
    if len(words) > DEEPEST or not all(
        word.isascii() and word.isdecimal() and len(word) <= 9 and 2 <= int(word) <= WIDEST
        for word in words
    ):
        raise click.BadParameter(
            f"found {text!r}; expected at most {DEEPEST} whole numbers from 2 to {WIDEST} with commas, such as 128,32",
            param_hint="--hidden",
        )
    return tuple(map(int, words))

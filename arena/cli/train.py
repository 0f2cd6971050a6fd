"""`arena train`: training of an evaluator by self-play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.output import A_FILE, CHECK_FAILED, INTERRUPTED, echo_json, fail, json_option
from arena.services.plans import given_ruleset

if TYPE_CHECKING:
    from arena.analysis import Evaluator
    from arena.lab.course import Course
    from arena.lab.course_folder import Stage
    from arena.lab.training import TrainingPlan


@click.command()
@click.argument("ruleset")
@click.option(
    "--name", help="The name of the evaluator.  [default: my- and the name of the ruleset]"
)
@click.option(
    "--games",
    type=click.IntRange(1, 10_000_000),
    default=150_000,
    help="Games of self-play.",
)
@click.option(
    "--begin",
    type=A_FILE,
    metavar="FILE",
    help="Weights to go on from, instead of self-play: of this ruleset, "
    "or of one that is won in the same ways.",
)
@click.option(
    "--generations",
    type=click.IntRange(0, 100),
    default=3,
    help="How often positions are searched one turn deeper afterwards, "
    "each time with the newest weights.",
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
    help="Widths of the hidden layers of the network; with --begin at most twice its widths.  "
    "[default: 128,32]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    help="Processes that search deeper and play out.",
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
    """Train an evaluator for RULESET, from nothing or from weights (--begin).

    RULESET is a name, or a tournament file with a house ruleset. A ruleset with a name is trained
    with all its options. If the training was stopped, the same command goes on with it. In the end
    the folder holds the weights, NAME.weights. docs/training.md explains how it works and how
    strong the evaluators are.

    \b
    Examples:
      arena train vasa
      arena train friday.toml --games 50000 --generations 1 --played-out 0
      arena train friday.toml --begin vasa.weights
    """
    from arena.analysis.files import read_evaluator
    from arena.lab.course import Course
    from arena.lab.training import LabPlanError, TrainingPlan, rulesets_with_options

    _check_name(name)
    try:
        rulesets = rulesets_with_options(given_ruleset(ruleset))
        first = None
        if begin is not None:
            first, games = read_evaluator(begin), 0
        if name is None:
            base, _, _ = str(rulesets[0]["name"]).partition("+")
            name = f"my-{base}"
        plan = TrainingPlan(
            name=name,
            rulesets=rulesets,
            games=games,
            begin=first.sha256 if first else "",
            generations=generations,
            positions=positions,
            played_out=played_out,
            seed=seed,
            hidden=_widths(hidden, first),
        )
        course = Course(plan, out or Path(plan.name), first)

        def tell(stage: Stage) -> None:
            if not quiet:
                _tell(stage, course.stages(), plan)

        stages = course.stages()
        was_done = bool(stages) and stages[-1].stage == "done"
        stages = course.run(tell, workers)
    except LabPlanError as error:
        fail(str(error), code=CHECK_FAILED)
    except KeyboardInterrupt:
        click.echo("stopped; the same command goes on", err=True)
        raise SystemExit(INTERRUPTED) from None
    if was_done and not quiet:
        advice = "For another training give another --out"
        click.echo(f"{course.folder} is done; nothing was trained. {advice}", err=True)
    _print(course, stages, as_json=as_json)


def _print(course: Course, stages: Sequence[Stage], *, as_json: bool) -> None:
    """Print the weights and how strong they are in an examination."""
    examination = _examination(course.weights)
    if as_json:
        figures = {
            "weights": str(course.weights),
            "plan": asdict(course.plan),
            "stages": [asdict(stage) for stage in stages],
            "examination": examination,
        }
        echo_json(figures)
        return
    click.echo(f"{course.weights}  SHA-256 {stages[-1].sha256}")
    click.echo(examination)


def _check_name(name: str | None) -> None:
    from arena.analysis.files import PINNED
    from arena.analysis.headed_files import NAME_CHARS, is_name

    if name is None:
        return
    problem = ""
    if not is_name(name) or "/" in name:
        expected = f"expected 1 to {NAME_CHARS} printable characters without a slash"
        problem = f"found {name[:NAME_CHARS]!r}; {expected}"
    elif name in PINNED:
        problem = f"{name} is the name of weights that ship; give another one"
    if problem:
        raise click.BadParameter(problem, param_hint="--name")


def _tell(stage: Stage, stages: Sequence[Stage], plan: TrainingPlan) -> None:
    """Print the progress of a stage if it has a new tenth, or points; `stages` are all so far."""
    start_s = 0.0
    last_share = None
    for earlier in stages[:-1]:
        if earlier.stage == stage.stage:
            last_share = earlier.share
        else:
            start_s = earlier.seconds
    is_next_tenth = last_share is None or int(10 * stage.share) != int(10 * last_share)
    if stage.points is not None or (stage.stage != "self-play" and is_next_tenth):
        click.echo(_line(stage, plan, start_s), err=True)


def _line(stage: Stage, plan: TrainingPlan, start_s: float) -> str:
    """Return the progress of a stage, and its remaining time; it began at second `start_s`."""
    words = f"{stage.stage}: {stage.share:.0%}"
    if stage.stage == "self-play":
        words = f"{stage.games:,} of {plan.games:,} games, {stage.turns:,} turns"
    if stage.points is not None:
        points = f"{stage.points:+.2f} ± {stage.half_width:.2f} points a game"
        words += f": {points} against the beginner"
    if stage.share == 1:
        return words
    minutes = 0.0
    if stage.share:
        minutes = (stage.seconds - start_s) * (1 - stage.share) / stage.share / 60
    return f"{words}; about {minutes:.0f} min of {stage.stage} left"


def _examination(weights: Path) -> str:
    """Return the error rate of the weights, one turn ahead, on the positions of the ruleset."""
    from arena.analysis import EvaluatorError
    from arena.analysis.examination import read_position_set, shipped_positions_path
    from arena.analysis.files import read_evaluator
    from arena.games import load_game
    from arena.games.tables.game import TablesGame
    from arena.lab.strength import rate_of

    evaluator = read_evaluator(weights)
    # positions are for a ruleset without its options
    base, plus, _ = evaluator.rules.name.partition("+")
    game = load_game(base) if plus else TablesGame(evaluator.rules)
    try:
        positions = read_position_set(shipped_positions_path(game.ruleset))
    except EvaluatorError as error:
        return f"not examined: {error}"
    assert isinstance(positions.game, TablesGame), "evaluators are for tables games"
    rate = rate_of(positions, evaluator.under(positions.game.rules))
    return (
        f"examination: {rate.mean:.1f} ± {rate.half_width:.1f} thousandths of a point a decision, "
        f"one turn ahead, {rate.positions} positions of {positions.game.name}; "
        f"`arena exam` examines a bot that plays by it"
    )


def _widths(text: str | None, first: Evaluator | None) -> tuple[int, ...]:
    """Return the widths of the hidden layers.

    Those of --hidden, otherwise those of the evaluator to begin with, otherwise the default.
    """
    from arena.analysis.evaluator import DEEPEST, WIDEST
    from arena.lab.training import HIDDEN

    if text is None:
        return first.hidden if first else HIDDEN
    numbers = text.split(",")
    if len(numbers) > DEEPEST or not all(map(_is_width, numbers)):
        expected = f"at most {DEEPEST} whole numbers from 2 to {WIDEST} with commas, such as 128,32"
        raise click.BadParameter(f"found {text!r}; expected {expected}", param_hint="--hidden")
    return tuple(map(int, numbers))


def _is_width(word: str) -> bool:
    from arena.analysis.evaluator import WIDEST

    is_number = word.isascii() and word.isdecimal() and len(word) <= 9
    return is_number and 2 <= int(word) <= WIDEST

"""`arena exam`: the strength of a bot by its answers to positions, without an opponent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.costly_turns import CostlyTurn, print_costly
from arena.cli.shared.output import A_FILE, echo_json, fail, json_option, judge_option, output
from arena.cli.shared.playing import name_and_command, set_option
from arena.services.one_bot import plan_for_one
from arena.services.plans import given_fields

if TYPE_CHECKING:
    from arena.analysis.examination import PositionSet, Rate
    from arena.conformance.examination import Examining

COSTLIEST: Final = 10
"""Number of costly answers that are shown."""


@click.command()
@click.argument("bot")
@click.option(
    "--ruleset",
    metavar="NAME",
    help="Name of the ruleset; that of --positions, or vasa.",
)
@click.option(
    "--against",
    "old",
    metavar="COMMAND",
    help="An older version, which gets the same positions.",
)
@click.option(
    "--positions",
    "file",
    type=A_FILE,
    help="Positions of your own, from `arena positions`.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the answers here, and go on with those that are kept. "
    "Remove it when the bot has changed.",
)
@judge_option
@set_option
@json_option("Print one JSON object.")
def command(
    bot: str,
    ruleset: str | None,
    old: str | None,
    file: Path | None,
    save: Path | None,
    judge: str | None,
    sets: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Put positions to a BOT, in which the loss of each turn is known, and print its error rate.

    BOT is a command, or NAME=COMMAND. It gets many games at once, as many as its window has room
    for, with one turn each; the clocks are those of a tournament. The error rate is the mean loss
    of a decision in thousandths of a point: 0 is perfect. docs/examination.md explains the origin
    of the positions and the meaning of the figures.

    \b
    Examples:
      arena exam "python mybot.py"
      arena exam new="python mybot.py" --against old="python mybot-1.py"
      arena exam "python mybot.py" --ruleset backgammon --save answers.json
      arena exam "python mybot.py" --ruleset brandubh-1
      arena exam "python mybot.py" --ruleset backgammon --judge bgsage
    """
    from arena.analysis.examination import read_position_set, shipped_positions_path
    from arena.conformance.examination import Examining, losses_of

    plan = plan_for_one(None, given_fields(sets, {"--ruleset": ("tournament.ruleset", ruleset)}))
    game = plan.game()
    positions = read_position_set(file or shipped_positions_path(game.ruleset))
    if ruleset and {**positions.head.ruleset, "name": ""} != {**game.ruleset, "name": ""}:
        advice = "leave out --ruleset, or give other positions"
        fail(f"{file} is for {positions.game.name}, not {game.name}; {advice}")
    positions = _judged(positions, judge)
    work = Examining(positions, plan, save)
    name, answers = _examine(work, bot, "the bot")
    names, losses = [name], losses_of(positions, answers)
    rates = [positions.rates(losses)]
    if old is not None:
        old_name, old_answers = _examine(work, old, "the old one")
        old_losses = losses_of(positions, old_answers)
        names.append(old_name)
        rates.append(positions.rates(old_losses))
        differences = [new - before for new, before in zip(losses, old_losses, strict=True)]
        rates.append(positions.rates(differences))
    places = sorted(range(len(losses)), key=lambda place: -losses[place])[:COSTLIEST]
    costliest = [
        _costly_turn(positions, place, answers[place]) for place in places if losses[place]
    ]
    if as_json:
        echo_json(_as_json(positions, names, rates, costliest))
        return
    _print_rates(positions, names, rates)
    _print_scale(positions, names, rates)
    for number, turn in enumerate(costliest, 1):
        print_costly(number, turn)


def _judged(positions: PositionSet, judge: str | None) -> PositionSet:
    """Return the positions with the losses of the judge, if there is one."""
    if judge is None:
        return positions
    from arena.analysis.second_judge import judged_by, sage_evaluator

    return judged_by(positions, sage_evaluator(positions.game))


def _examine(work: Examining, bot: str, default_name: str) -> tuple[str, list[int]]:
    """Return the name of a bot, and its answers."""
    from arena.cli.shared.bars import counting_bar

    name, line = name_and_command(bot)
    name = name or default_name
    with counting_bar(name) as tell:
        return name, work.answers(line, name, tell)


def _print_rates(
    positions: PositionSet,
    names: Sequence[str],
    rates: Sequence[dict[str, Rate]],
) -> None:
    from arena.cli.shared.tables import UNLIMITED, plain_table

    console = output()
    console.width = UNLIMITED
    headings = ["positions", "share", *names]
    if len(rates) > len(names):
        headings.append("difference")
    shown = plain_table("error rate", "phase", numbers=headings)
    for phase, rate in rates[0].items():
        share = 1.0
        if phase != "all":
            share = positions.head.shares[phase]  # type: ignore[index]  # these are phases
        cells = [str(rate.positions), f"{100 * share:.1f} %"]
        for place, rates_of_bot in enumerate(rates):
            rate_of_bot = rates_of_bot[phase]
            sign = "+" if place == len(names) else ""
            cells.append(f"{rate_of_bot.mean:{sign}.1f} ± {rate_of_bot.half_width:.1f}")
        shown.add_row(phase, *cells)
    console.print(shown)
    console.print(
        "  thousandths of a point a decision, with the interval of 95 %; "
        "share: of the decisions in games"
    )


def _print_scale(
    positions: PositionSet,
    names: Sequence[str],
    rates: Sequence[dict[str, Rate]],
) -> None:
    from arena.cli.shared.tables import plain_table

    scale = dict(positions.head.scale)
    for name, rates_of_bot in zip(names, rates, strict=False):  # the last rates are differences
        rate = rates_of_bot["all"]
        scale[name] = rate.mean, rate.half_width
    shown = plain_table("where sample bots stand", "bot", numbers=("error rate",))
    for name in sorted(scale, key=lambda name: scale[name]):
        mean, half_width = scale[name]
        shown.add_row(name, f"{mean:.1f} ± {half_width:.1f}")
    console = output()
    console.print(shown)
    console.print(
        f"  {positions.game.name}, positions {positions.sha256[:12]}, "
        f"losses by {positions.head.judge}; "
        f"perfect answers would get {floor_of(positions):.1f}"
    )


def _costly_turn(positions: PositionSet, place: int, answer: int) -> CostlyTurn:
    question = positions.questions[place]
    return CostlyTurn(
        game=positions.game,
        loss=question.losses[answer],
        phase=question.of.phase,
        position=question.position,
        dice=question.of.dice,
        played=_turn(positions, place, answer),
        better=_turn(positions, place, question.best),
        after=question.turns[question.best].position,
    )


def _turn(positions: PositionSet, place: int, turn: int) -> str:
    question = positions.questions[place]
    whole = question.turns[turn]
    return positions.game.format_turn(whole.moves, question.position, whole.ending)


def floor_of(positions: PositionSet) -> float:
    """Return the error rate of perfect answers; it is not 0, since the losses have errors."""
    return positions.rates([question.of.floor for question in positions.questions])["all"].mean


def _as_json(
    positions: PositionSet,
    names: Sequence[str],
    rates: Sequence[dict[str, Rate]],
    costliest: Sequence[CostlyTurn],
) -> dict[str, Any]:
    scale = {}
    for name, (mean, half_width) in positions.head.scale.items():
        scale[name] = {"error_rate": mean, "half_width": half_width}
    entry = {
        "ruleset": positions.game.name,
        "positions_sha256": positions.sha256,
        "judge": positions.head.judge,
        "noise_floor": round(floor_of(positions), 2),
        "bot": names[0],
        **_rates_as_json(rates[0]),
        "scale": scale,
        "costliest": [turn.as_json() for turn in costliest],
    }
    if len(rates) > 1:
        entry["against"] = {"bot": names[1], **_rates_as_json(rates[1])}
        entry["difference"] = _rates_as_json(rates[2])
    return entry


def _rates_as_json(rates: dict[str, Rate]) -> dict[str, Any]:
    entries = {phase: _rate_as_json(rate) for phase, rate in rates.items()}
    whole = entries.pop("all")
    return whole | {"phases": entries}


def _rate_as_json(rate: Rate) -> dict[str, Any]:
    return {
        "error_rate": round(rate.mean, 2),
        "interval": [round(end, 2) for end in rate.interval],
        "positions": rate.positions,
    }

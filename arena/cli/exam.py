"""`arena exam`: how strong a bot is by its answers to positions, without an opponent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.costly_turns import CostlyTurn, print_costly
from arena.cli.shared.output import A_FILE, echo_json, fail, json_option, output
from arena.cli.shared.playing import name_and_command, set_option

if TYPE_CHECKING:
    from arena.analysis.examination import PositionSet, Rate

COSTLIEST: Final = 10
"""Answers that are shown."""


@click.command()
@click.argument("bot")
@click.option(
    "--ruleset", metavar="NAME", help="Name of the ruleset; that of --positions, or vasa."
)
@click.option(
    "--against", "old", metavar="COMMAND", help="An older version, which gets the same positions."
)
@click.option(
    "--positions", "file", type=A_FILE, help="Positions of your own, from `arena positions`."
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Keep the answers here, and go on with those that are kept. Remove it when the bot has changed.",
)
@set_option
@json_option("Print one JSON object.")
def command(
    bot: str,
    ruleset: str | None,
    old: str | None,
    file: Path | None,
    save: Path | None,
    sets: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """Put positions to a BOT in which it is known what every turn loses, and print how much its answers lose.

    BOT is a command, or NAME=COMMAND. It gets many games at once, as many as its window has room
    for, with one turn each; the clocks are those of a tournament. The error rate is the mean loss
    of a decision in thousandths of a point: 0 is perfect. docs/examination.md tells where the
    positions come from and what the figures are worth.

    \b
    Examples:
      arena exam "python mybot.py"
      arena exam new="python mybot.py" --against old="python mybot-1.py"
      arena exam "python mybot.py" --ruleset backgammon --save answers.json
      arena exam "python mybot.py" --ruleset brandubh-1
    """
    from arena.analysis.examination import position_set, shipped_positions
    from arena.cli.shared.bars import counting_bar
    from arena.conformance.examination import Examining, losses_of
    from arena.services.one_bot import plan_for_one
    from arena.services.plans import given_fields

    plan = plan_for_one(None, given_fields(sets, {"--ruleset": ("tournament.ruleset", ruleset)}))
    game = plan.game()
    asked = position_set(file or shipped_positions(game.ruleset))
    if ruleset and {**asked.head.ruleset, "name": ""} != {**game.ruleset, "name": ""}:
        fail(
            f"{file} is for {asked.game.name}, not {game.name}; leave out --ruleset, or give other positions"
        )
    given = [name_and_command(one) for one in (bot, old) if one is not None]
    names = [
        name or default
        for (name, _), default in zip(given, ("the bot", "the old one"), strict=False)
    ]
    work = Examining(asked, plan, save)
    answers = []
    for name, (_, line) in zip(names, given, strict=True):
        with counting_bar(name) as tell:
            answers.append(work.answers(line, name, tell))
    losses = [losses_of(asked, one) for one in answers]
    rates = [asked.rates(one) for one in losses]
    if len(losses) == 2:
        rates.append(asked.rates([one - other for one, other in zip(*losses, strict=True)]))
    places = sorted(range(len(losses[0])), key=lambda place: -losses[0][place])[:COSTLIEST]
    costliest = [_costly(asked, place, answers[0][place]) for place in places if losses[0][place]]
    if as_json:
        echo_json(_plain(asked, names, rates, costliest))
        return
    _print_rates(asked, names, rates)
    _print_scale(asked, names, rates)
    for number, turn in enumerate(costliest, 1):
        print_costly(number, turn)


def _print_rates(
    asked: PositionSet, names: Sequence[str], rates: Sequence[dict[str, Rate]]
) -> None:
    from arena.cli.shared.tables import UNLIMITED, plain_table

    console = output()
    console.width = UNLIMITED
    third = ["difference"] if len(rates) > len(names) else []
    shown = plain_table("error rate", "phase", numbers=("positions", "share", *names, *third))
    for phase, rate in rates[0].items():
        share = 1.0 if phase == "all" else asked.head.shares[phase]  # type: ignore[index]  # the rest are phases
        sign = ["", "", "+"]
        cells = [
            f"{one[phase].mean:{sign[place]}.1f} ± {one[phase].half_width:.1f}"
            for place, one in enumerate(rates)
        ]
        shown.add_row(phase, str(rate.positions), f"{100 * share:.1f} %", *cells)
    console.print(shown)
    console.print(
        "  thousandths of a point a decision, with the interval of 95 %; share: of the decisions in games"
    )


def _print_scale(
    asked: PositionSet, names: Sequence[str], rates: Sequence[dict[str, Rate]]
) -> None:
    from arena.cli.shared.tables import plain_table

    scale = dict(asked.head.scale) | {
        name: (rate["all"].mean, rate["all"].half_width)
        for name, rate in zip(names, rates, strict=False)
    }
    shown = plain_table("where sample bots stand", "bot", numbers=("error rate",))
    for name, (mean, half_width) in sorted(scale.items(), key=lambda item: item[1]):
        shown.add_row(name, f"{mean:.1f} ± {half_width:.1f}")
    console = output()
    console.print(shown)
    console.print(
        f"  {asked.game.name}, positions {asked.sha256[:12]}, losses by {asked.head.judge}; "
        f"perfect answers would get {floor_of(asked):.1f}"
    )


def _costly(asked: PositionSet, place: int, answer: int) -> CostlyTurn:
    question = asked.questions[place]
    return CostlyTurn(
        game=asked.game,
        loss=question.losses[answer],
        phase=question.of.phase,
        position=question.position,
        dice=question.of.dice,
        played=_turn(asked, place, answer),
        better=_turn(asked, place, question.best),
        after=question.turns[question.best].position,
    )


def _turn(asked: PositionSet, place: int, turn: int) -> str:
    question = asked.questions[place]
    whole = question.turns[turn]
    return asked.game.format_turn(whole.moves, question.position, whole.ending)


def floor_of(asked: PositionSet) -> float:
    """The error rate that perfect answers would get, since the losses have errors."""
    return asked.rates([question.of.floor for question in asked.questions])["all"].mean


def _plain(
    asked: PositionSet,
    names: Sequence[str],
    rates: Sequence[dict[str, Rate]],
    costliest: Sequence[CostlyTurn],
) -> dict[str, Any]:
    head = asked.head
    told = {
        "ruleset": asked.game.name,
        "positions_sha256": asked.sha256,
        "judge": head.judge,
        "noise_floor": round(floor_of(asked), 2),
        "bot": names[0],
        **_rates(rates[0]),
        "scale": {
            name: {"error_rate": mean, "half_width": half}
            for name, (mean, half) in head.scale.items()
        },
        "costliest": [turn.plain() for turn in costliest],
    }
    if len(rates) > 1:
        told |= {"against": {"bot": names[1], **_rates(rates[1])}, "difference": _rates(rates[2])}
    return told


def _rates(rates: dict[str, Rate]) -> dict[str, Any]:
    def plain(rate: Rate) -> dict[str, Any]:
        interval = [round(end, 2) for end in rate.interval]
        return {
            "error_rate": round(rate.mean, 2),
            "interval": interval,
            "positions": rate.positions,
        }

    return plain(rates["all"]) | {
        "phases": {phase: plain(rate) for phase, rate in rates.items() if phase != "all"}
    }

"""`arena analyse`: what every decision cost and how lucky every roll was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.costly_turns import CostlyTurn, print_costly
from arena.cli.shared.language import counted
from arena.cli.shared.output import (
    A_PATH,
    CHECK_FAILED,
    echo_json,
    fail,
    json_option,
    output,
    run_argument,
)
from arena.services.sources import entrant_named, source_of
from arena.words import say

if TYPE_CHECKING:
    from arena.records.analysed import BotLosses
    from arena.records.rows import DecisionRow

MOST_SHOWN: Final = 1000
"""Boards that are printed at most: each is found by a replay of its match."""


@click.command()
@run_argument
@click.option(
    "--plies",
    type=click.IntRange(1, 3),
    default=1,
    help="How many turns to look ahead in decisions; 2 takes a few times as long, 3 many times. Luck: always 1.",
)
@click.option(
    "--evaluator",
    "weights",
    type=A_PATH,
    metavar="FILE",
    help="Weights of an evaluator.  [default: the one that ships for the ruleset]",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Processes that share the matches.  [default: one for each core]",
)
@click.option(
    "--worst",
    type=click.IntRange(1, MOST_SHOWN),
    metavar="N",
    help=f"Show the N costliest turns too, on boards with the better turn; at most {MOST_SHOWN}.",
)
@click.option("--bot", metavar="NAME", help="With --worst: only turns of this bot.")
@json_option("Print one JSON object instead of a table.")
def command(
    run: Path,
    plies: int,
    weights: Path | None,
    workers: int | None,
    worst: int | None,
    bot: str | None,
    *,
    as_json: bool,
) -> None:
    """Judge every decision and every roll of a RUN folder, or of one record under its matches/, by an evaluator.

    For each bot it prints how much it lost a decision, how often it erred, and how lucky its rolls
    were; docs/analysis.md explains every number. Annulled matches (M5) are left out. It needs a
    tables game.

    It keeps what it found in the folder analysis/ of the run. There `arena query` finds the tables
    decisions and rolls, and `arena report` its curves. The folder can be thrown away; what still
    fits its record is not made again. A record that is not in order is analysed as far as it is; it
    is named on standard error, and the exit status is 1.

    \b
    Examples:
      arena analyse my-run
      arena analyse my-run --plies 2
      arena analyse my-run --worst 5 --bot anna
      arena query my-run "SELECT file, line, bot, played, best, loss FROM decisions ORDER BY loss DESC LIMIT 5"
    """
    from arena.cli.shared.bars import bar_of_analysis
    from arena.cli.shared.costly_turns import CostliestDecisions, costly_turns
    from arena.records.analysed import Losses
    from arena.services.analysing import analysing

    if bot is not None and worst is None:
        fail("--bot says whose turns --worst shows; give --worst N too, such as --worst 10")
    source = source_of(run)
    work = analysing(source, weights, plies, workers)
    matches, found, costliest = 0, Losses(), CostliestDecisions(worst or 0)
    with bar_of_analysis() as work.tell:
        for analysis in work.analyses():
            matches += 1
            is_annulled = analysis.head.match in work.annulled
            found.take(analysis, is_annulled=is_annulled)
            if not is_annulled:
                costliest.take(analysis)
    losses = found.ranked()
    names = {one.bot: one.bot for one in losses} | work.names
    entrant = None if bot is None else entrant_named(bot, names)
    decisions = costliest.of(entrant)
    turns = [*costly_turns(source.files, decisions)]
    for warning in work.warnings:
        click.echo(f"warning: {say(warning)}", err=True)
    evaluator = work.evaluator
    if as_json:
        whole = {
            "evaluator": evaluator.name,
            "evaluator_sha256": evaluator.sha256,
            "plies": plies,
            "matches": matches,
            "entrants": [_plain(one, work.names) for one in losses],
            **({} if worst is None else {"costliest": [*map(_plain_turn, decisions, turns)]}),
            "warnings": [*map(say, work.warnings)],
        }
        echo_json(whole)
    else:
        extent, ahead = counted(matches, "match", "matches"), counted(plies, "turn")
        _print_losses(f"{extent}, judged by {evaluator.name}, {ahead} ahead", losses, work.names)
        if matches and work.folder is not None:
            click.echo(f"kept in {work.folder / 'analysis'}", err=True)
        if worst is not None and not turns:
            click.echo("no turn lost anything")
        for number, (row, turn) in enumerate(zip(decisions, turns, strict=True), 1):
            name = work.names.get(row.bot, row.bot)
            where = f"{name} against {work.names.get(row.opponent, row.opponent)}, game {row.game}, turn {row.turn}"
            print_costly(number, turn, f"{where} ({row.file}:{row.line}): ")
    if work.warnings:
        raise SystemExit(CHECK_FAILED)


def _plain_turn(row: DecisionRow, turn: CostlyTurn) -> dict[str, Any]:
    where = {
        "file": row.file,
        "line": row.line,
        "game": row.game,
        "turn": row.turn,
        "entrant": row.bot,
    }
    return where | turn.plain()


def _print_losses(title: str, losses: Sequence[BotLosses], names: Mapping[str, str]) -> None:
    from arena.cli.shared.tables import UNLIMITED, plain_table
    from arena.records.analysed import MARKS, PHASES

    console = output()
    console.width = UNLIMITED
    worst = ("doubt-\nful", "bad", "blun-\nders")
    lost = ("mean\nloss", "in\ncontact", "in a\nrace", *worst)
    has_annulled = any(bot.annulled for bot in losses)
    annulled = ["games\nannulled"] if has_annulled else []
    headings = ("games", "deci-\nsions", *lost, "own\nluck", "own luck\na game", *annulled)
    shown = plain_table(title, "bot", numbers=headings)
    for bot in losses:
        shown.add_row(
            names.get(bot.bot, bot.bot),
            str(bot.games),
            str(bot.decisions.total()),
            _mean(bot.mean_loss()),
            *(_mean(bot.mean_loss(phase)) for phase in PHASES),
            *(str(bot.marks[mark]) for mark in MARKS),
            f"{bot.luck:+.2f}",
            "-" if bot.luck_per_game is None else f"{bot.luck_per_game:+.3f}",
            *([str(bot.annulled)] if has_annulled else []),
        )
    console.print(shown)
    console.print(
        "  loss: thousandths of a point a decision; own luck: points above what its rolls bring on average"
    )
    console.print("  (the net luck of arena stats is own luck less that of the opponents)")
    if has_annulled:
        console.print(
            "  of annulled matches nothing counts but the number of games: a bot was withdrawn (M5)"
        )


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _plain(bot: BotLosses, names: Mapping[str, str]) -> dict[str, Any]:
    from arena.records.analysed import MARKS, PHASES

    return {
        "entrant": bot.bot,
        "name": names.get(bot.bot, bot.bot),
        "games": bot.games,
        "annulled_games": bot.annulled,
        "decisions": bot.decisions.total(),
        "mean_loss": bot.mean_loss(),
        **{
            phase: {"decisions": bot.decisions[phase], "mean_loss": bot.mean_loss(phase)}
            for phase in PHASES
        },
        **{mark: bot.marks[mark] for mark in MARKS},
        "rolls": bot.rolls,
        "luck": bot.luck,
        "luck_per_game": bot.luck_per_game,
    }

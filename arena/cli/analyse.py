"""`arena analyse`: the cost of each decision and the luck of each roll."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.costly_turns import CostliestDecisions, CostlyTurn, costly_turns, print_costly
from arena.cli.shared.language import with_noun
from arena.cli.shared.output import (
    A_PATH,
    CHECK_FAILED,
    echo_json,
    fail,
    json_option,
    judge_option,
    output,
    read_source,
    run_argument,
)
from arena.services.sources import entrant_named
from arena.words import say

if TYPE_CHECKING:
    from arena.records.analysed import BotLosses
    from arena.records.rows import DecisionRow
    from arena.services.analysing import Analysing

MOST_SHOWN: Final = 1000
"""Most boards that are printed: each needs a replay of its match."""


@click.command()
@run_argument
@click.option(
    "--plies",
    type=click.IntRange(1, 3),
    default=1,
    help="Turns to look ahead in decisions; 2 takes a few times as long, 3 many times. "
    "Luck: always 1.",
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
@judge_option
@json_option("Print one JSON object instead of a table.")
def command(
    run: Path,
    plies: int,
    weights: Path | None,
    workers: int | None,
    worst: int | None,
    bot: str | None,
    judge: str | None,
    *,
    as_json: bool,
) -> None:
    """Judge every decision and every roll of a RUN folder, or of one record, by an evaluator.

    A record is a file under matches/ of the folder, or a match of another program (.mat, .txt, .xg,
    .bgf). For each bot it prints its mean loss a
    decision, how often it erred, and how lucky its rolls were; docs/analysis.md explains every
    number. Annulled matches (M5) are left out. It needs a tables game.

    It keeps its results in the folder analysis/ of the run, for the tables decisions and rolls of
    `arena query` and the curves of `arena report`. You can delete the folder. An analysis that
    still fits its record is not computed again. A damaged record is analysed up to the damage; it
    is named on standard error, and the exit status is 1.

    \b
    Examples:
      arena analyse my-run
      arena analyse my-run --plies 2
      arena analyse my-run --worst 5 --bot anna
      arena query my-run "SELECT bot, played, best, loss FROM decisions ORDER BY loss DESC LIMIT 5"
    """
    from arena.cli.shared.bars import bar_of_analysis
    from arena.records.analysed import Losses
    from arena.services.analysing import analysing

    # Most branches are options of the command, which need each other's values.
    if bot is not None and worst is None:
        fail("--bot says whose turns --worst shows; give --worst N too, such as --worst 10")
    if judge is not None and weights is not None:
        fail("--judge and --evaluator both say who judges; leave one of them out")
    source = read_source(run)
    work = analysing(source, weights, plies, workers, judge)
    matches, counted_losses, costliest = 0, Losses(), CostliestDecisions(worst or 0)
    with bar_of_analysis() as work.tell:
        for analysis in work.analyses():
            matches += 1
            is_annulled = analysis.head.match in work.annulled
            counted_losses.add(analysis, is_annulled=is_annulled)
            if not is_annulled:
                costliest.take(analysis)
    losses = counted_losses.ranked()
    decisions = costliest.of(_entrant(bot, losses, work.names))
    turns = [*costly_turns(source.files, decisions)]
    for warning in work.warnings:
        click.echo(f"warning: {say(warning)}", err=True)
    if as_json:
        entry = _as_json(work, plies, matches, losses)
        if worst is not None:
            entry["costliest"] = [*map(_turn_as_json, decisions, turns)]
        entry["warnings"] = [*map(say, work.warnings)]
        echo_json(entry)
    else:
        _print_losses(_title(work, plies, matches), losses, work.names)
        if matches and work.folder is not None:
            click.echo(f"kept in {work.folder / 'analysis'}", err=True)
        if worst is not None:
            _print_turns(decisions, turns, work.names)
    if work.warnings:
        raise SystemExit(CHECK_FAILED)


def _entrant(bot: str | None, losses: Sequence[BotLosses], names: Mapping[str, str]) -> str | None:
    """Return the id of a bot by its id or its name; None if no bot was asked for."""
    if bot is None:
        return None
    ids = {entry.bot: entry.bot for entry in losses}
    return entrant_named(bot, ids | dict(names))


def _title(work: Analysing, plies: int, matches: int) -> str:
    extent, ahead = with_noun(matches, "match", "matches"), with_noun(plies, "turn")
    return f"{extent}, judged by {work.evaluator.name}, {ahead} ahead"


def _print_turns(
    decisions: Sequence[DecisionRow],
    turns: Sequence[CostlyTurn],
    names: Mapping[str, str],
) -> None:
    if not turns:
        click.echo("no turn lost anything")
    for number, (row, turn) in enumerate(zip(decisions, turns, strict=True), 1):
        name, opponent = names.get(row.bot, row.bot), names.get(row.opponent, row.opponent)
        where = f"{name} against {opponent}, game {row.game}, turn {row.turn}"
        print_costly(number, turn, f"{where} ({row.file}:{row.line}): ")


def _turn_as_json(row: DecisionRow, turn: CostlyTurn) -> dict[str, Any]:
    where = {
        "file": row.file,
        "line": row.line,
        "game": row.game,
        "turn": row.turn,
        "entrant": row.bot,
    }
    return where | turn.as_json()


def _print_losses(title: str, losses: Sequence[BotLosses], names: Mapping[str, str]) -> None:
    from arena.cli.shared.tables import UNLIMITED, plain_table
    from arena.records.analysed import MARKS, PHASES

    console = output()
    console.width = UNLIMITED
    headings = ["games", "deci-\nsions", "mean\nloss", "in\ncontact", "in a\nrace"]
    headings += ["doubt-\nful", "bad", "blun-\nders", "own\nluck", "own luck\na game"]
    has_annulled = any(bot.annulled for bot in losses)
    if has_annulled:
        headings.append("games\nannulled")
    shown = plain_table(title, "bot", numbers=headings)
    for bot in losses:
        cells = [names.get(bot.bot, bot.bot), str(bot.games), str(bot.decisions.total())]
        cells.append(_mean(bot.mean_loss()))
        cells += [_mean(bot.mean_loss(phase)) for phase in PHASES]
        cells += [str(bot.marks[mark]) for mark in MARKS]
        cells.append(f"{bot.luck:+.2f}")
        cells.append("-" if bot.luck_per_game is None else f"{bot.luck_per_game:+.3f}")
        if has_annulled:
            cells.append(str(bot.annulled))
        shown.add_row(*cells)
    console.print(shown)
    console.print(
        "  loss: thousandths of a point a decision; "
        "own luck: points above what its rolls bring on average"
    )
    console.print("  (the net luck of arena stats is own luck less that of the opponents)")
    if has_annulled:
        console.print(
            "  of an annulled match only the number of games counts: a bot was withdrawn (M5)"
        )


def _mean(loss: float | None) -> str:
    return "-" if loss is None else f"{loss:.1f}"


def _as_json(
    work: Analysing,
    plies: int,
    matches: int,
    losses: Sequence[BotLosses],
) -> dict[str, Any]:
    return {
        "evaluator": work.evaluator.name,
        "evaluator_sha256": work.evaluator.sha256,
        "plies": plies,
        "matches": matches,
        "entrants": [_losses_as_json(bot, work.names) for bot in losses],
    }


def _losses_as_json(bot: BotLosses, names: Mapping[str, str]) -> dict[str, Any]:
    from arena.records.analysed import MARKS, PHASES

    entry: dict[str, Any] = {
        "entrant": bot.bot,
        "name": names.get(bot.bot, bot.bot),
        "games": bot.games,
        "annulled_games": bot.annulled,
        "decisions": bot.decisions.total(),
        "mean_loss": bot.mean_loss(),
    }
    for phase in PHASES:
        entry[phase] = {"decisions": bot.decisions[phase], "mean_loss": bot.mean_loss(phase)}
    for mark in MARKS:
        entry[mark] = bot.marks[mark]
    return entry | {
        "rolls": bot.rolls,
        "luck": bot.luck,
        "luck_per_game": bot.luck_per_game,
    }

"""`arena compare`: two bots play until a sequential test decides."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.shared import playing
from arena.cli.shared.output import (
    A_PATH,
    CHECK_FAILED,
    arena_again,
    echo_json,
    json_option,
    messages,
    note,
    output,
)
from arena.services.plans import given_fields

if TYPE_CHECKING:
    from arena.records.facts import TournamentFact
    from arena.server.io.operator_log import Event, Show
    from arena.server.run.comparison import ComparisonProgress
    from arena.server.run.tournament_log import Progressed, Report
    from arena.server.setup.tournament_file import Plan
    from arena.services.comparing import Bots, ComparisonAudience

PAIRS: Final = 10
"""The default number of duplicate pairs in a match."""
ONCE: Final = frozenset({"arena_stopped"})
"""Events that are shown once, even with other values: on a busy machine every batch has one."""


@click.command()
@click.argument("new")
@click.argument("old")
@click.option("--elo0", type=float, default=0, help="H0: the new bot leads by this or less.")
@click.option("--elo1", type=float, default=10, help="H1: the new bot leads by this or more.")
@click.option("--alpha", type=float, default=0.05, help="How often H1 may be accepted at elo0.")
@click.option("--beta", type=float, default=0.05, help="How often H0 may be accepted at elo1.")
@click.option("--ruleset", metavar="NAME", help="Name of the ruleset; vasa by default.")
@click.option(
    "--pairs",
    type=click.IntRange(1, 10_000),
    help="Duplicate pairs of a match; 10 by default.",
)
@click.option("--games", type=click.Choice([3, 5, 7]), help="Games of a match, instead of pairs.")
@click.option("--batch", type=click.IntRange(1, 100), default=2, help="Matches between two looks.")
@click.option(
    "--most",
    type=click.IntRange(1, 9999),
    default=500,
    help="Batches after which it gives up.",
)
@playing.set_option
@playing.crew_options
@click.option("--out", type=A_PATH, help="The folder of the batches; new, or one to go on with.")
@click.option(
    "--luck-adjusted",
    is_flag=True,
    help="Take the luck of the dice out, so that fewer games decide.",
)
@playing.anyway_option
@json_option("Print the result as one JSON object.")
@click.option("--quiet", is_flag=True, help="On standard error warnings and errors alone.")
def command(
    new: str,
    old: str,
    batch: int,
    most: int,
    sets: tuple[str, ...],
    workers: int | None,
    dask: str | None,
    out: Path | None,
    *,
    ruleset: str | None,
    pairs: int | None,
    games: int | None,
    luck_adjusted: bool,
    is_anyway: bool,
    as_json: bool,
    quiet: bool,
    **hypotheses: float,
) -> None:
    """Play a NEW bot against an OLD one until a test decides whether the new one is stronger.

    NEW and OLD are commands, or NAME=COMMAND; text that begins with a program is a command. They
    play duplicate pairs, unless --games is given. After every batch of matches a sequential test
    (GSPRT, docs/statistics.md) weighs H1, a lead of elo1 or more, against H0, a lead of elo0 or
    less, and stops when one is accepted. Exit status: 0 if H1 was accepted, 1 if not. To resume an
    interrupted comparison, give the same command with its --out. With --workers, a batch should
    have a match for each worker. --set gives a field of the tournament file of every batch, as with
    `arena run`; both bots play tournament.at_once matches at the same time, 2 by default.

    With --luck-adjusted the evaluator that ships for the ruleset is fixed before the first game,
    and the test uses its judgement of every roll (docs/statistics.md). It needs a tables game.

    \b
    Examples:
      arena compare "python new.py" "python old.py"
      arena compare tuned="./bot --depth 3" plain=./bot --elo0 -5 --elo1 5 --out tuned-or-plain
      arena compare "python new.py" "python old.py" --set clock.delay_ms=200 --set bot.process=run
      arena compare "python new.py" "python old.py" --workers 8 --batch 16
      arena compare "python new.py" "python old.py" --luck-adjusted
    """
    from arena.cli.compare.answer import answer_as_json, print_answer
    from arena.services.comparing import ComparisonOrder, compare_bots
    from arena.services.crews import CrewOrder
    from arena.tournaments.statistics.sequential import Decision, Hypotheses

    tested = Hypotheses(**hypotheses)
    if pairs is None and games is None:
        pairs = PAIRS
    fields = {
        "--ruleset": ("tournament.ruleset", ruleset),
        "--games": ("tournament.games", games),
        "--pairs": ("tournament.pairs", pairs),
    }
    new_name, new_command = playing.name_and_command(new)
    old_name, old_command = playing.name_and_command(old)
    order = ComparisonOrder(
        new=(new_name or "new", new_command),
        old=(old_name or "old", old_command),
        hypotheses=tested,
        fields=given_fields(sets, fields),
        matches=batch,
        most=most,
        out=out,
        crew=CrewOrder(workers, dask),
        is_luck_adjusted=luck_adjusted,
        is_anyway=is_anyway,
        again=lambda folder: f"{arena_again('compare')}, with the same options and --out {folder}",
    )

    compared = compare_bots(
        order,
        partial(_audience, quiet=quiet),
        note=note,
        trying=playing.bots_are_tried,
    )
    progress, bots, folder = compared.progress, compared.bots, compared.folder
    if as_json:
        echo_json(answer_as_json(progress, tested, bots, folder))
    else:
        console = output()
        print_answer(console, progress, tested, bots)
        look = arena_again("stats", folder / "batch-0001")
        console.print(f"the batches are in {folder}; look at one with: {look}")
    if progress.trial.decision is not Decision.H1:
        raise SystemExit(CHECK_FAILED)


def _audience(plan: Plan, folder: Path, *, quiet: bool) -> ComparisonAudience:
    from arena.cli.compare.answer import adjusted_line, standing
    from arena.cli.shared.bars import bar_of_analysis
    from arena.services.comparing import ComparisonAudience

    console = messages()
    report, show = _reporters(folder, plan.entrants, quiet=quiet)

    def tell(progress: ComparisonProgress, bots: Bots) -> None:
        for words in (standing(progress, bots), adjusted_line(progress, bots)):
            if words and not quiet:
                console.print(f"batch {progress.batch}: {words}", soft_wrap=True)

    return ComparisonAudience(report=report, show=show, tell=tell, analysing=bar_of_analysis)


def _reporters(folder: Path, entrants: Collection[str], *, quiet: bool) -> tuple[Report, Show]:
    """Return functions that show what an operator should know at once, and no event twice.

    They show forfeits, voids and events, but not every result. They do not show that the two bots
    could read one another: both belong to the author who compares them.
    """
    from arena.cli.shared.progress import Progress as Bar
    from arena.records.facts import BotsContained, FixtureSettled, FixtureVoided
    from arena.server.io.operator_log import sentence
    from arena.server.run.comparison import BATCH
    from arena.server.run.tournament_log import BotThinks
    from arena.server.setup.run_folder import RunFiles

    bar = Bar(messages(), quiet=quiet)
    shown: set[object] = set()  # of both functions: what one has shown, the other does not repeat

    def report(fact: TournamentFact | Progressed) -> None:
        if isinstance(fact, FixtureSettled):
            if any(game.cause for game in fact.games):
                batch = max(folder.glob(f"{BATCH}*"))  # the one in play
                Bar(messages(), quiet=quiet, files=RunFiles(batch)).report(fact)
        elif isinstance(fact, BotsContained):
            containment = tuple(fact.bots.items())
            if containment not in shown:
                shown.add(containment)
                bar.report(fact)
        elif isinstance(fact, FixtureVoided | BotThinks):
            bar.report(fact)

    def show(event: Event) -> None:
        if event["event"] == "bots_may_read" and event["name"] not in entrants:
            return  # about a folder with several bots
        key = sentence(event)
        if event["event"] in ONCE:
            key = event["event"]
        if key not in shown:
            shown.add(key)
            bar.show(event)

    return report, show

"""`arena run`: play a tournament, or go on with one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from arena.cli.common import fail, messages, output
from arena.cli.playing import new_folder, stopped

if TYPE_CHECKING:
    from arena.server.plan import BotSection


@click.command()
@click.argument("tournament", type=click.Path(exists=True, path_type=Path), required=False)
@click.option("--bot", "bots", multiple=True, metavar="NAME=COMMAND", help="An entrant and the command that starts it.")
@click.option("--remote", "remotes", multiple=True, metavar="NAME", help="An entrant that connects from elsewhere.")
@click.option("--ruleset", default="vasa", show_default=True, help="Name of the ruleset.")
@click.option("--option", "options", multiple=True, help="An option of the ruleset, such as easy_reentry.")
@click.option("--games", type=click.Choice(["3", "5", "7"]), help="Games of a match; 3 if nothing is said.")
@click.option("--pairs", type=click.IntRange(1, 10_000), help="Duplicate pairs of a match, instead of games.")
@click.option("--cycles", type=click.IntRange(1, 100), default=1, show_default=True, help="How often each pair meets.")
@click.option("--delay-ms", type=click.IntRange(0), default=1000, show_default=True, help="Free time for every turn.")
@click.option("--bank-ms", type=click.IntRange(0), default=60_000, show_default=True, help="Time for a game beyond it.")
@click.option("--at-once", type=click.IntRange(1, 256), default=2, show_default=True, help="Matches played at once.")
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Where remote bots connect: tcp:127.0.0.1:4711 or unix:/path.",
)
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "require", "off"]),
    default="auto",
    show_default=True,
    help="Start bots in bubblewrap: where it works, or not at all without it, or never.",
)
@click.option("--out", type=click.Path(path_type=Path), help="The run folder; new, empty, or one to go on with.")
@click.option("--quiet", is_flag=True, help="No progress on standard error.")
def command(
    tournament: Path | None,
    bots: tuple[str, ...],
    remotes: tuple[str, ...],
    ruleset: str,
    options: tuple[str, ...],
    games: str | None,
    pairs: int | None,
    cycles: int,
    delay_ms: int,
    bank_ms: int,
    at_once: int,
    listen: str | None,
    sandbox: str,
    out: Path | None,
    *,
    quiet: bool,
) -> None:
    """Play a round robin between bots and print the standings.

    TOURNAMENT is a tournament file (docs/running-a-tournament.md), or the folder of a run to go on with. Without
    it the bots are given by --bot and --remote. Commands run in the current folder.

    \b
    Examples:
      arena run --bot anna="python a.py" --bot bo="python b.py" --games 3 --out my-run
      arena run tournament.toml --out my-run
      arena run my-run
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.cli.progress import Progress
    from arena.cli.tables import print_standings
    from arena.records.facts import TournamentOpened
    from arena.records.lines import RecordError
    from arena.records.reading import read_tournament
    from arena.records.table import crosstable_of, pairs_of, schedule_of, standings_of
    from arena.server.address import ListenError
    from arena.server.containment import sandbox_problems
    from arena.server.credentials import credential_problems
    from arena.server.director import run_tournament
    from arena.server.folder import FolderError, RunFolder
    from arena.server.launcher import program_problems
    from arena.server.plan import (
        ClockSection,
        LimitsSection,
        ListenSection,
        Plan,
        PlanError,
        TournamentSection,
        format_plan,
        parse_plan,
    )

    given = _given_options() - {"--out", "--quiet"}
    if tournament is not None and given:
        fail(f"{tournament} says everything about the tournament already; leave out {', '.join(sorted(given))}")
    if tournament is not None and tournament.is_dir():
        out = out or tournament
        file = tournament / "tournament.toml"
        if not file.exists():
            fail(f"{tournament} is no run folder: it has no tournament.toml; give a tournament file and --out")
        text = _read_text(file)
    elif tournament is not None:
        text = _read_text(tournament)
    else:
        section = TournamentSection(
            ruleset=ruleset,
            options=options,
            games=cast("Any", games and int(games)),
            pairs=pairs,
            cycles=cycles,
            at_once=at_once,
        )
        clock = ClockSection(delay_ms=delay_ms, bank_ms=bank_ms)
        where = ListenSection(address=listen) if listen else ListenSection()
        limits = LimitsSection(sandbox=cast("Any", sandbox))
        sections = _bot_sections(bots, remotes)
        text = format_plan(Plan(tournament=section, clock=clock, limits=limits, listen=where, bot=sections))
    try:
        plan = parse_plan(text)
    except PlanError as error:
        fail("the tournament cannot be played:\n" + "\n".join(f"  {problem}" for problem in error.problems))
    problems = program_problems({bot.name: bot.arguments for bot in plan.bot if bot.arguments}, Path.cwd())
    problems += credential_problems(plan, Path.cwd()) + sandbox_problems(plan)
    if problems:
        fail("the tournament cannot be played:\n" + "\n".join(f"  {problem}" for problem in problems))
    folder = RunFolder(out or new_folder(plan.tournament.name))
    try:
        folder.open(text)
    except FolderError as error:
        fail(str(error))
    try:
        with Progress(messages(), quiet=quiet) as progress:
            run_tournament(plan, folder, Path.cwd(), progress.report)
    except (KeyboardInterrupt, OSError, ListenError, RecordError, BaseExceptionGroup) as error:
        stopped(error, f"arena run {folder.path}")
    finally:
        folder.close()
    facts = [fact for _, fact in read_tournament("tournament.jsonl", folder.tournament_record.read_bytes())]
    opened = facts[0]
    assert isinstance(opened, TournamentOpened), "a finished run begins with it"
    console = output()
    table = standings_of(opened, facts)
    print_standings(console, table, crosstable_of(table, facts), pairs_of(opened, table, facts))
    played = f"{len(table.counted)} of {len(schedule_of(opened))} matches"
    console.print(
        f"\n{played}; records are in {folder.path}; check them with: arena verify {folder.path}", markup=False
    )


def _read_text(file: Path) -> str:
    """A tournament file's text; ends the command if it cannot be read."""
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        fail(f"{file} cannot be read as a tournament file: {error}")


def _given_options() -> set[str]:
    """The options that stand on the command line."""
    context = click.get_current_context()
    named = {parameter.name: parameter.opts[0] for parameter in context.command.params if parameter.opts[0][0] == "-"}
    source = click.core.ParameterSource.COMMANDLINE
    return {option for name, option in named.items() if name and context.get_parameter_source(name) is source}


def _bot_sections(bots: tuple[str, ...], remotes: tuple[str, ...]) -> tuple[BotSection, ...]:
    """The entrants that the options name."""
    from arena.server.plan import BotSection

    if not bots and not remotes:
        fail("no bots; give a tournament file, or at least two --bot NAME=COMMAND (see arena run --help)")
    sections = []
    for bot in bots:
        name, equals, line = bot.partition("=")
        if not equals or not line.strip():
            fail(f'--bot {bot!r}: expected NAME=COMMAND, such as --bot anna="python anna.py"')
        sections.append(BotSection(name=name.strip(), command=line.strip()))
    return (*sections, *(BotSection(name=name, remote=True) for name in remotes))

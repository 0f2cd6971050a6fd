"""`arena run`: play a tournament, or go on with one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from arena.cli.run.format_options import chosen_format, format_options
from arena.cli.shared.crews import chosen_crew, crew_options
from arena.cli.shared.output import CHECK_FAILED, fail, messages, output, tournament_of, tournament_text
from arena.cli.shared.playing import checked_plan, new_folder, sandbox_option, stopped
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.records.facts import TournamentFact, TournamentOpened
    from arena.records.state import TournamentState
    from arena.server.io.operator_log import Event
    from arena.server.setup.run_folder import RunFolder
    from arena.server.setup.tournament_file import BotSection


@click.command()
@click.argument("tournament", type=click.Path(exists=True, path_type=Path), required=False)
@click.option("--bot", "bots", multiple=True, metavar="NAME=COMMAND", help="An entrant and the command that starts it.")
@click.option("--remote", "remotes", multiple=True, metavar="NAME", help="An entrant that connects from elsewhere.")
@click.option("--ruleset", default="vasa", show_default=True, help="Name of the ruleset.")
@click.option("--option", "options", multiple=True, help="An option of the ruleset, such as easy_reentry.")
@click.option("--games", type=click.Choice(["3", "5", "7"]), help="Games of a match; 3 if nothing is said.")
@click.option("--pairs", type=click.IntRange(1, 10_000), help="Duplicate pairs of a match, instead of games.")
@format_options
@click.option("--delay-ms", type=click.IntRange(0), default=1000, show_default=True, help="Free time for every turn.")
@click.option("--bank-ms", type=click.IntRange(0), default=60_000, show_default=True, help="Time for a game beyond it.")
@click.option("--at-once", type=click.IntRange(1, 256), help="Matches played at once; 2 if nothing is said.")
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Where remote bots connect: tcp:127.0.0.1:4711 or unix:/path.",
)
@sandbox_option
@crew_options
@click.option("--out", type=click.Path(path_type=Path), help="The run folder; new, empty, or one to go on with.")
@click.option(
    "--key",
    "key_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Sign the record with this key; made by arena key new.",
)
@click.option("--quiet", is_flag=True, help="On standard error warnings and errors alone.")
@click.option("--json", "as_json", is_flag=True, help="Print every event as JSON on a line of its own, and no tables.")
def command(
    tournament: Path | None,
    bots: tuple[str, ...],
    remotes: tuple[str, ...],
    ruleset: str,
    options: tuple[str, ...],
    games: str | None,
    pairs: int | None,
    format_name: str,
    delay_ms: int,
    bank_ms: int,
    at_once: int | None,
    listen: str | None,
    sandbox: str,
    workers: int | None,
    dask: str | None,
    out: Path | None,
    key_file: Path | None,
    *,
    quiet: bool,
    as_json: bool,
    **options_of_formats: Any,
) -> None:
    """Play a tournament between bots and print the standings.

    TOURNAMENT is a tournament file (docs/running-a-tournament.md), or the folder of a run to go on with. Without
    it the bots are given by --bot and --remote. Commands run in the current folder.

    \b
    Examples:
      arena run --bot anna="python a.py" --bot bo="python b.py" --games 3 --out my-run
      arena run tournament.toml --out my-run
      arena run my-run
      arena run tournament.toml --out my-run --workers 8
      arena run tournament.toml --json | my-script
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.cli.run.events import print_begin, print_fact, print_message
    from arena.cli.shared.progress import Progress
    from arena.records.lines import RecordError
    from arena.server.io.address import ListenError
    from arena.server.io.reporting import causes
    from arena.server.run.tournament import run_tournament
    from arena.server.setup.run_folder import FolderError, RunFolder
    from arena.server.setup.signing import Signer
    from arena.server.setup.tournament_file import (
        ClockSection,
        LimitsSection,
        ListenSection,
        Plan,
        TournamentSection,
        format_plan,
    )
    from protocol.client.receipts import KeyFileError

    given = _given_options() - {"--workers", "--dask", "--out", "--key", "--quiet", "--json"}
    if tournament is not None and given:
        fail(f"{tournament} says everything about the tournament already; leave out {', '.join(sorted(given))}")
    if tournament is not None:
        text = _given_text(tournament)
        out = out or (tournament if tournament.is_dir() else None)
    else:
        section = TournamentSection(
            ruleset=ruleset,
            options=options,
            games=cast("Any", games and int(games)),
            pairs=pairs,
            at_once=at_once,
        )
        clock = ClockSection(delay_ms=delay_ms, bank_ms=bank_ms)
        where = ListenSection(address=listen) if listen else ListenSection()
        limits = LimitsSection(sandbox=cast("Any", sandbox))
        sections = _bot_sections(bots, remotes)
        played = chosen_format(format_name, options_of_formats)
        text = format_plan(
            Plan(tournament=section, format=played, clock=clock, limits=limits, listen=where, bot=sections)
        )
    plan = checked_plan(text, "the tournament cannot be played", out)
    folder = RunFolder(out or new_folder(plan.tournament.name))
    try:
        signer = None if key_file is None else Signer(key_file, folder.path)
    except KeyFileError as error:
        fail(str(error))
    try:
        with chosen_crew(plan, workers, dask) as crew:
            folder.open(text)
            if as_json:
                print_begin(folder.path)
            chains = None if crew else {bot.name: bot.matches_at_once for bot in plan.bot}
            with Progress(messages(), quiet=quiet, facts=_facts_before(folder), at_once=chains) as progress:

                def report(fact: TournamentFact) -> None:
                    progress.report(fact)
                    if as_json:
                        print_fact(fact)

                def show(event: Event) -> None:
                    progress.show(event)
                    if as_json:
                        print_message(event)

                run_tournament(plan, folder, Path.cwd(), report, show, crew, signer)
    except FolderError as error:
        fail(str(error))
    except (KeyboardInterrupt, OSError, ListenError, RecordError, BaseExceptionGroup) as error:
        if all(isinstance(cause, ListenError) for cause in causes(error)):
            folder.take_back()
        stopped(error, f"arena run {folder.path}" if folder.is_begun else None)
    finally:
        folder.close()
    _conclude(folder.path, as_json=as_json)


def _given_text(tournament: Path) -> str:
    """A tournament file, or the one that is frozen in a run folder; ends the command if there is none to be read."""
    if not tournament.is_dir():
        return tournament_text(tournament)
    if not (tournament / TOURNAMENT_FILE).exists():
        fail(f"{tournament} is no run folder: it has no tournament.toml; give a tournament file and --out")
    return tournament_text(tournament / TOURNAMENT_FILE)


def _conclude(run: Path, *, as_json: bool) -> None:
    """Tell how a run ended that was played to its end; ends the command with 1 if no match of it could be played."""
    from arena.records.state import state_of

    opened, facts = tournament_of(run)
    state = state_of(opened, facts)
    if not as_json:
        _print_result(run, opened, facts, state)
    void = [result.fixture for result in state.results if result.voided]
    if void:
        told = f"void, since neither bot could play: {', '.join(void)}{where_bots_spoke(run)}"
        if len(void) == len(state.results):
            fail(f"no match could be played; {told}", code=CHECK_FAILED)
        click.echo(told, err=True)


def where_bots_spoke(run: Path) -> str:
    """Where to look for why bots could not play: the output of launched ones, or the evidence if there is none."""
    for folder, holds in (("bots", "what they said"), ("evidence", "what is known of them")):
        if (run / folder).is_dir() and any((run / folder).iterdir()):
            return f"; {holds} is in {run / folder}"
    return ""


def _print_result(run: Path, opened: TournamentOpened, facts: Sequence[TournamentFact], state: TournamentState) -> None:
    """The standings, and where the records are."""
    from arena.cli.shared.tables import print_standings
    from arena.records.heads import head_of
    from arena.records.standings import containment_of, crosstable_of, pairs_of

    table = state.standings()
    console = output()
    pairs = pairs_of(opened, table, facts)
    print_standings(console, table, crosstable_of(table, facts), pairs, containment_of(state))
    played = f"{len(table.counted)} of {state.scheduled} matches"
    console.print(f"\n{played}; records are in {run}; check them with: arena verify {run}", markup=False)
    head = head_of((run / TOURNAMENT_RECORD).read_bytes(), facts)
    console.print(f"head, for you to publish: {head.sentence}", markup=False, soft_wrap=True)


def _facts_before(folder: RunFolder) -> list[TournamentFact]:
    """What an earlier run of the folder has recorded; raises `RecordError`."""
    from arena.records.reading import read_tournament, whole_lines

    path = folder.tournament_record
    data = whole_lines(path.read_bytes()) if path.exists() else b""
    return [fact for _, fact in read_tournament(path.name, data)]


def _given_options() -> set[str]:
    """The options that stand on the command line."""
    context = click.get_current_context()
    named = {parameter.name: parameter.opts[0] for parameter in context.command.params if parameter.opts[0][0] == "-"}
    source = click.core.ParameterSource.COMMANDLINE
    return {option for name, option in named.items() if name and context.get_parameter_source(name) is source}


def _bot_sections(bots: tuple[str, ...], remotes: tuple[str, ...]) -> tuple[BotSection, ...]:
    """The entrants that the options name."""
    from arena.server.setup.tournament_file import BotSection

    if not bots and not remotes:
        fail("no bots; give a tournament file, or at least two --bot NAME=COMMAND (see arena run --help)")
    sections = []
    for bot in bots:
        name, equals, line = bot.partition("=")
        if not equals or not line.strip():
            fail(f'--bot {bot!r}: expected NAME=COMMAND, such as --bot anna="python anna.py"')
        sections.append(BotSection(name=name.strip(), command=line.strip()))
    return (*sections, *(BotSection(name=name, remote=True) for name in remotes))

"""`arena run`: play a tournament, or resume one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared import playing
from arena.cli.shared.bot_check import anyway_option, check_before_start, dry_run
from arena.cli.shared.language import told
from arena.cli.shared.output import A_FILE, A_PATH, CHECK_FAILED, arena_again, fail, messages, note, output
from arena.cli.shared.pages import pages_beside, place_of_seats, seats_beside
from arena.cli.shared.streams import ascii_json
from arena.cli.shared.usage import BadValueError
from arena.records.files import TOURNAMENT_RECORD, match_records
from arena.services.plans import given_text
from arena.services.sources import tournament_of
from arena.words import Said, joined, say

if TYPE_CHECKING:
    from arena.records.facts import FixtureVoided, TournamentFact
    from arena.records.state import TournamentState
    from arena.server.io.operator_log import Event
    from arena.server.run.tournament_log import Progressed
    from arena.server.setup.run_folder import RunFolder
    from arena.server.setup.tournament_file import Plan

OF_THIS_CALL: Final = frozenset(
    {"--set", "--workers", "--dask", "--out", "--key", "--browser", "--dry-run", "--anyway", "--quiet", "--json"}
)
"""Options that say nothing of the tournament, and go with a tournament file."""


class _Tournament(click.Path):
    """A tournament file or the folder of a run; a bot in its place is told how it is given."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, equals, _ = str(value).partition("=")
        if Path(value).suffix == ".py" and not equals:
            raise BadValueError(Said("run.script_as_file", {"script": str(value)}))
        if equals and not Path(value).exists():
            raise BadValueError(Said("run.bot_as_file", {"given": repr(str(value)), "name": name}))
        return super().convert(value, param, ctx)


@click.command()
@click.argument("tournament", type=_Tournament(exists=True, path_type=Path), required=False)
@click.option("--bot", "bots", multiple=True, metavar="NAME=COMMAND", help="An entrant and the command that starts it.")
@click.option("--remote", "remotes", multiple=True, metavar="NAME", help="An entrant that connects from elsewhere.")
@click.option("--person", "persons", multiple=True, metavar="NAME", help="An entrant who plays by hand, in a browser.")
@click.option("--ruleset", metavar="NAME", help="Name of the ruleset; vasa by default.")
@click.option("--games", type=click.Choice(["3", "5", "7"]), help="Games of a match; 3 by default.")
@click.option("--pairs", type=int, help="Duplicate pairs of a match, instead of games.")
@click.option(
    "--format", "format_name", metavar="NAME", help="How matches are drawn (docs/formats.md); round_robin by default."
)
@click.option("--listen", metavar="ADDRESS", help="Where remote bots connect: tcp:127.0.0.1:4711 or unix:/path.")
@playing.set_option
@playing.crew_options
@click.option("--out", type=A_PATH, help="The run folder; new, empty, or one to resume.")
@click.option(
    "--key", "key_file", type=A_FILE, metavar="FILE", help="Sign the record with this key; made by arena key new."
)
@click.option("--browser", is_flag=True, help="Show the run in a browser while it is played, as arena watch does.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Check the tournament and try out its bots; play nothing.")
@anyway_option
@click.option("--quiet", is_flag=True, help="Only warnings and errors on standard error.")
@click.option("--json", "as_json", is_flag=True, help="Print every event as JSON on a line of its own, and no tables.")
def command(
    tournament: Path | None,
    bots: tuple[str, ...],
    remotes: tuple[str, ...],
    persons: tuple[str, ...],
    ruleset: str | None,
    games: str | None,
    pairs: int | None,
    format_name: str | None,
    listen: str | None,
    sets: tuple[str, ...],
    workers: int | None,
    dask: str | None,
    out: Path | None,
    key_file: Path | None,
    *,
    browser: bool,
    is_dry: bool,
    anyway: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play a tournament between bots and print the standings.

    TOURNAMENT is a tournament file (docs/running-a-tournament.md), or the folder of a run to resume. Without
    it, --bot, --remote and --person give the entrants. --set changes a field of the file, or gives it without one; the
    value is written as in the file, and a single word needs no quotes. bot.FIELD is the field of every bot,
    bot.NAME.FIELD that of one. Commands run in the current folder. In them `python` is the Python that the arena is
    installed in, which has the bot kit; give another one by its path. Before a new run every
    launched bot has to log in and answer one turn; --anyway plays without that.

    \b
    Examples:
      arena run --bot anna="python a.py" --bot bo="python b.py" --games 3 --out my-run
      arena run tournament.toml --dry-run
      arena run tournament.toml --out my-run --set clock.delay_ms=500 --set limits.sandbox=require
      arena run my-run
      arena run tournament.toml --out my-run --workers 8
      arena run tournament.toml --out my-run --browser
      arena run tournament.toml --json | my-script
    """
    from arena.cli.shared.progress import Progress
    from arena.records.lines import RecordError, encode_line, read_tournament, whole_lines
    from arena.server.io.failures import causes
    from arena.server.io.listening import ListenError
    from arena.server.io.operator_log import sentence
    from arena.server.run.tournament import Run, run_tournament
    from arena.server.run.tournament_log import BotThinks, GamesPlayed
    from arena.server.setup.credentials import Signer, places_of_run
    from arena.server.setup.run_folder import RunFolder

    given = playing.given_options() - OF_THIS_CALL
    options = {
        "--ruleset": ("tournament.ruleset", ruleset),
        "--games": ("tournament.games", games and int(games)),
        "--pairs": ("tournament.pairs", pairs),
        "--format": ("tournament.format", format_name),
        "--listen": ("listen.address", listen),
    }
    if tournament is not None and given:
        fail(Said("run.too_many_options", {"file": str(tournament), "options": ", ".join(sorted(given))}))
    if tournament is not None:
        if tournament.is_dir() and sets:
            fail(Said("run.set_in_run", {"run": str(tournament)}))
        text = given_text(tournament)
        out = out or (tournament if tournament.is_dir() else None)
    else:
        text = _bots(bots, remotes, persons)
    hint = playing.where_commands_run(tournament, RunFolder(out).directory if out is not None else None)
    is_file = tournament is not None
    fields = playing.given_fields(sets, options)
    hidden, refusal = places_of_run(out, key_file), Said("run.refused")
    plan, text = playing.checked_plan(text, fields, refusal, hidden, is_file=is_file, hint=hint)
    if is_dry:
        with place_of_seats(plan.listen) if plan.by_pages else nullcontext():
            dry_run(plan, out, hidden, as_json=as_json, hint=hint)
        return
    folder = RunFolder(out or playing.new_folder(plan.tournament.name, text))
    signer = None if key_file is None else Signer(key_file, folder.path)
    with ExitStack() as beside:
        seats = beside.enter_context(place_of_seats(plan.listen)) if plan.by_pages else None
        try:
            with playing.chosen_crew(plan, workers, dask) as crew:
                folder.refuse_strangers()
                is_there = folder.tournament_record.exists()
                data = whole_lines(folder.files[TOURNAMENT_RECORD]) if is_there else b""
                before = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, data)]
                if dask is None:  # whose workers may have other programs than this machine
                    tried = _to_try(plan, before, folder, Path.cwd())
                    hidden = places_of_run(folder.path, key_file)
                    check_before_start(plan, tried, hidden, anyway=anyway, hint=hint)
                folder.open(text)
                folder.remember(Path.cwd(), key_file)
                if out is None and not quiet:
                    again = arena_again("run", folder.path)
                    note(Said("run.records_go_to", {"folder": str(folder.path), "command": again}))
                progress = Progress(messages(), quiet=quiet, facts=before, files=folder.files)
                if browser:
                    beside.enter_context(pages_beside(folder.path, progress.tell))
                if as_json:
                    click.echo(json.dumps({"event": "run_begun", "folder": str(folder.path)}))
                with progress:

                    def report(fact: TournamentFact | Progressed) -> None:
                        progress.report(fact)
                        if as_json and not isinstance(fact, GamesPlayed | BotThinks):
                            click.echo(ascii_json(encode_line(fact).decode()))

                    def show(event: Event) -> None:
                        progress.show(event)
                        if as_json:
                            click.echo(json.dumps({"event": "message", "text": sentence(event)}))

                    pages = None
                    if seats is not None:
                        pages = beside.enter_context(seats_beside(*seats, plan.names, progress.tell))
                    run_tournament(
                        Run(
                            plan=plan,
                            folder=folder,
                            directory=Path.cwd(),
                            report=report,
                            show=show,
                            crew=crew,
                            signer=signer,
                            pages=pages,
                        )
                    )
        except (KeyboardInterrupt, OSError, ListenError, RecordError, BaseExceptionGroup) as error:
            if all(isinstance(cause, ListenError) for cause in causes(error)):
                folder.take_back()
            signed = ["--key", key_file] if key_file else []
            again = arena_again("run", folder.path, *signed)
            playing.stopped(error, again if folder.is_begun else None)
        finally:
            folder.close()
        _conclude(folder.path, as_json=as_json)


def _conclude(run: Path, *, as_json: bool) -> None:
    """Tell how a run ended; ends the command with 1 if it ended early, or if an entrant never came."""
    from arena.records.facts import FixtureVoided
    from arena.records.reasons import never_appeared
    from arena.records.state import state_of
    from arena.server.setup.run_folder import RunFiles
    from arena.tournaments.names import listed, shown

    opened, facts = tournament_of(run)
    state = state_of(opened, facts)
    if not as_json:
        _print_result(run, facts, state)
    void = [fact for fact in facts if isinstance(fact, FixtureVoided) and fact.is_last]
    if void:
        reasons = joined(_why_void(void, run))
        if len(void) == len(state.results):
            fail(Said("run.nothing_played", {"reasons": reasons}), code=CHECK_FAILED)
        note(reasons)
    if missing := never_appeared(facts, RunFiles(run)):
        names = listed(shown(state.names, missing))
        fail(Said("run.never_came", {"names": names, "where": where_bots_spoke(run)}), code=CHECK_FAILED)
    if early := state.early_end():
        fail(early, code=CHECK_FAILED)


def _why_void(void: Sequence[FixtureVoided], run: Path) -> list[Said]:
    """Return why matches are void for good, and where to look: by fault of their bots, or of the arena."""
    from arena.records.facts import FAILED, NOT_STARTED
    from arena.server.setup.run_folder import OPERATOR_LOG

    causes: dict[str, tuple[Said, Said | str]] = {}
    fixtures: dict[str, list[str]] = {}
    for fact in void:
        why, where = Said("run.neither_could_play"), where_bots_spoke(run)
        if fact.reason.code in (FAILED.code, NOT_STARTED):
            why, where = fact.reason, Said("run.traceback_in", {"file": str(run / OPERATOR_LOG)})
        causes[say(why)] = why, where
        fixtures.setdefault(say(why), []).append(fact.fixture)
    return [
        Said("run.void", {"why": why, "fixtures": ", ".join(fixtures[english]), "where": where})
        for english, (why, where) in causes.items()
    ]


def where_bots_spoke(run: Path) -> Said | str:
    """Return where to look for why bots could not play: the output of launched bots, or else the evidence."""
    for folder, code in ((run / "bots", "run.bots_spoke_in"), (run / "evidence", "run.evidence_in")):
        if folder.is_dir() and any(folder.iterdir()):
            return Said(code, {"folder": str(folder)})
    return ""


def _print_result(run: Path, facts: Sequence[TournamentFact], state: TournamentState) -> None:
    from arena.cli.shared.standings import print_standings
    from arena.records.confirmations import head_of
    from arena.records.reasons import forfeit_sentences
    from arena.server.setup.run_folder import RunFiles
    from arena.tournaments.crosstable import crosstable

    table = state.standings()
    console = output()
    pairs = state.pairs(table)
    forfeits = forfeit_sentences(facts, RunFiles(run), state.names)
    notes = [*forfeits, *state.containment()]
    print_standings(console, table, crosstable(table, state.results), pairs, notes, state.outcome(table))
    counted = state.matches_counted(table)
    values = {"counted": counted, "run": str(run), "command": arena_again("verify", run)}
    console.print(told(Said("run.played", values)), markup=False)
    head = head_of(RunFiles(run)[TOURNAMENT_RECORD], facts)
    if head.public_key is not None:
        console.print(told(Said("run.head", {"head": head.sentence})), markup=False, soft_wrap=True)


def _to_try(plan: Plan, before: Sequence[TournamentFact], folder: RunFolder, here: Path) -> list[str]:
    """Return the launched bots to try: newcomers, and all in another folder, where their commands may start nothing."""
    from arena.records.facts import EntrantsAdded, TournamentEnded, TournamentOpened

    if not any(isinstance(fact, TournamentOpened) for fact in before) and (before or any(match_records(folder.files))):
        return []  # what is missing is told when the folder is opened
    entered = {name for fact in before if isinstance(fact, TournamentOpened | EntrantsAdded) for name in fact.entrants}
    is_over = any(isinstance(fact, TournamentEnded) for fact in before)
    if folder.directory not in (None, here) and not is_over:
        entered = set()
    return [bot.entrant for bot in plan.bot if not bot.remote and bot.entrant not in entered]


def _bots(bots: tuple[str, ...], remotes: tuple[str, ...], persons: tuple[str, ...]) -> str:
    import tomli_w

    if not bots and not remotes and not persons:
        fail(Said("run.no_bots"))
    sections: list[dict[str, Any]] = []
    for bot in bots:
        name, equals, line = (part.strip() for part in bot.partition("="))
        if not equals or not line:
            fail(Said("run.bad_bot", {"given": repr(bot)}))
        sections.append({"name": name, "command": line})
    sections += [
        {"name": name, kind: True} for kind, names in (("remote", remotes), ("person", persons)) for name in names
    ]
    return tomli_w.dumps({"bot": sections})

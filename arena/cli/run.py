"""`arena run`: play a tournament, or resume one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared import playing
from arena.cli.shared.language import translate
from arena.cli.shared.output import (
    A_FILE,
    A_PATH,
    CHECK_FAILED,
    arena_again,
    echo_json,
    fail,
    json_option,
    messages,
    note,
    output,
)
from arena.cli.shared.pages import pages_beside, place_of_seats, seats_beside
from arena.cli.shared.streams import ascii_json
from arena.cli.shared.usage import BadValueError
from arena.records.files import TOURNAMENT_RECORD
from arena.services.plans import given_fields
from arena.words import Said

if TYPE_CHECKING:
    from socket import socket

    from arena.pages.serving.listening import ListeningPlace
    from arena.records.facts import TournamentFact
    from arena.server.io.operator_log import Event
    from arena.server.run.tournament_log import Progressed
    from arena.services.conclusion import Conclusion
    from arena.services.playing import Audience, OpenedRun, PlannedRun

OF_THIS_CALL: Final = frozenset(
    {
        "--set",
        "--workers",
        "--dask",
        "--out",
        "--key",
        "--browser",
        "--dry-run",
        "--anyway",
        "--quiet",
        "--json",
    }
)
"""Options that do not define the tournament, so that they go with a tournament file."""
FIELDS: Final = {
    "ruleset": "tournament.ruleset",
    "games": "tournament.games",
    "pairs": "tournament.pairs",
    "format": "tournament.format",
    "listen": "listen.address",
}
"""Fields of the tournament file that have an option of their own."""


class _Tournament(click.Path):
    """A tournament file or the folder of a run; the error about a bot explains --bot."""

    def convert(self, path: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        text = str(path)
        name, equals, _ = text.partition("=")
        if Path(path).suffix == ".py" and not equals:
            raise BadValueError(Said("run.script_as_file", {"script": text}))
        if equals and not Path(path).exists():
            raise BadValueError(Said("run.bot_as_file", {"given": repr(text), "name": name}))
        return super().convert(path, param, ctx)


@click.command()
@click.argument("tournament", type=_Tournament(exists=True, path_type=Path), required=False)
@click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME=COMMAND",
    help="An entrant and the command that starts it.",
)
@click.option(
    "--remote",
    "remotes",
    multiple=True,
    metavar="NAME",
    help="An entrant that connects from elsewhere.",
)
@click.option(
    "--person",
    "persons",
    multiple=True,
    metavar="NAME",
    help="An entrant who plays by hand, in a browser.",
)
@click.option("--ruleset", metavar="NAME", help="Name of the ruleset; vasa by default.")
@click.option("--games", type=click.Choice([3, 5, 7]), help="Games of a match; 3 by default.")
@click.option("--pairs", type=int, help="Duplicate pairs of a match, instead of games.")
@click.option(
    "--format",
    metavar="NAME",
    help="How matches are drawn (docs/formats.md); round_robin by default.",
)
@click.option(
    "--listen",
    metavar="ADDRESS",
    help="Where remote bots connect: tcp:127.0.0.1:4711 or unix:/path.",
)
@playing.set_option
@playing.crew_options
@click.option("--out", type=A_PATH, help="The run folder; new, empty, or one to resume.")
@click.option(
    "--key",
    "key_file",
    type=A_FILE,
    metavar="FILE",
    help="Sign the record with this key; made by arena key new.",
)
@click.option(
    "--browser",
    is_flag=True,
    help="Show the run in a browser while it is played, as arena watch does.",
)
@click.option(
    "--dry-run",
    "is_dry",
    is_flag=True,
    help="Check the tournament and try out its bots; play nothing.",
)
@playing.anyway_option
@click.option("--quiet", is_flag=True, help="Only warnings and errors on standard error.")
@json_option("Print every event as JSON on a line of its own, and no tables.")
def command(
    tournament: Path | None,
    bots: tuple[str, ...],
    remotes: tuple[str, ...],
    persons: tuple[str, ...],
    sets: tuple[str, ...],
    workers: int | None,
    dask: str | None,
    out: Path | None,
    key_file: Path | None,
    *,
    browser: bool,
    is_dry: bool,
    is_anyway: bool,
    quiet: bool,
    as_json: bool,
    **fields: str | int | None,
) -> None:
    """Play a tournament between bots and print the standings.

    TOURNAMENT is a tournament file (docs/running-a-tournament.md), or the folder of a run to
    resume. Without it, --bot, --remote and --person give the entrants. --set changes a field of the
    file, or sets it if there is no file; the value is written as in the file, and a single word
    needs no quotes. bot.FIELD is the field of every bot, bot.NAME.FIELD that of one. Commands run
    in the current folder. In them `python` is the Python of the arena, which has the bot kit; give
    another one by its path. Before a new run every launched bot has to log in and answer one turn;
    --anyway starts the run even if one fails.

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
    from arena.services.conclusion import conclusion_of
    from arena.services.crews import CrewOrder
    from arena.services.playing import RunOrder, plan_run, play

    text = ""
    if tournament is None:
        text = _bots(bots, remotes, persons)
    else:
        _check_options(tournament, sets)
    signed = ["--key", key_file] if key_file else []
    with_options = {f"--{name}": (FIELDS[name], content) for name, content in fields.items()}
    order = RunOrder(
        tournament=tournament,
        text=text,
        fields=given_fields(sets, with_options),
        out=out,
        key_file=key_file,
        crew=CrewOrder(workers, dask),
        is_anyway=is_anyway,
        again=lambda folder: arena_again("run", folder, *signed),
    )
    planned = plan_run(order, note)
    with ExitStack() as beside:
        seats = None
        if planned.plan.by_pages:
            seats = beside.enter_context(place_of_seats(planned.plan.listen))
        if is_dry:
            _check(planned, as_json=as_json)
            return
        follow = partial(
            _follow,
            beside=beside,
            seats=seats,
            browser=browser,
            quiet=quiet,
            as_json=as_json,
        )
        run = play(planned, follow, note=note, trying=playing.bots_are_tried)
        _conclude(conclusion_of(run), as_json=as_json)


def _check_options(tournament: Path, sets: tuple[str, ...]) -> None:
    """Refuse options that contradict a tournament file or a run folder."""
    extra = playing.given_options() - OF_THIS_CALL
    if extra:
        options = ", ".join(sorted(extra))
        fail(Said("run.too_many_options", {"file": str(tournament), "options": options}))
    if tournament.is_dir() and sets:
        fail(Said("run.set_in_run", {"run": str(tournament)}))


def _check(planned: PlannedRun, *, as_json: bool) -> None:
    """Check a tournament without playing; end the command with 1 if a bot is not fit to play."""
    from arena.cli.shared.dry_run import print_as_json, print_dry_run
    from arena.services.bot_check import dry_run

    with playing.bots_are_tried():
        checked = dry_run(planned.plan, planned.out, planned.hidden, hint=planned.hint)
    show = print_as_json if as_json else print_dry_run
    show(planned.plan, checked)
    if checked.unfit:
        raise SystemExit(CHECK_FAILED)


@contextmanager
def _follow(
    opened: OpenedRun,
    *,
    beside: ExitStack,
    seats: tuple[ListeningPlace, socket] | None,
    browser: bool,
    quiet: bool,
    as_json: bool,
) -> Iterator[Audience]:
    """Show a run while it is played; the pages `beside` it stay for its conclusion."""
    from arena.cli.shared.progress import Progress
    from arena.records.lines import encode_line
    from arena.server.io.operator_log import sentence
    from arena.server.run.tournament_log import BotThinks, GamesPlayed
    from arena.services.playing import Audience

    run, planned = opened.folder.path, opened.planned
    if planned.out is None and not quiet:
        note(Said("run.records_go_to", {"folder": str(run), "command": planned.order.again(run)}))
    progress = Progress(messages(), quiet=quiet, facts=opened.facts, files=opened.folder.files)
    if browser:
        beside.enter_context(pages_beside(run, progress.tell))
    if as_json:
        echo_json({"event": "run_begun", "folder": str(run)})

    def report(fact: TournamentFact | Progressed) -> None:
        progress.report(fact)
        if as_json and not isinstance(fact, GamesPlayed | BotThinks):
            click.echo(ascii_json(encode_line(fact).decode()))

    def show(event: Event) -> None:
        progress.show(event)
        if as_json:
            echo_json({"event": "message", "text": sentence(event)})

    with progress:
        pages = None
        if seats is not None:
            pages = beside.enter_context(seats_beside(*seats, planned.plan.names, progress.tell))
        yield Audience(report=report, show=show, pages=pages)


def _conclude(conclusion: Conclusion, *, as_json: bool) -> None:
    """Print how a run ended; end the command with 1 if it did not end as planned."""
    if not as_json:
        _print_result(conclusion)
    if conclusion.void is not None:
        note(conclusion.void)
    if conclusion.problem is not None:
        fail(conclusion.problem, code=CHECK_FAILED)


def _print_result(conclusion: Conclusion) -> None:
    from arena.cli.shared.standings import print_standings
    from arena.records.confirmations import head_of
    from arena.records.reasons import forfeit_sentences
    from arena.server.setup.run_folder import RunFiles

    run, facts, state = conclusion.run, conclusion.facts, conclusion.state
    table = state.standings()
    console = output()
    print_standings(console, state, table, forfeit_sentences(facts, RunFiles(run), state.names))
    summary = {
        "counted": state.matches_counted(table),
        "run": str(run),
        "command": arena_again("verify", run),
    }
    console.print(translate(Said("run.played", summary)))
    head = head_of(RunFiles(run)[TOURNAMENT_RECORD], facts)
    if head.public_key is not None:
        console.print(translate(Said("run.head", {"head": head.sentence})), soft_wrap=True)


def _bots(bots: tuple[str, ...], remotes: tuple[str, ...], persons: tuple[str, ...]) -> str:
    import tomli_w

    if not bots and not remotes and not persons:
        fail(Said("run.no_bots"))
    sections: list[dict[str, Any]] = []
    for bot in bots:
        name, equals, line = bot.partition("=")
        name, line = name.strip(), line.strip()
        if not equals or not line:
            fail(Said("run.bad_bot", {"given": repr(bot)}))
        sections.append({"name": name, "command": line})
    sections += [{"name": name, "remote": True} for name in remotes]
    sections += [{"name": name, "person": True} for name in persons]
    return tomli_w.dumps({"bot": sections})

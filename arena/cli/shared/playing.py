"""Shared by commands that play: checking the plan, default folders, and how play ends when it cannot go on."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from arena.cli.shared.language import told
from arena.cli.shared.output import CHECK_FAILED, INTERRUPTED, WRONG_USE, arena_again, fail, note, with_options
from arena.own_programs import with_own_programs
from arena.records.files import TOURNAMENT_FILE, TOURNAMENT_RECORD
from arena.regular_files import failed
from arena.words import Said, joined, quoted
from arena.words.system_errors import reason_of

if TYPE_CHECKING:
    from arena.server.run.workers.chunk import Crew
    from arena.server.setup.given_fields import GivenField
    from arena.server.setup.tournament_file import Plan

_NO_OPTIONS: Final[Mapping[str, tuple[str, Any]]] = MappingProxyType({})

set_option = click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="SECTION.FIELD=VALUE",
    help="A field of the tournament file, such as clock.delay_ms=500; may be repeated.",
)
"""The option of commands that play by a tournament file, or would write one."""


crew_options = with_options(
    click.option("--workers", type=click.IntRange(1, 1024), help="Play with so many processes (docs/scaling.md)."),
    click.option("--dask", metavar="ADDRESS", help="Play on a Dask cluster: where its scheduler is."),
)
"""The options of commands that may play with a crew."""


def given_fields(sets: Sequence[str], options: Mapping[str, tuple[str, Any]] = _NO_OPTIONS) -> list[GivenField]:
    """Return the fields that options give. Raises `GivenFieldError`.

    `options` have their own names for fields: `{"--games": ("tournament.games", 5)}`. A value of None gives nothing.
    """
    from arena.server.setup.given_fields import GivenField, parse_set

    fields = [
        GivenField(option=f"{option} {value}", path=tuple(path.split(".")), value=value)
        for option, (path, value) in options.items()
        if value is not None
    ]
    return fields + [parse_set(one) for one in sets]


def name_and_command(text: str) -> tuple[str | None, str]:
    """Split NAME=COMMAND; None for the name of a command, which begins with a path, or a program and a blank."""
    name, equals, line = (part.strip() for part in text.partition("="))
    first, blank, _ = name.partition(" ")
    is_program = "/" in first or (blank and shutil.which(with_own_programs([first])[0]))
    return (None, text) if not name or not equals or is_program else (name, line)


def where_commands_run(tournament: Path | None, before: Path | None) -> Said | None:
    """Return a hint if commands of bots may be meant for another folder, such as `before`, where they ran so far."""
    if before is not None and before != Path.cwd():
        return Said("commands_run.before", {"folder": str(before), "command": _cd(before)})
    if tournament is None or tournament.is_dir() or tournament.parent.resolve() == Path.cwd():
        return None
    return Said("commands_run.here", {"file": tournament.name, "command": _cd(tournament.parent)})


def _cd(folder: Path) -> str:
    return shlex.join(["cd", str(folder)])


def checked_plan(
    text: str,
    fields: Sequence[GivenField],
    refusal: Said | str,
    hidden: Sequence[Path],
    *,
    is_file: bool = False,
    hint: Said | None = None,
) -> tuple[Plan, str]:
    """Read a tournament file with the fields of options; returns the plan, and the file with these fields in it.

    Tells of bots that are left out, and ends the command with `refusal` and every problem. No bot may read the `hidden`
    places. `hint` says why programs may not be there.
    """
    from arena.server.programs.bot_command import command_of
    from arena.server.programs.containment import sandbox_problems
    from arena.server.programs.start_problems import program_problems
    from arena.server.setup.credentials import credential_problems
    from arena.server.setup.entrant_ids import made_up
    from arena.server.setup.given_fields import text_of_installed, text_with
    from arena.server.setup.guarded_toml import TomlLimitError
    from arena.server.setup.problems import first_problems
    from arena.server.setup.tournament_file import PlanError, parse_plan

    try:
        plan = parse_plan(text, fields, tell_lines=is_file, by_options=not is_file)
        text, absent = text_of_installed(text_with(text, fields))
        for sentence in absent:
            click.echo(told(sentence), err=True)
        plan = parse_plan(text) if absent else plan
    except PlanError as error:
        problems = [*error.problems]
    except TomlLimitError as error:
        problems = [Said("set.together", {"problem": error.said})]
    else:
        here = Path.cwd()
        problems = program_problems({bot.name: command_of(bot, here) for bot in plan.bot if not bot.remote})
        problems += [hint] if problems and hint else []
        problems += credential_problems(plan, here) + sandbox_problems(plan, here, hidden)
        problems = first_problems(problems)
        given_ids = [(bot.name, bot.id) for bot in plan.bot]
        for entrant, name in made_up(given_ids).items():
            note(Said("id.made_up", {"name": name, "id": entrant}))
    if problems:
        fail(refusal, problems)
    return plan, text


def given_options() -> set[str]:
    """The options that stand on the command line."""
    context = click.get_current_context()
    named = {parameter.name: parameter.opts[0] for parameter in context.command.params if parameter.opts[0][0] == "-"}
    source = click.core.ParameterSource.COMMANDLINE
    return {option for name, option in named.items() if name and context.get_parameter_source(name) is source}


@contextmanager
def chosen_crew(plan: Plan, workers: int | None, dask: str | None) -> Iterator[Crew | None]:
    """The crew that the options ask for, None for this process alone; ends the command if there is no such crew."""
    option = "--workers" if dask is None else "--dask"
    remote = [bot.name for bot in plan.bot if bot.remote]
    if workers is None and dask is None:
        yield None
        return
    if workers is not None and dask is not None:
        fail(Said("crew.two"))
    if remote:
        fail(Said("crew.remote", {"option": option, "names": ", ".join(remote)}))
    if workers is not None:
        from arena.server.run.workers.pool import open_pool

        with open_pool(workers) as pool:
            yield pool
        return
    from arena.server.run.workers.cluster import ClusterError, open_cluster

    assert dask is not None, "one of the two was given"
    try:
        with open_cluster(dask) as cluster:
            yield cluster
    except ClusterError as error:
        fail(reason_of(error))


def stopped(error: BaseException, again: str | None) -> NoReturn:
    """End the command because play cannot go on; `again` resumes the run, None if nothing has begun."""
    from arena.records.lines import RecordError
    from arena.server.io.failures import causes
    from arena.server.io.listening import ListenError
    from arena.server.io.tls import CertificateError
    from arena.server.run.seat_pages import PagesError
    from arena.server.run.workers.chunk import WorkerError
    from arena.server.setup.credentials import TokenError

    found = list(causes(error))
    if any(isinstance(cause, KeyboardInterrupt) for cause in found):
        note(Said("stopped.before") if again is None else Said("stopped.go_on", {"command": again}))
        raise SystemExit(INTERRUPTED)
    for cause in found:
        if isinstance(cause, click.ClickException):  # standard output takes no more
            raise cause
    expected = OSError | CertificateError | ListenError | PagesError | RecordError | TokenError | WorkerError
    if not all(isinstance(cause, expected) for cause in found):
        raise error
    told = {str(reason): reason for reason in map(_reason, found)}  # several workers may tell the same
    reasons = [*told.values()]
    if any(isinstance(cause, RecordError) for cause in found):
        fail(joined([*reasons, Said("stopped.damaged")]), code=CHECK_FAILED)
    refused = all(isinstance(cause, ListenError) for cause in found)
    if again is not None and not refused:
        reasons.append(Said("stopped.safe"))
    if again is not None:
        reasons.append(Said("stopped.mended", {"command": again}))
    fail(joined(reasons), code=WRONG_USE if refused else CHECK_FAILED)


def _reason(cause: BaseException) -> Said:
    """Return why play stopped; an error of the system names its file."""
    if isinstance(cause, OSError):
        return failed(cause)
    return quoted(reason_of(cause))


def new_folder(name: str, text: str = "") -> Path:
    """A default run folder: runs/<name>-<number>. Tells of the one before if it is not finished, of the same `text`."""
    from arena.tournaments.names import plain_id

    slug = plain_id(name.replace(",", " ")) or "run"
    number, before = 1, None
    while (folder := Path("runs") / f"{slug}-{number}").exists():
        number, before = number + 1, folder
    if before is not None and text and _is_unfinished(before, text):
        again = arena_again("run", before)
        note(Said("run.unfinished", {"folder": str(before), "command": again}))
    return folder


def _is_unfinished(run: Path, text: str) -> bool:
    from arena.records.lines import RecordError
    from arena.server.setup.run_folder import RunFiles

    files = RunFiles(run)
    try:
        is_same = files.get(TOURNAMENT_FILE) == text.encode()
        record = files.get(TOURNAMENT_RECORD)
    except RecordError:  # none of ours
        return False
    return is_same and record is not None and b'"event":"tournament_ended"' not in record

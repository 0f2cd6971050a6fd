"""Shared by all commands: where results and progress go, and how wrong use ends."""

from __future__ import annotations

import shlex
import shutil
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from arena.cli.shared.language import told
from arena.records.files import TOURNAMENT_RECORD
from arena.words import Said, SaidError, joined
from arena.words.system_errors import system_reason

if TYPE_CHECKING:
    from rich.console import Console

    from arena.records.facts import TournamentFact, TournamentOpened

WRONG_USE = 2
CHECK_FAILED = 1
INTERRUPTED = 130
A_PATH: Final = click.Path(path_type=Path)
A_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a decorator that adds these options to a command, in this order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def output() -> Console:
    """Standard output, for results. No colour off a terminal or with NO_COLOR set, and no `:100:` drawn as an emoji."""
    from arena.cli.shared.tables import SafeConsole

    return SafeConsole(highlight=False, soft_wrap=True, emoji=False)


def messages() -> Console:
    """Standard error, for progress and messages."""
    from arena.cli.shared.tables import SafeConsole

    return SafeConsole(stderr=True, highlight=False, emoji=False)


def arena_again(*words: object) -> str:
    """Return a command to type next; it begins as this one did: with `arena`, or a path where no shell finds that."""
    called = sys.argv[0]
    is_found = Path(called).name != "arena" or shutil.which("arena") == called
    return shlex.join(["arena" if is_found else called, *map(str, words)])


def fail(
    message: Said | SaidError | str,
    problems: Iterable[Said | str] = (),
    *,
    below: Iterable[Said] = (),
    code: int = WRONG_USE,
) -> NoReturn:
    """End the command with a message on standard error, in the language of the terminal.

    Each problem stands on a line of its own, indented; what is to be said of all stands `below`.
    """
    said = message.said if isinstance(message, SaidError) else message
    lines = [told(Said("error", {"message": said}))]
    lines += [f"  {told(problem)}" for problem in problems]
    lines += map(told, below)
    click.echo("\n".join(map(printable, "\n".join(lines).split("\n"))), err=True)
    raise SystemExit(code)


def reason_of(error: BaseException) -> Said | str:
    """Return why something failed, in the words of its exception."""
    if isinstance(error, SaidError):
        return error.said
    return system_reason(error) if isinstance(error, OSError) else str(error)


def note(said: Said) -> None:
    """Say something on standard error."""
    click.echo(told(said), err=True)


def printable(text: str) -> str:
    """A line with text from bots: line feeds and tabs are shown as codes, too, which `visible` (streams.py) leaves."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def run_folder(path: Path) -> Path:
    """The folder, if a run was begun in it; else ends the command."""
    if path.is_file():
        above = (*path.parents[:2], *path.absolute().parents[:2])
        places = [place for place in above if (place / TOURNAMENT_RECORD).exists()]
        if places:
            fail(Said("not_run.in_run", {"path": str(path), "run": str(places[0])}))
        fail(Said("not_run.file", {"path": str(path)}))
    if not (path / TOURNAMENT_RECORD).exists():
        fail(Said("not_run.no_record", {"path": str(path)}))
    return path


def tournament_text(file: Path, *, is_of_run: bool = False) -> str:
    """A tournament file's text, without a byte order mark; ends the command if it cannot be read."""
    from arena.regular_files import read_regular
    from arena.server.io.disk import read_inside

    try:
        data = read_inside(file.parent, file.name) if is_of_run else read_regular(file)
    except OSError as error:
        fail(Said("tournament_file.unreadable", {"file": str(file), "reason": system_reason(error)}))
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in data[:2]:
        fail(Said("tournament_file.utf_16", {"file": str(file)}))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fail(Said("tournament_file.not_utf_8", {"file": str(file), "line": line}))


def given_ruleset(given: str) -> str | Mapping[str, Any]:
    """The name of a ruleset, or the fields of the one in a tournament file; ends the command if that cannot be used."""
    if not given.endswith(".toml"):
        return given
    from arena.server.setup.tournament_file import PlanError, parse_plan

    try:
        return parse_plan(tournament_text(Path(given)), tell_lines=True).game().ruleset
    except PlanError as error:
        fail(Said("tournament_file.unusable", {"file": given, "problem": joined(error.problems)}))


def tournament_of(run: Path) -> tuple[TournamentOpened, list[TournamentFact]]:
    """The opening of a run, and every fact of its tournament record so far. Raises `RecordError`."""
    from arena.records.facts import TournamentOpened
    from arena.records.lines import read_tournament, whole_lines
    from arena.server.setup.run_folder import RunFiles

    path = run_folder(run) / TOURNAMENT_RECORD
    facts = [fact for _, fact in read_tournament(path.name, whole_lines(RunFiles(run)[path.name]))]
    opened = facts[0] if facts else None
    if not isinstance(opened, TournamentOpened):
        fail(Said("record.no_beginning", {"path": str(path)}), code=CHECK_FAILED)
    return opened, facts

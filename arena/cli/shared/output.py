"""Parts of all commands: output of results and progress, errors, and exit statuses."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from arena.cli.shared.language import translate
from arena.words import Said, SaidError

if TYPE_CHECKING:
    from rich.console import Console

    from arena.services.sources import RecordSource

WRONG_USE = 2
CHECK_FAILED = 1
INTERRUPTED = 130
A_PATH: Final = click.Path(path_type=Path)
A_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
run_argument = click.argument("run", type=A_PATH)
"""The argument of commands that look at a run."""

judge_option = click.option(
    "--judge",
    type=click.Choice(["bgsage"]),
    help="Backgammon: let the package bgsage judge, the extra `engines`.",
)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a decorator that adds these options to a command, in this order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def json_option(explanation: str) -> Callable[[Any], Any]:
    """Add the option with which a command prints JSON."""
    return click.option("--json", "as_json", is_flag=True, help=explanation)


def output() -> Console:
    """Return standard output, for results. No colour off a terminal or with NO_COLOR set."""
    from arena.cli.shared.tables import SafeConsole

    return SafeConsole(highlight=False, soft_wrap=True)


def messages() -> Console:
    """Return standard error, for progress and messages."""
    from arena.cli.shared.tables import SafeConsole

    return SafeConsole(stderr=True, highlight=False)


def echo_json(entry: object, default: Callable[[Any], Any] | None = None) -> None:
    """Print a value as one line of JSON; `default` makes plain data of what JSON does not know."""
    click.echo(json.dumps(entry, default=default))


def arena_again(*words: object) -> str:
    """Return a command to type next.

    It begins with `arena`, or with the path of this program where no shell finds that name.
    """
    called = sys.argv[0]
    if Path(called).name != "arena" or shutil.which("arena") == called:
        called = "arena"
    return shlex.join([called, *map(str, words)])


def fail(
    message: Said | SaidError | str,
    problems: Iterable[Said | str] = (),
    *,
    below: Iterable[Said] = (),
    code: int = WRONG_USE,
) -> NoReturn:
    """End the command with a message on standard error, in the language of the terminal.

    Each problem is printed on a line of its own, indented; `below` holds what applies to all of
    them.
    """
    if isinstance(message, SaidError):
        message = message.said
    lines = [translate(Said("error", {"message": message}))]
    lines += [f"  {translate(problem)}" for problem in problems]
    lines += map(translate, below)
    text = "\n".join(lines)
    click.echo("\n".join(map(make_printable, text.split("\n"))), err=True)
    raise SystemExit(code)


def note(sentence: Said) -> None:
    """Print a sentence on standard error."""
    click.echo(make_printable(translate(sentence)), err=True)


def read_source(path: Path) -> RecordSource:
    """Return the records at a path, and print what the reader should know of them.

    Raises as `source_of`.
    """
    from arena.services.sources import source_of

    source = source_of(path)
    for sentence in source.notes:
        note(sentence)
    return source


def make_printable(text: str) -> str:
    """Return one line with codes in place of unprintable characters.

    Line feeds and tabs become codes too; `visible` (streams.py) leaves them.
    """
    shown = []
    for character in text:
        if not character.isprintable():
            character = character.encode("unicode_escape").decode()
        shown.append(character)
    return "".join(shown)

"""Shared by all commands: where results and progress go, and how wrong use ends."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click

from arena.cli.shared.language import told
from arena.words import Said, SaidError

if TYPE_CHECKING:
    from rich.console import Console

WRONG_USE = 2
CHECK_FAILED = 1
INTERRUPTED = 130
A_PATH: Final = click.Path(path_type=Path)
A_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
run_argument = click.argument("run", type=A_PATH)
"""The argument of commands that look at a run."""


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
    """Standard output, for results. No colour off a terminal or with NO_COLOR set."""
    from arena.cli.shared.tables import SafeConsole

    return SafeConsole(highlight=False, soft_wrap=True)


def messages() -> Console:
    """Standard error, for progress and messages."""
    from arena.cli.shared.tables import SafeConsole

    return SafeConsole(stderr=True, highlight=False)


def echo_json(plain: object, default: Callable[[Any], Any] | None = None) -> None:
    """Print a value as one line of JSON; `default` makes plain data of what JSON does not know."""
    click.echo(json.dumps(plain, default=default))


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


def note(said: Said) -> None:
    """Say something on standard error."""
    click.echo(told(said), err=True)


def printable(text: str) -> str:
    """A line with text from bots: line feeds and tabs are shown as codes, too, which `visible` (streams.py) leaves."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )

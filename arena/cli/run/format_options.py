"""The options of `arena run` that choose a format: its name, and one option for every field of a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from msgspec import inspect

from arena.cli.shared.output import fail
from arena.tournaments.errors import TournamentError
from arena.tournaments.formats.registry import (
    DEFAULT_FORMAT,
    FORMATS,
    OPTIONS,
    AnyFormat,
    foreign_options,
    format_named,
)

Command = TypeVar("Command", bound=Callable[..., Any])


def format_options(command: Command) -> Command:
    """Add `--format` and the options of all formats; the command gets them under the names of the fields."""
    for name in reversed(OPTIONS):
        command = _option(name)(command)
    return click.option(
        "--format",
        "format_name",
        metavar="NAME",
        default=DEFAULT_FORMAT.name,
        show_default=True,
        help=f"The format, which draws the matches (docs/formats.md): {', '.join(FORMATS)}.",
    )(command)


def chosen_format(name: str, options: Mapping[str, Any]) -> AnyFormat:
    """The format that the options describe; ends the command if its name is unknown or it lacks an option."""
    given = {option: value for option, value in options.items() if value not in (None, ())}
    try:
        kind = format_named(name)
    except TournamentError as error:
        fail(str(error))
    if problems := foreign_options(kind, given):
        fail("\n".join(problems))
    return kind(**given)


def _option(name: str) -> Callable[[Command], Command]:
    """An option for a field: a whole number, or one entry of a list under the name in the singular."""
    kind = inspect.type_info(OPTIONS[name].type)
    if isinstance(kind, inspect.UnionType):  # with None, where it may be left out
        kind = next(one for one in kind.types if not isinstance(one, inspect.NoneType))
    assert isinstance(kind, inspect.Metadata), f"{name} has no description"
    says = (kind.extra_json_schema or {})["description"]
    switch = f"--{name.replace('_', '-')}"
    match kind.type:
        case inspect.IntType(ge=least, le=most):
            return click.option(switch, type=click.IntRange(least, most), help=says)
        case inspect.VarTupleType():
            return click.option(switch.removesuffix("s"), name, multiple=True, metavar="NAME", help=says)
    raise AssertionError(f"no option for {name}: {kind.type}")

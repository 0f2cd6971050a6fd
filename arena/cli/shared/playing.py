"""Shared by commands that play: their options, and what they give."""

import shutil
from contextlib import AbstractContextManager

import click

from arena.cli.shared.language import told
from arena.cli.shared.output import messages, with_options
from arena.own_programs import with_own_programs
from arena.words import Said

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


anyway_option = click.option(
    "--anyway",
    "is_anyway",
    is_flag=True,
    help="Start even if a launched bot does not log in or does not answer a turn.",
)
"""The option of every command that tries out bots before it starts."""


def name_and_command(text: str) -> tuple[str | None, str]:
    """Split NAME=COMMAND; None for the name of a command, which begins with a path, or a program and a blank."""
    name, equals, line = (part.strip() for part in text.partition("="))
    first, blank, _ = name.partition(" ")
    is_program = "/" in first or (blank and shutil.which(with_own_programs([first])[0]))
    return (None, text) if not name or not equals or is_program else (name, line)


def given_options() -> set[str]:
    """Return the options that stand on the command line."""
    context = click.get_current_context()
    named = {parameter.name: parameter.opts[0] for parameter in context.command.params if parameter.opts[0][0] == "-"}
    source = click.core.ParameterSource.COMMANDLINE
    return {option for name, option in named.items() if name and context.get_parameter_source(name) is source}


def bots_are_tried() -> AbstractContextManager[object]:
    """Show that bots are being tried out."""
    return messages().status(told(Said("check.trying")))

"""Shared by commands that play: their options, and what they give."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import click

from arena.cli.shared.language import told
from arena.cli.shared.output import messages, with_options
from arena.own_programs import with_own_programs
from arena.services.one_bot import environment_line
from arena.words import Said

if TYPE_CHECKING:
    from arena.server.programs.program import Host

set_option = click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="SECTION.FIELD=VALUE",
    help="A field of the tournament file, such as clock.delay_ms=500; may be repeated.",
)
"""The option of commands that play by a tournament file, or would write one."""


crew_options = with_options(
    click.option(
        "--workers",
        type=click.IntRange(1, 1024),
        help="Play with so many processes (docs/scaling.md).",
    ),
    click.option(
        "--dask", metavar="ADDRESS", help="Play on a Dask cluster: where its scheduler is."
    ),
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
    named = {
        parameter.name: parameter.opts[0]
        for parameter in context.command.params
        if parameter.opts[0][0] == "-"
    }
    source = click.core.ParameterSource.COMMANDLINE
    return {
        option
        for name, option in named.items()
        if name and context.get_parameter_source(name) is source
    }


def bots_are_tried() -> AbstractContextManager[object]:
    """Show that bots are being tried out."""
    return messages().status(told(Said("check.trying")))


def awaited_bot(listen: str, name: str, token: str, *, invitation: str, shown: str) -> Host:
    """Listen for a bot that connects by itself, and say how to start it. Raises `ListenError`.

    `shown` stands for the token in the line that starts the bot. The port is free again when the
    command ends.
    """
    import trio

    from arena.server.io.listening import address_of, listening_address, open_listener
    from arena.server.programs.program import Guest

    listener = open_listener(listening_address(listen, has_certificate=False, is_insecure=False))
    click.echo(invitation, err=True)
    click.echo(environment_line(address_of(listener), name, shown), err=True)
    waiting = click.get_current_context().with_resource(trio.socket.from_stdlib_socket(listener))
    return lambda: nullcontext(Guest(name=name, token=token, listener=waiting))

"""Shared by commands that play: their options, and how to read them."""

from __future__ import annotations

import shutil
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import click

from arena.cli.shared.language import translate
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
        help="Number of processes that play (docs/scaling.md).",
    ),
    click.option(
        "--dask",
        metavar="ADDRESS",
        help="Play on a Dask cluster: where its scheduler is.",
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
    """Split NAME=COMMAND; the name is None if the text is only a command.

    A command begins with a path, or with a program and a blank.
    """
    name, equals, line = text.partition("=")
    name, line = name.strip(), line.strip()
    if not name or not equals:
        return None, text
    first, blank, _ = name.partition(" ")
    is_program = "/" in first
    if blank and not is_program:
        is_program = shutil.which(with_own_programs([first])[0]) is not None
    if is_program:
        return None, text
    return name, line


def given_options() -> set[str]:
    """Return the options on the command line by their first spelling, such as `--set`.

    Arguments are left out.
    """
    context = click.get_current_context()
    options = set()
    for parameter in context.command.params:
        option = parameter.opts[0]
        if not option.startswith("-") or not parameter.name:
            continue
        source = context.get_parameter_source(parameter.name)
        if source is click.core.ParameterSource.COMMANDLINE:
            options.add(option)
    return options


def bots_are_tried() -> AbstractContextManager[object]:
    """Show on the terminal that bots are being tried out."""
    return messages().status(translate(Said("check.trying")))


def awaited_bot(listen: str, name: str, token: str, *, invitation: str, shown_token: str) -> Host:
    """Listen for a bot that connects by itself, and print how to start it. Raises `ListenError`.

    `shown_token` stands for the token in the line that starts the bot. The port is free again when
    the command ends.
    """
    import trio

    from arena.server.io.listening import address_of, listening_address, open_listener
    from arena.server.programs.program import Guest

    listener = open_listener(listening_address(listen, has_certificate=False, is_insecure=False))
    click.echo(invitation, err=True)
    click.echo(environment_line(address_of(listener), name, shown_token), err=True)
    waiting = click.get_current_context().with_resource(trio.socket.from_stdlib_socket(listener))
    return lambda: nullcontext(Guest(name=name, token=token, listener=waiting))

"""`arena version`: which arena this is, and the Python it runs on."""

import platform
import sys

import click


@click.command()
def command() -> None:
    """Print the version of the arena, of the protocol its bots speak, and of its Python.

    The path is that of the Python in which the arena and the bot kit are installed.
    """
    from importlib.metadata import version

    from protocol.fields import PROTOCOL

    click.echo(f"arena {version('brade-arena')}")
    click.echo(f"protocol {PROTOCOL}")
    click.echo(f"Python {platform.python_version()}, {sys.executable}")

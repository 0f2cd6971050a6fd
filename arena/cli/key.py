"""`arena key`: keys to sign with."""

from pathlib import Path

import click

from arena.cli.shared.lazy import LazyGroup
from arena.cli.shared.output import A_FILE, A_PATH


@click.group(cls=LazyGroup)
def command() -> None:
    """Make keys to sign with: for an operator (`arena run --key`) or a bot (docs/receipts.md).

    \b
    Examples:
      arena key new ~/keys/operator.pem
      arena key show ~/keys/operator.pem
    """


@command.command()
@click.argument("file", type=A_PATH)
def new(file: Path) -> None:
    """Make an Ed25519 key in FILE, which only you can read, and print its public key.

    Publish the public key where others can find it before they need it. Keep FILE outside of run
    folders and of folders of bots: anyone who reads it can sign in your name.
    """
    from arena.server.setup.credentials import new_key

    click.echo(new_key(file))


@command.command()
@click.argument("file", type=A_FILE)
def show(file: Path) -> None:
    """Print the public key of the key in FILE."""
    from arena.server.setup.credentials import public_key_of

    click.echo(public_key_of(file))

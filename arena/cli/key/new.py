"""`arena key new`: make a key."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.shared.output import fail


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Make an Ed25519 key in FILE, which only you can read, and print its public key.

    Publish the public key where others can find it before they need it. Keep FILE outside of any run folder.
    """
    from arena.server.setup.signing import new_key
    from protocol.client.receipts import KeyFileError

    try:
        click.echo(new_key(file))
    except KeyFileError as error:
        fail(str(error))

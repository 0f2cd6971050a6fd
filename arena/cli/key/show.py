"""`arena key show`: the public key of a key."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.shared.output import fail


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def command(file: Path) -> None:
    """Print the public key of the key in FILE."""
    from arena.server.setup.signing import public_key_of
    from protocol.client.receipts import KeyFileError

    try:
        click.echo(public_key_of(file))
    except KeyFileError as error:
        fail(str(error))

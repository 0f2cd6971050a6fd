"""`arena key`: keys to sign with."""

from __future__ import annotations

from typing import Final

import click

from arena.cli.shared.lazy import LazyGroup

COMMANDS: Final = {"Commands": ("new", "show")}


@click.group(cls=LazyGroup, package="arena.cli.key", commands=COMMANDS)
def command() -> None:
    """Make keys to sign with: that of an operator (`arena run --key`), or of a bot (docs/receipts.md).

    \b
    Examples:
      arena key new operator.pem
      arena key show operator.pem
    """  # noqa: D301 - click's mark for a block that keeps its lines

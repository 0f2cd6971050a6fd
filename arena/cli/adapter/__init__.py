"""`arena adapter`: bots that stand in for programs which do not speak the protocol."""

from __future__ import annotations

from typing import Final

import click

from arena.cli.shared.lazy import LazyGroup

COMMANDS: Final = {"Commands": ("stdio", "gnubg")}


@click.group(cls=LazyGroup, package="arena.cli.adapter", commands=COMMANDS)
def command() -> None:
    """Play a program that does not speak the arena's protocol.

    An adapter is a bot: `arena run` can start it, or you give it the address, name and token of an arena that runs
    elsewhere. See docs/adapters.md. Examples:

    \b
      arena run --bot lines="arena adapter stdio -- sh sample_bots/shell/bot.sh" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena run --ruleset backgammon --bot gnubg="arena adapter gnubg" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
    """  # noqa: D301 - click's mark for a block that keeps its lines

"""`arena rules`: the rule book as a tool, for bot authors in any language."""

from __future__ import annotations

from typing import Final

import click

from arena.cli.shared.lazy import LazyGroup

COMMANDS: Final = {"Commands": ("turns", "judge", "show", "count", "list")}


@click.group(cls=LazyGroup, package="arena.cli.rules", commands=COMMANDS)
def command() -> None:
    """Ask the rules engine: legal turns, verdicts, boards, counts.

    `turns` and `judge` read JSON lines from a file or standard input and write one line for each, so that a program in
    any language can be checked against the engine. Examples:

    \b
      echo '{"ruleset": "vasa", "position": {"points": [15,0,0,0,0,0,0,0,0,0,0,0,-15,0,0,0,0,0,0,0,0,0,0,0],
             "bar": [0,0], "off": [0,0]}, "dice": [6,5]}' | tr -d '\\n' | arena rules turns
      arena rules count --ruleset vasa --depth 2
    """  # noqa: D301 - click's mark for a block that keeps its lines

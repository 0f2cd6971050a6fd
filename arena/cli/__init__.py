"""The command line: one command per file, loaded only when it is called."""

from __future__ import annotations

from typing import Final

import click

from arena.cli.shared.lazy import LazyGroup

COMMANDS: Final = (
    "new",
    "check",
    "run",
    "standings",
    "stats",
    "report",
    "log",
    "show",
    "replay",
    "verify",
    "query",
    "export",
    "rules",
    "compare",
    "torture",
    "key",
    "adapter",
)
"""Every command, in the order of `arena --help`; each is `command` in the module of its name."""


@click.group(
    cls=LazyGroup,
    package="arena.cli",
    commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="brade-arena", prog_name="arena")
def main() -> None:
    """A referee for Bräde (svenskt brädspel): bots play, the arena rolls, judges, ranks and records.

    \b
    Start with:
      arena run --bot anna="python a.py" --bot bo="python b.py" --out my-run
      arena standings my-run
      arena verify my-run
    """  # noqa: D301 - click's mark for a block that keeps its lines

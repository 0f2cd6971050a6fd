"""The command line: one command per file, loaded only when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Final

import click

COMMANDS: Final = ("run", "standings", "show", "verify")
"""Every command, in the order of `arena --help`; each is `command` in the module of its name."""


class _Commands(click.Group):
    """Imports a command's module when the command is needed, so that `arena --help` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"arena.cli.{cmd_name}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="brade-arena", prog_name="arena")
def main() -> None:
    """A referee for Bräde (svenskt brädspel): bots play, the arena rolls, judges, ranks and records.

    \b
    Start with:
      arena run --bot anna="python a.py" --bot bo="python b.py" --out my-run
      arena standings my-run
      arena verify my-run
    """  # noqa: D301 - click's mark for a block that keeps its lines

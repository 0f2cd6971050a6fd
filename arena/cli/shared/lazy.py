"""Groups of commands that are imported when they are called, so that `--help` answers at once."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group whose commands are each `command` in the module of their name (with `_` after a Python word)."""

    def __init__(self, *args: Any, package: str, commands: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._package = package
        self._names = tuple(commands)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """The whole program: what its commands print is made visible, and a full disk ends it with a sentence."""
        from arena.cli.shared.streams import guarded_streams

        with guarded_streams():
            return super().main(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every command, in the order of `--help`."""
        return list(self._names)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Ctrl-C ends it with status 130, and a file error of the system with a message.

        Anything unexpected keeps its traceback.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            from arena.cli.shared.output import INTERRUPTED

            raise SystemExit(INTERRUPTED) from None
        except (PermissionError, IsADirectoryError, NotADirectoryError) as error:
            if error.filename is None:
                raise
            from arena.cli.shared.output import CHECK_FAILED, fail

            fail(f"cannot use {error.filename}: {error.strerror}", code=CHECK_FAILED)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import one command."""
        if cmd_name not in self._names:
            return None
        command: click.Command = import_module(f"{self._package}.{cmd_name}").command
        return command

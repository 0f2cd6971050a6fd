"""Groups of commands that are imported when they are called, so that `--help` answers at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from arena.nearest import nearest

WHOLE_SENTENCE: Final = 1000
"""More characters than the first sentence of any command has: click shortens what is longer than it is told."""
UNIX_ALONE: Final = frozenset({"fcntl", "pwd", "resource"})
"""Modules of Python that there are on Unix alone."""


class LazyGroup(click.Group):
    """A group whose commands are each `command` in the module of their name.

    `--help` lists them under headings, each with the whole first sentence of its help.
    """

    def __init__(self, *args: Any, package: str, commands: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        """`commands` are the names of the commands below each heading."""
        super().__init__(*args, **kwargs)
        self._package = package
        self._headings = commands
        self._names = tuple(name for names in commands.values() for name in names)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """The whole program: what its commands print is made visible, and a full disk ends it with a sentence."""
        from arena.cli.shared.streams import guarded_streams

        with guarded_streams():
            return super().main(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Every command, in the order of `--help`."""
        return list(self._names)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Ctrl-C ends it with status 130, a file or a record that cannot be read with a message.

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
        except ModuleNotFoundError as error:
            if error.name not in UNIX_ALONE:
                raise
            from arena.cli.shared.output import fail

            name = " ".join([ctx.command_path, *filter(None, [ctx.invoked_subcommand])])
            fail(
                f"`{name}` needs a Unix system, and this one has no {error.name}; on Windows run it in WSL. A bot in "
                "Python plays on Windows, too: connect it by TLS to an arena elsewhere (docs/writing-a-bot.md)"
            )

        except Exception as error:
            from arena.cli.shared.output import CHECK_FAILED, fail
            from arena.records.lines import RecordError

            if not isinstance(error, RecordError):
                raise
            fail(f"the record cannot be read: {error}", code=CHECK_FAILED)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import one command."""
        if cmd_name not in self._names:
            return None
        command: click.Command = import_module(f"{self._package}.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was called; an unknown one is refused, naming the nearest or all."""
        name = args[0]
        if name not in self._names and not name.startswith("-") and not ctx.resilient_parsing:
            self.refuse(ctx, name)
        return super().resolve_command(ctx, args)

    def refuse(self, ctx: click.Context, name: str) -> NoReturn:
        """End the program: there is no such command."""
        meant = nearest(name, self._names) or f"; the commands are {', '.join(self._names)}"
        ctx.fail(f"there is no command {f'{ctx.command_path} {name}'!r}{meant}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every heading with its commands."""
        width = max(map(len, self._names))
        for heading, names in self._headings.items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            rows = [(f"{name:{width}}", each.get_short_help_str(WHOLE_SENTENCE)) for name, each in found if each]
            with formatter.section(heading):
                formatter.write_dl(rows)

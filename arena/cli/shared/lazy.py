"""Groups of commands that are imported when they are called, so that `--help` answers at once."""

import errno
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from arena.cli.shared.language import language
from arena.cli.shared.output import CHECK_FAILED, INTERRUPTED, WRONG_USE, fail, note
from arena.cli.shared.streams import guarded_streams
from arena.cli.shared.usage import refuse
from arena.nearest import nearest
from arena.words import DEFAULT, Said, SaidError
from arena.words.system_errors import system_reason

WHOLE_SENTENCE: Final = 1000
"""Limit in characters above the first sentence of every command, so that click shortens none."""
UNUSABLE: Final = frozenset(
    {errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
)
"""System errors of a path that the user must change, or open to the arena."""
QUOTED: Final = 20
"""Characters that are shown on either side of one that cannot be encoded."""
UNIX_ALONE: Final = frozenset({"fcntl", "pwd", "resource"})
"""Modules of Python that exist only on Unix."""
WINGS: Final = (
    "arena.adapters",
    "arena.conformance",
    "arena.lab",
    "arena.pages.by_hand",
    "arena.person",
)
"""Packages that an installation may leave out; a command imports the one it needs when called."""


class LazyGroup(click.Group):
    """A group that lists its commands in order, each with the whole first sentence of its help.

    The commands below `headings` are imported from `arena.cli` when they are called. A group
    without headings has the commands that were added to it.
    """

    def __init__(
        self,
        *args: Any,
        headings: Mapping[str, Sequence[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._headings = headings

    @property
    def _sections(self) -> Mapping[str, Sequence[str]]:
        if self._headings is None:
            return {"Commands": tuple(self.commands)}
        return self._headings

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program with guarded output (streams.py)."""
        with guarded_streams():
            return super().main(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return all commands in the order of `--help`."""
        names: list[str] = []
        for section in self._sections.values():
            names += section
        return names

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and turn its errors into messages and exit statuses.

        Ctrl-C ends it with status 130, an unusable file or address with a message.
        """
        # One case per kind of error, each a line: flat, so that the list is seen as a whole.
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # while the language of the command is known
        except KeyboardInterrupt:
            raise SystemExit(INTERRUPTED) from None
        except OSError as error:
            _end_by_path(error)
        except UnicodeEncodeError as error:
            _end_by_byte(error)
        except ModuleNotFoundError as error:
            _end_by_module(error, ctx)
        except click.UsageError as error:
            if language() == DEFAULT:
                raise
            refuse(error)
        except SaidError as error:
            _end(error)
        except BaseExceptionGroup as group:
            from arena.server.io.failures import causes

            for cause in causes(group):
                if isinstance(cause, click.ClickException):  # standard output cannot be written
                    raise cause from None
            raise

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if self._headings is None or cmd_name not in self.list_commands(ctx):
            return super().get_command(ctx, cmd_name)
        command: click.Command = import_module(f"arena.cli.{cmd_name}").command
        return command

    def resolve_command(
        self,
        ctx: click.Context,
        args: list[str],
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was called; refuse an unknown one, and name the nearest or all."""
        name = args[0]
        is_option = name.startswith("-")
        if not is_option and not ctx.resilient_parsing and name not in self.list_commands(ctx):
            self.refuse(ctx, name)
        return super().resolve_command(ctx, args)

    def refuse(self, ctx: click.Context, name: str) -> NoReturn:
        """End the program: there is no such command."""
        names = self.list_commands(ctx)
        meant = nearest(name, names) or f"; the commands are {', '.join(names)}"
        ctx.fail(f"there is no command {f'{ctx.command_path} {name}'!r}{meant}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every heading with its commands."""
        width = max(map(len, self.list_commands(ctx)))
        for heading, names in self._sections.items():
            rows = []
            for name in names:
                command = self.get_command(ctx, name)
                if command is not None:
                    rows.append((f"{name:{width}}", command.get_short_help_str(WHOLE_SENTENCE)))
            with formatter.section(heading):
                formatter.write_dl(rows)


def _end_by_path(error: OSError) -> NoReturn:
    if error.filename is None or error.errno not in UNUSABLE:
        raise error
    path = {"path": str(error.filename), "reason": system_reason(error)}
    fail(Said("unusable.path", path), code=CHECK_FAILED)


def _end_by_byte(error: UnicodeEncodeError) -> NoReturn:
    if not error.reason.startswith("surrogates"):
        raise error
    shown = error.object[max(0, error.start - QUOTED) : error.end + QUOTED]
    fail(Said("unusable.byte", {"text": repr(shown)}))


def _end_by_module(error: ModuleNotFoundError, ctx: click.Context) -> NoReturn:
    """End the command: a part of the arena is not installed, or this system lacks a module."""
    if str(error.name).partition(".")[0] == "protocol":
        fail(Said("unusable.no_protocol"), code=CHECK_FAILED)
    name = ctx.command_path
    if ctx.invoked_subcommand:
        name = f"{name} {ctx.invoked_subcommand}"
    for wing in WINGS:
        if f"{error.name}.".startswith(f"{wing}."):
            fail(Said("unusable.no_wing", {"command": name, "part": wing}), code=CHECK_FAILED)
    if error.name not in UNIX_ALONE:
        raise error
    fail(Said("unusable.system", {"command": name, "module": error.name}))


def _end(error: SaidError) -> NoReturn:
    """End the command with the sentence of an error, and the exit status of its kind."""
    from arena.records.lines import RecordError
    from arena.services.errors import FailedError, InterruptedWorkError, ServiceError

    if isinstance(error, RecordError):
        fail(Said("record.unreadable", {"reason": error.said}), code=CHECK_FAILED)
    if isinstance(error, InterruptedWorkError):
        note(error.said)
        raise SystemExit(INTERRUPTED)
    if not isinstance(error, ServiceError):
        fail(error)
    code = CHECK_FAILED if isinstance(error, FailedError) else WRONG_USE
    fail(error, error.problems, below=error.below, code=code)

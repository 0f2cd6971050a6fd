"""The streams that all commands print to: what bots and records say cannot steer a terminal, and a full disk is told.

Characters that the encoding of standard output lacks are replaced by question marks: a pipe on
Windows or an old locale may have no ± and no letters of a name. JSON is written in ASCII, so that
nothing of it is lost.

Every text for a terminal goes through `visible`: that of `click.echo` and `print` in
`GuardedStream`, that of rich in `SafeConsole` (tables.py), whose own colours and cursor movements
stay, and that of boards in colours in `echo_coloured`. Every row of CSV goes through `csv_cells`.
"""

import errno
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, BinaryIO, Final, TextIO, cast

import click

from arena.cli.shared.language import told
from arena.words import Said
from arena.words.system_errors import system_reason

_COLOUR: Final = re.compile(r"(\x1b\[[0-9;]*m)")

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for the beginning of a formula."""


def visible(text: str, keep: str = "\n\t") -> str:
    """Text with the code of every control, direction and format character, as JSON has it; `keep` stays."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in keep else _code(one) for one in text)


def echo_coloured(text: str) -> None:
    """Print a text with colours of our own; every other control sequence in it is made visible."""
    parts = _COLOUR.split(text)  # texts and colours take turns
    shown = "".join(part if number % 2 else visible(part) for number, part in enumerate(parts))
    click.echo(shown, file=innermost(sys.stdout))


def rewrite_prompt(text: str) -> None:
    """Write over a prompt of the same length in the last line; what was typed after it stays."""
    click.echo(f"\x1b7\r{visible(text)}\x1b8", file=innermost(sys.stdout), nl=False)


def clear_screen() -> None:
    """Clear the terminal."""
    click.echo("\x1b[2J\x1b[1;1H", file=innermost(sys.stdout), nl=False)


def innermost(stream: TextIO) -> TextIO:
    """The stream below every guard, and below what a live display of rich puts over it."""
    while (below := getattr(stream, "rich_proxied_file", None)) is not None:
        stream = below
    return stream


def ascii_json(text: str) -> str:
    """Return JSON with the code of every character that is not ASCII, for any encoding."""
    return "".join(one if one.isascii() else _code(one) for one in text)


def binary_output() -> BinaryIO:
    """Return standard output for bytes, below every guard."""
    guarded: Any = innermost(sys.stdout)
    stream: TextIO = getattr(guarded, "below", guarded)
    return stream.buffer


def _code(one: str) -> str:
    units = one.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def csv_cells(cells: Iterable[Any]) -> list[Any]:
    """A row for a CSV file: texts without control characters, and none that a spreadsheet takes for a formula."""
    return [
        ("'" if cell.startswith(FORMULA) else "") + visible(cell, keep="")
        if isinstance(cell, str)
        else cell
        for cell in cells
    ]


class OutputError(click.ClickException):
    """Standard output takes no more."""

    exit_code = 1

    def __init__(self, error: OSError) -> None:
        reason = Said("standard_output.failed", {"reason": system_reason(error)})
        self._line = told(Said("error", {"message": reason}))
        """What is shown, in the language of the command, which has ended by then."""
        super().__init__(told(reason))

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it."""
        click.echo(self._line, file=file, err=True)


class GuardedStream:
    """A text stream that shows every character, and tells in a sentence when the system takes no more."""

    def __init__(self, stream: TextIO, *, is_result: bool, is_visible: bool = True) -> None:
        """`is_result`: whether the command has failed if it cannot be written."""
        self.below = stream
        self._is_result = is_result
        self._is_visible = is_visible
        self._is_terminal = stream.isatty()
        if is_visible:  # rich writes to this one
            self.rich_proxied_file = GuardedStream(stream, is_result=is_result, is_visible=False)

    @property
    def buffer(self) -> "GuardedBytes":
        """The stream for bytes, which is guarded in the same way: click takes it if the encoding is ASCII."""
        return GuardedBytes(self)

    def write(self, text: str) -> int:
        """Write a text. Raises `OutputError`."""
        shown = visible(text) if self._is_visible else text
        if not shown:  # click tries whether it can be written to
            return 0
        try:
            return self.below.write(shown)
        except OSError as error:
            self._failed(error)
            return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts. Raises `OutputError`."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Hand everything to the system. Raises `OutputError`."""
        try:
            self.below.flush()
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        """The reader is gone, or the disk is full: write nothing more."""
        with suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(
                nowhere, self.below.fileno()
            )  # else Python tries again when it ends, and complains
            os.close(nowhere)
        if error.errno == errno.EPIPE:
            raise error  # which click knows
        is_gone = (
            self._is_terminal and error.errno == errno.EIO
        )  # the terminal was closed, and SIGHUP ends the command
        if self._is_result and not is_gone:
            raise OutputError(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


class GuardedBytes:
    """A stream of bytes, which are texts in UTF-8, over a guarded stream."""

    def __init__(self, stream: GuardedStream) -> None:
        self._texts = stream

    def write(self, data: bytes) -> int:
        """Write bytes. Raises `OutputError`."""
        self._texts.write(bytes(data).decode())
        return len(data)

    def flush(self) -> None:
        """Hand everything to the system. Raises `OutputError`."""
        self._texts.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._texts.below, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard standard output and standard error; at the end, all has been handed to the system."""
    before = sys.stdout, sys.stderr
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # as standard error does by itself
    sys.stdout = cast("TextIO", GuardedStream(sys.stdout, is_result=True))
    sys.stderr = cast("TextIO", GuardedStream(sys.stderr, is_result=False))
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OutputError as error:
        error.show()
        raise SystemExit(error.exit_code) from None
    except BrokenPipeError:
        raise SystemExit(1) from None
    finally:
        sys.stdout, sys.stderr = before

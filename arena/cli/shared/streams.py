"""Output streams of all commands: texts of bots and records cannot control the terminal.

A full disk is reported in a sentence. Question marks replace characters that the encoding of
standard output lacks: a pipe on Windows or an old locale may have no ± and no letters of a name.
JSON is written in ASCII, so that it loses nothing.

Every text for a terminal goes through `visible`: that of `click.echo` and `print` in
`GuardedStream`, that of rich in `SafeConsole` (tables.py), whose own colours and cursor movements
stay, and that of boards in colours in `echo_coloured`. Every row of CSV goes through `csv_cells`.
"""

import errno
import io
import os
import re
import struct
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, BinaryIO, Final, TextIO, cast

import click

from arena.cli.shared.language import translate
from arena.words import Said
from arena.words.system_errors import system_reason

_COLOUR: Final = re.compile(r"(\x1b\[[0-9;]*m)")

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that a spreadsheet takes for a formula."""


def visible(text: str, keep: str = "\n\t") -> str:
    """Return text with codes, as in JSON, for control, direction and format characters.

    The characters of `keep` stay.
    """
    if text.isprintable():
        return text
    shown = []
    for character in text:
        if not character.isprintable() and character not in keep:
            character = _code(character)
        shown.append(character)
    return "".join(shown)


def echo_coloured(text: str) -> None:
    """Print a text with the arena's own colours; make every other control sequence visible."""
    shown = []
    for part in _COLOUR.split(text):
        if not _COLOUR.fullmatch(part):
            part = visible(part)
        shown.append(part)
    click.echo("".join(shown), file=innermost(sys.stdout))


def rewrite_prompt(text: str) -> None:
    """Write over a prompt of the same length in the last line; keep what was typed after it."""
    click.echo(f"\x1b7\r{visible(text)}\x1b8", file=innermost(sys.stdout), nl=False)


def clear_screen() -> None:
    """Clear the terminal."""
    click.echo("\x1b[2J\x1b[1;1H", file=innermost(sys.stdout), nl=False)


def innermost(stream: TextIO) -> TextIO:
    """Return the stream below all guards, and below a live display of rich."""
    while (below := getattr(stream, "rich_proxied_file", None)) is not None:
        stream = below
    return stream


def ascii_json(text: str) -> str:
    """Return JSON with codes for characters that are not ASCII, for any encoding."""
    return "".join(character if character.isascii() else _code(character) for character in text)


def binary_output() -> BinaryIO:
    """Return standard output for bytes, below all guards."""
    guarded: Any = innermost(sys.stdout)
    stream: TextIO = getattr(guarded, "below", guarded)
    return stream.buffer


def _code(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{unit:04x}" for (unit,) in struct.iter_unpack(">H", units))


def csv_cells(cells: Iterable[Any]) -> list[Any]:
    """Return a row for a CSV file.

    Its texts have no control characters, and none looks like a formula to a spreadsheet.
    """
    safe = []
    for cell in cells:
        if isinstance(cell, str):
            is_formula = cell.startswith(FORMULA)
            cell = visible(cell, keep="")
            if is_formula:
                cell = f"'{cell}"
        safe.append(cell)
    return safe


class OutputError(click.ClickException):
    """Standard output can no longer be written."""

    exit_code = 1

    def __init__(self, error: OSError) -> None:
        reason = Said("standard_output.failed", {"reason": system_reason(error)})
        self._line = translate(Said("error", {"message": reason}))
        """Line to show, in the language of the command, which ends before `show` is called."""
        super().__init__(translate(reason))

    def show(self, file: IO[Any] | None = None) -> None:
        """Print it."""
        click.echo(self._line, file=file, err=True)


class GuardedStream:
    """A text stream that makes every character visible, and explains a failed write."""

    def __init__(self, stream: TextIO, *, is_result: bool, is_visible: bool = True) -> None:
        """`is_result`: a failed write makes the command fail."""
        self.below = stream
        self._is_result = is_result
        self._is_visible = is_visible
        self._is_terminal = stream.isatty()
        if is_visible:  # rich writes to this one
            self.rich_proxied_file = GuardedStream(stream, is_result=is_result, is_visible=False)

    @property
    def buffer(self) -> "GuardedBytes":
        """The stream for bytes with the same guard; click uses it if the encoding is ASCII."""
        return GuardedBytes(self)

    def write(self, text: str) -> int:
        """Write a text. Raises `OutputError`."""
        shown = text
        if self._is_visible:
            shown = visible(text)
        if not shown:  # click tests with an empty text whether the stream can be written
            return 0
        try:
            return self.below.write(shown)
        except OSError as error:
            self._give_up(error)
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
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        """Write nothing more: the reader is gone, or the disk is full."""
        with suppress(OSError):
            # else Python flushes the stream again at its end, and complains
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.below.fileno())
            os.close(nowhere)
        if error.errno == errno.EPIPE:
            raise error  # click handles it
        # EIO: the terminal was closed, and SIGHUP ends the command
        is_gone = self._is_terminal and error.errno == errno.EIO
        if self._is_result and not is_gone:
            raise OutputError(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


class GuardedBytes:
    """A stream for bytes in UTF-8 above a guarded stream of text."""

    def __init__(self, stream: GuardedStream) -> None:
        self._texts = stream

    def write(self, encoded: bytes) -> int:
        """Write bytes. Raises `OutputError`."""
        self._texts.write(bytes(encoded).decode())
        return len(encoded)

    def flush(self) -> None:
        """Hand everything to the system. Raises `OutputError`."""
        self._texts.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._texts.below, name)


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard standard output and standard error; at the end, flush them."""
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

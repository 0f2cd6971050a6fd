"""A file that grows while it is followed: only what is new in it is read."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.server.io.disk import LONGEST_LINE_BYTES, LongLineError, open_inside

MOST_BYTES: Final = 1 << 20
"""The most that is read in one go, so that the others do not wait for one long file."""


class GrowingFile:
    """The whole lines of a file in a run, each read once.

    A file that was cut short or replaced is read from its start again.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._stamp: tuple[int, int, int, int] | None = None
        """The state of the file when it was read last: its size, the times of the last changes to
        its content and to its entry, and its inode."""
        self._partial = b""
        """The beginning of a line that is not whole yet."""
        self.last = b""
        """The last whole line, with its line feed: if it is not there, the file was changed."""
        self._is_changed = False
        """True if it has to be read from the start, and `read` did not return this yet."""
        self.size = 0
        self.has_more = False
        """True if there is more to read at once."""
        self.trouble = ""
        """The reason if it cannot be read. It is tried again when it has changed."""

    def read(self) -> tuple[list[bytes], bool]:
        """Return the lines that are new, and whether the file is read from the start again.

        Lines have no line feeds. If the file is read from the start, these are its first lines. A
        file that is not there or cannot be read has no lines.
        """
        lines: list[bytes] = []
        try:
            lines = self._new_lines()
        except OSError as error:
            self.trouble = f"{self._name} cannot be read: {error.strerror}"
        is_again = self._is_changed
        self._is_changed = False
        return lines, is_again

    def read_all(self) -> Iterator[tuple[list[bytes], bool]]:
        """Yield what `read` returns, piece by piece until the file has no more."""
        yield self.read()
        while self.has_more:
            yield self.read()

    def _new_lines(self) -> list[bytes]:
        """Return the whole lines that have come since the last look. Raises `LongLineError`."""
        try:
            status = (self._folder / self._name).lstat()
        except FileNotFoundError:
            self.trouble = ""
            self._stamp = None
            self._forget()
            return []
        stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
        if stamp == self._stamp and not self.has_more:
            return []
        may_go_on = self._may_go_on(status)
        self._stamp = stamp
        self.has_more = False
        new = self._new_bytes(may_go_on=may_go_on)
        *whole, partial = (self._partial + new).split(b"\n")
        longest = max(map(len, (partial, *whole)))
        if longest > LONGEST_LINE_BYTES:
            self._forget()
            raise LongLineError(self._name)
        self.trouble = ""
        self.size += len(new)
        self.has_more = bool(new) and self.size < status.st_size
        self._partial = partial
        if whole:
            self.last = whole[-1] + b"\n"
        return whole

    def _may_go_on(self, status: os.stat_result) -> bool:
        """Return whether the file may be the one that was read, with more at its end."""
        if self.has_more or self._stamp is None:
            return True
        *_, inode = self._stamp
        return status.st_size > self.size and status.st_ino == inode

    def _new_bytes(self, *, may_go_on: bool) -> bytes:
        """Read on, from the start if the file is not the one that was read."""
        file = open_inside(self._folder, self._name)
        try:
            tail = self.last + self._partial
            if not may_go_on or os.pread(file, len(tail), self.size - len(tail)) != tail:
                self._forget()
            return os.pread(file, MOST_BYTES, self.size)
        finally:
            os.close(file)

    def _forget(self) -> None:
        """Begin at the start of the file with the next bytes."""
        if self.size > 0:
            self._is_changed = True
        self._partial = self.last = b""
        self.size = 0
        self.has_more = False

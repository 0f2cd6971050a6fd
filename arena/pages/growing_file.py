"""A file that grows while it is followed: only what is new in it is read."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.server.io.disk import LONGEST_LINE_BYTES, LongLineError, open_inside

MOST_BYTES: Final = 1 << 20
"""Read at once; the rest is read the next time, so that one long file does not keep the others
waiting."""


class GrowingFile:
    """The whole lines of a file in a run, each read once; one that was cut short or replaced is read from its start."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._stamp: tuple[int, int, int, int] | None = None
        """Size, times of the last changes, to it and of its mode, and inode when it was read last."""
        self._rest = b""
        """The beginning of a line that is not whole yet."""
        self.last = b""
        """The last whole line, with its line feed: if it is no longer there, the file was changed."""
        self._is_changed = False
        """True if it has to be read from the start, and nobody was told."""
        self.size = 0
        self.has_more = False
        """True if there is more to read at once."""
        self.trouble = ""
        """The reason if it cannot be read. It is tried again when it has changed."""

    def read(self) -> tuple[list[bytes], bool]:
        """The lines that are new, without their line feeds, and whether the file has to be read from the start again.

        If it has to, these are its first lines. A file that is not there has no lines, nor has one
        that cannot be read.
        """
        lines: list[bytes] = []
        try:
            lines = self._new_lines()
        except OSError as error:
            self.trouble = f"{self._name} cannot be read: {error.strerror}"
        again, self._is_changed = self._is_changed, False
        return lines, again

    def _new_lines(self) -> list[bytes]:
        try:
            found = (self._folder / self._name).lstat()
        except FileNotFoundError:
            self.trouble, self._stamp = "", None
            self._forget()
            return []
        stamp = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        if stamp == self._stamp and not self.has_more:
            return []
        goes_on = self.has_more or self._stamp is None
        goes_on = goes_on or (
            found.st_size > self.size and found.st_ino == (self._stamp or stamp)[-1]
        )
        self._stamp, self.has_more = stamp, False
        file = open_inside(self._folder, self._name)
        try:
            tail = self.last + self._rest  # the last line that was read, with what came after it
            if not goes_on or os.pread(file, len(tail), self.size - len(tail)) != tail:
                self._forget()
            data = os.pread(file, MOST_BYTES, self.size)
        finally:
            os.close(file)
        *whole, rest = (self._rest + data).split(b"\n")
        if max(map(len, (rest, *whole))) > LONGEST_LINE_BYTES:
            self._forget()
            raise LongLineError(self._name)
        self.trouble = ""
        self.size += len(data)
        self.has_more = self.size < found.st_size and bool(data)
        self._rest = rest
        if whole:
            self.last = whole[-1] + b"\n"
        return whole

    def read_all(self) -> Iterator[tuple[list[bytes], bool]]:
        """Give what `read` returns, piece by piece until the file has no more."""
        yield self.read()
        while self.has_more:
            yield self.read()

    def _forget(self) -> None:
        self._is_changed = self._is_changed or self.size > 0
        self._rest, self.last, self.size, self.has_more = b"", b"", 0, False

"""A file of lines that grows: only what is new is read, and one notices when it was cut short or replaced."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOST_BYTES: Final = 1 << 20
"""Read at once; the rest is read the next time, so that one long file does not keep the others waiting."""


class GrowingFile:
    """The whole lines of a file, each read once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        """Size, time of the last change and inode when it was read last."""
        self._rest = b""
        """The beginning of a line that is not whole yet."""
        self._last = b""
        """The last whole line, with its line feed: if it is no longer there, the file was changed."""
        self.size = 0
        """How many bytes were read."""
        self.has_more = False
        """Whether there is more to read at once."""

    def read(self) -> tuple[list[bytes], bool]:
        """The lines that are new, without their line feeds, and whether the file has to be read from the start again.

        If it has to, these are its first lines. A file that is not there has no lines. Raises `OSError` if it cannot
        be read.
        """
        try:
            found = self._path.stat()
        except FileNotFoundError:
            is_new = self.size > 0
            self._forget()
            return [], is_new
        stamp = (found.st_size, found.st_mtime_ns, found.st_ino)
        if stamp == self._stamp and not self.has_more:
            return [], False
        grows = self._stamp is None or (found.st_size > self.size and found.st_ino == self._stamp[2])
        again = False
        with self._path.open("rb", buffering=0) as file:
            if not (grows or self.has_more) or not self._is_as_before(file.fileno()):
                again = self.size > 0
                self._forget()
            data = os.pread(file.fileno(), MOST_BYTES, self.size)
        self._stamp = stamp
        self.size += len(data)
        self.has_more = self.size < found.st_size and bool(data)
        *whole, rest = (self._rest + data).split(b"\n")
        self._rest = rest
        if whole:
            self._last = whole[-1] + b"\n"
        return whole, again

    def read_all(self) -> Iterator[tuple[list[bytes], bool]]:
        """What `read` gives, piece by piece until the file has no more. Raises `OSError`."""
        yield self.read()
        while self.has_more:
            yield self.read()

    def _is_as_before(self, file: int) -> bool:
        """Whether the last line that was read is still there, with what came after it."""
        tail = self._last + self._rest
        return os.pread(file, len(tail), self.size - len(tail)) == tail

    def _forget(self) -> None:
        self._stamp, self._rest, self._last, self.size, self.has_more = None, b"", b"", 0, False

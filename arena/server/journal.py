"""Writing a record: facts go through structlog to an append-only file, one JSON object a line."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
import structlog
import trio

from arena.records.lines import closing_line, encode_line


class _File:
    """The file as structlog writes to it: at once, every byte, and nothing after a write that was cut short."""

    def __init__(self, path: Path) -> None:
        self.number = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._path = path
        self._is_broken = False

    def write(self, data: bytes) -> None:
        """Append to the file. Raises `OSError`."""
        if self._is_broken:
            raise OSError(errno.EIO, "an earlier write was cut short", str(self._path))
        try:
            write_all(self.number, data)
        except OSError:
            self._is_broken = True
            raise

    def flush(self) -> None:
        """Nothing: it has been written."""


class Journal:
    """One record file, open for appending.

    A fact is written in three steps: `write` keeps it, `commit` gives the batch to the operating system, and
    `sync` or `wait_synced` has it put on the disk. Raises `OSError` when the disk does not take it; then nothing may
    go on, and nothing more is written: what follows a line that was cut short would be no record.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _File(path)
        self._lines: list[bytes] = []
        self._log = structlog.BytesLogger(cast("BinaryIO", self._file)).msg
        """Asked once a commit, not once a line: what structlog does for a line costs more than encoding it."""

    @property
    def is_dirty(self) -> bool:
        """Whether facts wait to be committed."""
        return bool(self._lines)

    def write(self, fact: msgspec.Struct) -> None:
        """Keep a fact for the next commit."""
        self._lines.append(encode_line(fact))

    def commit(self) -> None:
        """Give everything kept to the operating system: safe should the arena be killed."""
        if self._lines:
            lines, self._lines = self._lines, []
            self._log(lines[0] if len(lines) == 1 else b"\n".join(lines))

    def sync(self) -> None:
        """Have everything on the disk: safe should the machine stop."""
        self.commit()
        os.fsync(self._file.number)

    async def wait_synced(self) -> None:
        """Have everything on the disk, in a thread: other games go on while this one waits for the disk."""
        self.commit()
        await trio.to_thread.run_sync(os.fsync, self._file.number)

    def seal(self) -> bytes:
        """Commit and add the closing line; gives the bytes of the whole file."""
        self.commit()
        before = self.path.read_bytes()
        line = closing_line(before)
        self._log(line)
        return before + line + b"\n"

    def close(self) -> None:
        """Commit and let go of the file."""
        try:
            self.commit()
        finally:
            os.close(self._file.number)


def write_all(file: int, data: bytes) -> None:
    """Write every byte, however the system parts them. Raises `OSError`."""
    while data:
        data = data[os.write(file, data) :]

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


class _Batch:
    """Takes the lines structlog writes and keeps them until they are committed together."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.write = self.lines.append

    def flush(self) -> None:
        """Nothing: structlog would flush every line, a journal does so once per batch."""


class _FactLogger(structlog.BoundLoggerBase):
    """A structlog logger whose one method takes a fact; its fields are the event, so there is nothing to process."""

    def fact(self, fact: msgspec.Struct) -> None:
        """Log one fact as one line."""
        self._logger.msg(encode_line(fact))


class Journal:
    """One record file, open for appending.

    A fact is written in three steps: `write` keeps it, `commit` gives the batch to the operating system, and
    `sync` or `wait_synced` has it put on the disk. Raises `OSError` when the disk does not take it; then nothing may
    go on, and nothing more is written: what follows a line that was cut short would be no record.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._is_broken = False
        self._batch = _Batch()
        logger = structlog.wrap_logger(
            structlog.BytesLogger(cast("BinaryIO", self._batch)), processors=[], wrapper_class=_FactLogger
        )
        self._log = logger.bind().fact

    @property
    def is_dirty(self) -> bool:
        """Whether facts wait to be committed."""
        return bool(self._batch.lines)

    def write(self, fact: msgspec.Struct) -> None:
        """Keep a fact for the next commit."""
        self._log(fact)

    def commit(self) -> None:
        """Give everything kept to the operating system: safe should the arena be killed."""
        lines = self._batch.lines
        if not lines:
            return
        data = lines[0] if len(lines) == 1 else b"".join(lines)
        lines.clear()
        self._append(data)

    def _append(self, data: bytes) -> None:
        if self._is_broken:
            raise OSError(errno.EIO, "an earlier write was cut short", str(self.path))
        try:
            write_all(self._file, data)
        except OSError:
            self._is_broken = True
            raise

    def sync(self) -> None:
        """Have everything on the disk: safe should the machine stop."""
        self.commit()
        os.fsync(self._file)

    async def wait_synced(self) -> None:
        """Have everything on the disk, in a thread: other games go on while this one waits for the disk."""
        self.commit()
        await trio.to_thread.run_sync(os.fsync, self._file)

    def seal(self) -> bytes:
        """Commit and add the closing line; gives the bytes of the whole file."""
        self.commit()
        before = self.path.read_bytes()
        line = closing_line(before) + b"\n"
        self._append(line)
        return before + line

    def close(self) -> None:
        """Commit and let go of the file."""
        try:
            self.commit()
        finally:
            os.close(self._file)


def write_all(file: int, data: bytes) -> None:
    """Write every byte, however the system parts them. Raises `OSError`."""
    while data:
        data = data[os.write(file, data) :]

"""Writing a record: facts go through structlog to an append-only file, one JSON object a line."""

import errno
import hashlib
import os
from collections import OrderedDict
from pathlib import Path
from typing import BinaryIO, Final, cast

import msgspec
import structlog
import trio

from arena.records.lines import closing_line, encode_line, whole_lines
from arena.server.io.disk import DiskError, kept_on_disk, write_all
from arena.words import Said
from arena.words.system_errors import system_reason

READ_BYTES: Final = 1 << 16


def mend_record(path: Path) -> bytes:
    """Return the whole lines of a record file, and remove a last line that was cut short.

    Returns nothing if there is no file.
    """
    if not path.exists():
        return b""
    record = path.read_bytes()
    whole = whole_lines(record)
    if len(whole) < len(record):
        os.truncate(path, len(whole))
    return whole


class _File:
    """The file that structlog writes to, without a buffer.

    After a write that was cut short it takes no more.
    """

    __slots__ = ("__weakref__", "_is_broken", "_path", "number")  # weakly referred to by structlog

    def __init__(self, path: Path) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
        self.number = os.open(path, flags, 0o640)
        self._path = path
        self._is_broken = False

    def write(self, lines: bytes) -> None:
        """Append to the file. Raises `DiskError`."""
        if self._is_broken:
            raise DiskError(errno.EIO, Said("file.cut_short"), str(self._path))
        try:
            written = os.write(self.number, lines)
            if written < len(lines):
                write_all(self.number, lines[written:])
        except OSError as error:
            self._is_broken = True
            reason = system_reason(error)
            raise DiskError(error.errno, reason, str(self._path)) from error

    def flush(self) -> None:
        """Do nothing: `write` has no buffer."""


class Journal:
    """One record file, open for appending.

    A fact is written in three steps: `write` keeps it, `commit` gives the batch to the operating
    system, and `sync` or `wait_synced` puts it on the disk. Raises `DiskError` when the disk does
    not take it. Then the run must stop, and nothing more is written: lines after one that was cut
    short would not be a record.
    """

    __slots__ = (
        "_counted",
        "_file",
        "_hash",
        "_hashed",
        "_lines",
        "_log",
        "_synced",
        "_syncing",
        "path",
    )

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _File(path)
        self._syncing: trio.Event | None = None
        """Set when the sync under way is over; a lock for each match would only cost memory."""
        self._synced = 0
        """Number of bytes of the file that are on the disk."""
        self._lines: list[bytes] = []
        self._hash = hashlib.sha256()
        self._hashed = self._counted = 0
        """Number of bytes and lines of the file that the hash has taken."""
        file = cast("BinaryIO", self._file)
        self._log = structlog.BytesLogger(file).msg
        """Called once per commit, not per line: what structlog does for a line costs more than
        encoding it."""

    def write(self, fact: msgspec.Struct) -> bool:
        """Keep a fact for the next commit; returns whether it is the first for that commit."""
        self._lines.append(encode_line(fact))
        return len(self._lines) == 1

    def commit(self) -> None:
        """Give everything kept to the operating system: it survives if the arena is killed."""
        if self._lines:
            lines, self._lines = self._lines, []
            self._log(b"\n".join(lines))

    def mark(self) -> tuple[int, bytes]:
        """Return the number of lines with all that was written, and their SHA-256; commits.

        Takes what the file has got since the last time: once a game, from the memory of the system,
        this costs less than hashing every line as it comes.
        """
        self.commit()
        is_at_end = False
        while not is_at_end:
            with kept_on_disk(self.path):
                piece = os.pread(self._file.number, READ_BYTES, self._hashed)
            self._hash.update(piece)
            self._hashed += len(piece)
            self._counted += piece.count(b"\n")
            is_at_end = len(piece) < READ_BYTES
        return self._counted, self._hash.digest()

    def sync(self) -> None:
        """Put everything on the disk: it survives if the machine stops."""
        self.commit()
        with kept_on_disk(self.path):
            os.fsync(self._file.number)

    async def wait_synced(self) -> None:
        """Put everything on the disk from a thread, so that other games go on while this one waits.

        One sync serves all tasks that wait when it begins. The last task to ask may close the file:
        a sync that serves it serves all before it, so no task needs the file any more.
        """
        self.commit()
        wanted = os.fstat(self._file.number).st_size
        while self._synced < wanted:
            if self._syncing is not None:
                await self._syncing.wait()
                continue
            self._syncing = over = trio.Event()
            written = os.fstat(self._file.number).st_size
            try:
                with kept_on_disk(self.path):
                    await trio.to_thread.run_sync(os.fsync, self._file.number)
                self._synced = written
            finally:
                self._syncing = None
                over.set()

    def seal(self) -> bytes:
        """Commit and add the closing line; returns the bytes of the whole file."""
        self.commit()
        with kept_on_disk(self.path):
            lines = self.path.read_bytes()
        line = closing_line(lines)
        self._log(line)
        return lines + line + b"\n"

    def close(self) -> None:
        """Commit and close the file."""
        try:
            self.commit()
        finally:
            os.close(self._file.number)


class BackgroundSync:
    """Puts journals on the disk, one after the other, while more is written to them.

    One task serves all journals. A journal takes one place in the queue and is synced once, however
    often it was added.
    """

    def __init__(self) -> None:
        self._queue: OrderedDict[Journal, None] = OrderedDict()
        self._is_wanted = trio.Event()

    def add(self, journal: Journal) -> None:
        """Queue a journal, to have everything written to it so far put on the disk."""
        self._queue[journal] = None
        self._is_wanted.set()

    def leave(self, journal: Journal) -> None:
        """Take a journal out of the queue, because a task is about to wait for its sync."""
        self._queue.pop(journal, None)

    async def run(self) -> None:
        """Sync queued journals for ever. Raises `DiskError`."""
        while True:
            await self._is_wanted.wait()
            self._is_wanted = trio.Event()
            while self._queue:
                journal, _ = self._queue.popitem(last=False)
                await journal.wait_synced()

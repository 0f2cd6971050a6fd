"""A match record that is followed for its viewers, and the files that grow: only what is new in them is read."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.pages.live.following import MatchFollower
from arena.pages.serving.event_stream import Channel, event
from arena.pages.serving.faults import FAILED, tell_fault
from arena.records.files import match_record
from arena.server.io.disk import LONGEST_LINE_BYTES, LongLineError, open_inside

AGAIN_SECONDS: Final = 5.0
"""After a fault of ours, what it came up in is read again from the start; the records may be all right."""
MOST_BYTES: Final = 1 << 20
"""Read at once; the rest is read the next time, so that one long file does not keep the others waiting."""


class GrowingFile:
    """The whole lines of a file in a run, each read once; one that was cut short or replaced is read from its start."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._stamp: tuple[int, int, int, int] | None = None
        """Size, times of the last changes, to it and of its mode, and inode when it was read last."""
        self._rest = b""
        """The beginning of a line that is not whole yet."""
        self._last = b""
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

        If it has to, these are its first lines. A file that is not there has no lines, nor has one that cannot be read.
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
            self.trouble = ""
            self._forget()
            return []
        stamp = (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
        if stamp == self._stamp and not self.has_more:
            return []
        goes_on = self.has_more or self._stamp is None
        goes_on = goes_on or (found.st_size > self.size and found.st_ino == (self._stamp or stamp)[-1])
        self._stamp, self.has_more = stamp, False
        file = open_inside(self._folder, self._name)
        try:
            tail = self._last + self._rest  # the last line that was read, with what came after it
            if not goes_on or os.pread(file, len(tail), self.size - len(tail)) != tail:
                self._forget()
                self._stamp = stamp
            data = os.pread(file, MOST_BYTES, self.size)
        finally:
            os.close(file)
        *whole, rest = (self._rest + data).split(b"\n")
        if max(map(len, (rest, *whole))) > LONGEST_LINE_BYTES:
            self._forget()
            self._stamp = stamp
            raise LongLineError(self._name)
        self.trouble = ""
        self.size += len(data)
        self.has_more = self.size < found.st_size and bool(data)
        self._rest = rest
        if whole:
            self._last = whole[-1] + b"\n"
        return whole

    def read_all(self) -> Iterator[tuple[list[bytes], bool]]:
        """Give what `read` returns, piece by piece until the file has no more."""
        yield self.read()
        while self.has_more:
            yield self.read()

    def _forget(self) -> None:
        self._is_changed = self._is_changed or self.size > 0
        self._stamp, self._rest, self._last, self.size, self.has_more = None, b"", b"", 0, False


class WatchedMatch:
    """A match that somebody wants to know of."""

    def __init__(self, folder: Path, fixture: str, *, is_page: bool) -> None:
        """With `is_page` every change is kept for viewers that come back."""
        self._folder, self._name = folder, match_record(fixture)
        self.is_page = is_page
        self.channel = Channel(self._snapshot)
        self.follower = MatchFollower(self._name)
        self._file = GrowingFile(folder, self._name)
        self._known: tuple[str, bytes] = ("", b"")
        """The snapshot for new viewers, with the state of the follower that it shows."""
        self.wanted_at = 0.0
        self._woken_at = 0.0
        self._is_waiting = False
        """True if changes were published of which viewers were not told yet."""
        self._failed_at: float | None = None

    def _snapshot(self) -> bytes:
        follower = self.follower
        if follower.book is None:
            return b""  # the record was taken away; what comes in its place begins with a snapshot
        if self._known[0] != follower.key + follower.broken:
            self._known = (follower.key + follower.broken, event("snapshot", follower.page(), follower.key))
        return self._known[1]

    @property
    def why_not_there(self) -> str:
        """The reason why there is nothing to show, if the record has no header."""
        return self._file.trouble or self.follower.broken or "The match has not begun yet."

    def look(self, until_ms: int) -> None:
        """Read what is new, up to a moment if one is given, and tell viewers of it. A fault of ours ends here."""
        now = time.monotonic()
        try:
            if self._failed_at is not None and now - self._failed_at >= AGAIN_SECONDS:
                self._file, self._failed_at = GrowingFile(self._folder, self._name), None
                self._begin_again()
            if self._failed_at is None:
                for lines, is_again in self._file.read_all():
                    if is_again:
                        self._begin_again()
                    self._follow(lines, until_ms)
            if self._is_waiting and now - self._woken_at >= self.channel.pace_seconds:
                self.channel.wake()
                self._woken_at, self._is_waiting = now, False
        except Exception as error:  # noqa: BLE001 - it is told
            self._failed_at, self.follower.broken = now, self.follower.broken or FAILED
            tell_fault(f"{self._name} is followed", error)
            self.channel.restart()

    def _begin_again(self) -> None:
        self.follower = MatchFollower(self._name)
        self.channel.restart()

    def _follow(self, lines: list[bytes], until_ms: int) -> None:
        was_broken = self.follower.broken
        self.follower.read(lines)
        for key, change in self.follower.advance(until_ms):
            if not self.is_page:
                continue
            if change.kind == "opened":
                self.channel.restart()
            self.channel.publish(key, event("change", change, key))
            self._is_waiting = True
        if self.follower.broken != was_broken:
            self.channel.restart()

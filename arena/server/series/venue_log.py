"""`venue.jsonl`: each line is on the disk before anything follows from it."""

import os
from collections.abc import Callable
from pathlib import Path

from arena.records.files import VENUE_RECORD
from arena.records.lines import encode_line
from arena.records.venue_book import VenueBook, take_line, venue_lines
from arena.records.venue_facts import VenueFact, VenueOpened
from arena.server.io.disk import kept_on_disk, open_inside, write_all
from arena.server.io.journal import mend_record

NowMs = Callable[[], int]


class VenueLog:
    """The log of a venue, continued from an earlier referee, and the book that follows from it.

    Only the referee that has locked the folder of the venue may open it.
    """

    def __init__(self, folder: Path, name: str, now_ms: NowMs) -> None:
        """Open the log; a new one begins with the name of the venue.

        Raises `RecordError` if the file holds what this arena does not know, and `DiskError`.
        """
        self._path = folder / VENUE_RECORD
        self.now_ms = now_ms
        self.book = VenueBook()
        self._last_ms = 0
        """The time of the last line: times never go back."""
        with kept_on_disk(self._path):
            record = mend_record(self._path)
        for where, fact in venue_lines.read(VENUE_RECORD, record):
            take_line(self.book, where, fact)
            self._last_ms = max(self._last_ms, fact.at_ms)
        self._size = len(record)
        """The bytes of the file that are whole and on the disk."""
        if not record:
            self.write(VenueOpened(at_ms=self.at_ms(), name=name))

    def at_ms(self) -> int:
        """Return the time for the next line: now, but never before the last line."""
        return max(self.now_ms(), self._last_ms)

    def write(self, fact: VenueFact) -> None:
        """Add a line, and let the book take it once it is on the disk.

        Raises `DiskError` if the disk does not take it. Then nothing follows from the line, and the
        next one takes its place.
        """
        line = encode_line(fact) + b"\n"
        with kept_on_disk(self._path):
            file = open_inside(
                self._path.parent, VENUE_RECORD, os.O_WRONLY | os.O_CREAT | os.O_APPEND
            )
            try:
                os.ftruncate(file, self._size)  # what a failed write may have left
                write_all(file, line)
                os.fsync(file)
            finally:
                os.close(file)
        self._size += len(line)
        self._last_ms = fact.at_ms
        self.book.apply(fact)

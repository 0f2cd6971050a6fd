"""The disk of a venue: matches begin only while enough of it is free, and it can be written."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from arena.server.io.disk import write_all
from arena.server.io.operator_log import Log
from arena.server.setup.referee_lines import LEAST_FREE
from arena.server.venue.turns import SeatTurns
from arena.words import Said
from arena.words.system_errors import system_reason

LOOK_SECONDS: Final = 1.0
PROBE: Final = "probe"
"""A file of one byte, written and removed at each look."""
Measure = Callable[[Path], os.statvfs_result]


class DiskWatch:
    """Looks at the disk, and stops and resumes pairing."""

    def __init__(
        self, folder: Path, turns: SeatTurns, log: Log, measure: Measure = os.statvfs
    ) -> None:
        self._folder = folder
        self._turns = turns
        self._log = log
        self._measure = measure
        self.free = 1.0
        """Share of the disk, or of its files if that is less."""
        self.free_bytes = 0
        self.is_writable = True

    async def watch(self) -> None:
        """Look at the disk every second, for ever."""
        while True:
            self.look()
            await trio.sleep(LOOK_SECONDS)

    def look(self) -> None:
        """Look at the disk; stop pairing or let it go on."""
        was_paused = self._turns.why_paused is not None
        why = self._why_stopped()
        if why is not None:
            self._turns.pause(why)
            if not was_paused:
                self._log.warning("pairing_stopped", reason=why)
        elif was_paused:
            self._turns.resume()
            self._log.info("pairing_goes_on")

    def _why_stopped(self) -> Said | None:
        try:
            self._measure_disk()
            self._probe()
        except OSError as error:
            self.is_writable = False
            return Said("pairing.not_writable", {"reason": system_reason(error)})
        self.is_writable = True
        if self.free >= LEAST_FREE:
            return None
        percentages = {"free": self.free * 100, "least": LEAST_FREE * 100}
        return Said("pairing.disk_low", percentages)

    def _measure_disk(self) -> None:
        """Measure what this user may still write: a disk can run out of bytes, and of files."""
        disk = self._measure(self._folder)
        used = disk.f_blocks - disk.f_bfree
        self.free = disk.f_bavail / max(1, used + disk.f_bavail)
        if disk.f_files:  # some file systems do not count them
            self.free = min(self.free, disk.f_favail / disk.f_files)
        self.free_bytes = disk.f_bavail * disk.f_frsize

    def _probe(self) -> None:
        """Write a byte. Raises `OSError`."""
        path = self._folder / PROBE
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            write_all(file, b"\n")
        finally:
            os.close(file)
            with suppress(OSError):
                path.unlink()

"""The pulse of the referee: a line every half second, as long as its loop turns.

With each pulse it looks at the disk: matches begin only while enough of it is free, and it can be
written.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

import trio

from arena.server.io.disk import write_all
from arena.server.io.line_pipes import LineSender
from arena.server.setup.referee_lines import LEAST_FREE, Pulse
from arena.server.venue.venue import Venue
from arena.words import Said
from arena.words.system_errors import system_reason

PULSE_SECONDS: Final = 0.5
PROBE: Final = "probe"
"""A file of one byte, written and removed at each look."""


class Disk(NamedTuple):
    """The room on a disk for this user."""

    free: float = 0.0
    """Share of the disk, or of its files if that is less."""
    free_bytes: int = 0


async def send_pulses(venue: Venue, folder: Path, parent: LineSender) -> None:
    """Send pulses to the parent, for ever."""
    lag_s = 0.0
    while True:
        parent.send(pulse_of(venue, folder, lag_s))
        due_s = time.monotonic() + PULSE_SECONDS
        await trio.sleep(PULSE_SECONDS)
        lag_s = max(0.0, time.monotonic() - due_s)


def pulse_of(venue: Venue, folder: Path, turn_lag_s: float) -> Pulse:
    """Return the state of a venue now, after a look at its disk."""
    disk = look_at_disk(venue, folder)
    return Pulse(
        turned_at_s=time.monotonic(),
        matches_in_play=venue.matches_in_play,
        seats=venue.seats,
        matches_finished_total=venue.matches_finished,
        bots_connected=venue.entrance.bots_connected,
        turn_lag_seconds=turn_lag_s,
        disk_free_ratio=disk.free,
        disk_free_bytes=disk.free_bytes,
        is_door_open=venue.entrance.is_open_to_others and not venue.shutdown.is_asked_for,
        pairing_stopped=venue.turns.why_paused,
    )


def look_at_disk(venue: Venue, folder: Path) -> Disk:
    """Measure the disk of a folder; stop pairing or let it go on."""
    disk = Disk()
    why = None
    try:
        disk = _measured(folder)
        _probe(folder)
    except OSError as error:
        why = Said("pairing.not_writable", {"reason": system_reason(error)})
    else:
        if disk.free < LEAST_FREE:
            percentages = {"free": disk.free * 100, "least": LEAST_FREE * 100}
            why = Said("pairing.disk_low", percentages)
    was_paused = venue.turns.why_paused is not None
    venue.turns.pause(why)
    if why is None and was_paused:
        venue.log.info("pairing_goes_on")
    elif why is not None and not was_paused:
        venue.log.warning("pairing_stopped", reason=why)
    return disk


def _measured(folder: Path) -> Disk:
    """Measure a disk, which can run out of bytes, and of files. Raises `OSError`."""
    disk = os.statvfs(folder)
    used = disk.f_blocks - disk.f_bfree
    free = disk.f_bavail / max(1, used + disk.f_bavail)
    if disk.f_files:  # some file systems do not count them
        free = min(free, disk.f_favail / disk.f_files)
    return Disk(free, disk.f_bavail * disk.f_frsize)


def _probe(folder: Path) -> None:
    """Write a byte. Raises `OSError`."""
    path = folder / PROBE
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        write_all(file, b"\n")
    finally:
        os.close(file)
        with suppress(OSError):
            path.unlink()

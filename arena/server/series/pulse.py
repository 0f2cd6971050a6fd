"""The pulse of the referee: a line every half second, as long as its loop turns."""

import time
from typing import Final

import trio

from arena.server.io.line_pipes import LineSender
from arena.server.series.disk_watch import DiskWatch
from arena.server.setup.referee_lines import Pulse
from arena.server.venue.venue import Venue

PULSE_SECONDS: Final = 0.5


async def send_pulses(venue: Venue, disk: DiskWatch, parent: LineSender) -> None:
    """Send pulses to the parent, for ever."""
    lag_s = 0.0
    while True:
        parent.send(pulse_of(venue, disk, int(lag_s * 1000)))
        due_s = time.monotonic() + PULSE_SECONDS
        await trio.sleep(PULSE_SECONDS)
        lag_s = max(0.0, time.monotonic() - due_s)


def pulse_of(venue: Venue, disk: DiskWatch, turn_lag_ms: int) -> Pulse:
    """Return the state of a venue now."""
    return Pulse(
        turned_at_s=time.monotonic(),
        matches_in_play=venue.matches_in_play,
        seats=venue.seats,
        matches_finished=venue.matches_finished,
        bots_connected=venue.entrance.bots_connected,
        turn_lag_ms=turn_lag_ms,
        disk_free=disk.free,
        disk_free_bytes=disk.free_bytes,
        is_journal_writable=disk.is_writable,
        is_door_open=venue.entrance.is_open_to_others and not venue.shutdown.is_asked_for,
        pairing_stopped=venue.turns.why_paused,
    )

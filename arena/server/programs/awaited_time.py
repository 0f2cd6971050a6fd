"""Time that a launched bot has been awaited, told by the arena to the bot's supervisor through shared memory.

A bot is awaited while it has a turn to answer or has to get ready for a match. It may use the machine as it likes
then. The arena knows when that is; the supervisor knows what the bot uses (`cpu_share.py`). A turn is too short for a
message, so both look at the same two numbers: how long the bot was awaited in all, and since when it is awaited now.
In the same way the supervisor tells the arena what it has measured of starvation, for the moment a flag falls.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap to import.
"""

from __future__ import annotations

import mmap
import os
import struct
import time

TOTAL, SINCE, FIGURES, NUMBERS = 0, 1, 2, 8
"""The two numbers, in nanoseconds of the machine's monotonic clock; the second is 0 while the bot is not awaited.

Then the figures of the supervisor, which only grow, in nanoseconds: CPU time that the bot used, time it was starved,
steal and pressure of the machine. At last the time of the look, and how much of the time before it the bot was starved,
in millionths.
"""
STALE_NS = 500_000_000
"""For so long after a look what it saw is held to go on: looks may come late where the machine is busy."""
WORD_BYTES = 8
SIZE_BYTES = NUMBERS * WORD_BYTES


class AwaitedTime:
    """The side of the arena. A bot is awaited from its start on."""

    def __init__(self) -> None:
        import tempfile  # the supervisor has no use for it, and it takes longer to import than all else

        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        self._file.truncate(SIZE_BYTES)
        self.descriptor = self._file.fileno()
        """To be inherited by the supervisor."""
        self._map = mmap.mmap(self.descriptor, SIZE_BYTES)
        self._numbers = memoryview(self._map).cast("q")
        self._numbers[SINCE] = time.monotonic_ns()

    def tell(self, is_awaited: bool) -> None:  # noqa: FBT001 - a question with one answer, asked twice a turn
        """Tell whether the bot is awaited from now on."""
        since = self._numbers[SINCE]
        if is_awaited and not since:
            self._numbers[SINCE] = time.monotonic_ns()
        elif since and not is_awaited:
            self._numbers[TOTAL] += time.monotonic_ns() - since
            self._numbers[SINCE] = 0

    def figures(self) -> list[int]:
        """Return what the supervisor has measured up to now; since its last look the bot is starved as before."""
        cpu_ns, starved_ns, steal_ns, pressure_ns, looked_ns, share = self._numbers[FIGURES:NUMBERS].tolist()
        since_ns = min(time.monotonic_ns() - looked_ns, STALE_NS)
        return [cpu_ns, starved_ns + since_ns * share // 10**6, steal_ns, pressure_ns]

    def close(self) -> None:
        """Nobody looks any more; what is told from now on goes nowhere."""
        self._numbers.release()
        self._numbers = memoryview(bytearray(SIZE_BYTES)).cast("q")
        self._map.close()
        self._file.close()


class SupervisorsSide:
    """Side of the supervisor: what it reads and writes."""

    def __init__(self, descriptor: int) -> None:
        """Without a descriptor (-1) the bot is always awaited."""
        self._map = None if descriptor < 0 else mmap.mmap(descriptor, SIZE_BYTES)
        if descriptor >= 0:
            os.close(descriptor)

    def read(self, now_ns: int) -> tuple[int, bool]:
        """Return how long the bot has been awaited until now, in nanoseconds, and whether it is."""
        if self._map is None:
            return now_ns, True
        told = slice(0, FIGURES * WORD_BYTES)
        while (found := self._map[told]) != self._map[told]:
            pass  # it was changed in between
        total, since = memoryview(found).cast("q")
        return total + (max(0, now_ns - since) if since else 0), bool(since)

    def publish(self, figures: list[int]) -> None:
        """Tell the arena the figures as they are now."""
        if self._map is not None:
            self._map[FIGURES * WORD_BYTES :] = struct.pack(f"={len(figures)}q", *figures)

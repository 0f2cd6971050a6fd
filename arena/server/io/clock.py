"""The arena's clock: whole milliseconds since 1970, running evenly whatever happens to the system's time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import trio

TICK_SECONDS: Final = 0.05
"""How long the loop sleeps at most before it looks at its clock."""
STOPPED_SECONDS: Final = 0.2
"""Between two looks it did not run if so much time is between them: a batch takes a tenth of it at most."""


class RunningClock(trio.abc.Clock):
    """The clock of trio's loop: the time in which the arena was running.

    An arena that is stopped (Ctrl-Z, SIGSTOP), on a machine that is paused or has no time for it, can neither read
    answers nor see when they came. For all that goes by this clock no time passes meanwhile: clocks of turns,
    deadlines, timeouts, and the times of a record, which stays as exact as without the stop.
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._looked = now()
        self.stopped_seconds = 0.0
        """How long the arena did not run, in all."""

    def start_clock(self) -> None:
        """The loop begins."""
        self._looked = self._now()

    def current_time(self) -> float:
        """Seconds in which the arena was running, from any beginning."""
        now = self._now()
        gap = now - self._looked
        self._looked = now
        if gap > STOPPED_SECONDS:
            self.stopped_seconds += gap
        return now - self.stopped_seconds

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return how long to sleep until a deadline, a tick at most."""
        return min(deadline - self.current_time(), TICK_SECONDS)


class Clock:
    """Tells the time of trio's loop as milliseconds since 1970-01-01 UTC; create it inside `trio.run`.

    It follows the loop's clock, so that tests under the autojump clock never wait.
    """

    def __init__(self) -> None:
        self._trio_clock = trio.lowlevel.current_clock()
        self._offset = time.time() - self._trio_clock.current_time()

    def catch_up(self, at_ms: int) -> None:
        """Set the clock forward to this time if it is behind, so that a resumed record never runs backwards.

        Call it before anything waits for a time of this clock.
        """
        behind_ms = at_ms - self.now_ms()
        if behind_ms > 0:
            self._offset += (behind_ms + 1) / 1000

    def now_ms(self) -> int:
        """The time now."""
        return int((self._trio_clock.current_time() + self._offset) * 1000)

    def now_and_lag_ms(self, since: float | None) -> tuple[int, int]:
        """The time now, and how long `since` (a time of the loop's clock) is past; 0 for None."""
        now = self._trio_clock.current_time()
        now_ms = int((now + self._offset) * 1000)
        if since is None or now - since < 0.001:
            return now_ms, 0
        return now_ms, now_ms - int((since + self._offset) * 1000)

    def loop_time(self, at_ms: int) -> float:
        """Return when the loop's clock shows the first instant of this millisecond."""
        return at_ms / 1000 - self._offset

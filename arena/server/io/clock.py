"""The arena's clock: whole milliseconds since 1970, running evenly whatever happens to the system's time."""

from __future__ import annotations

import time

import trio


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
        """When the loop's clock shows the first instant of this millisecond."""
        return at_ms / 1000 - self._offset

"""The arena's time: a clock that runs evenly when the system's jumps, and deadlines."""

import heapq
import math
import time
from collections.abc import Callable
from itertools import count
from typing import Final

import trio

TICK_SECONDS: Final = 0.05
"""The longest sleep of the loop before it looks at its clock."""
STOPPED_SECONDS: Final = 0.2
"""If more time is between two looks, the arena did not run: a batch takes a tenth of it at most."""


class RunningClock(trio.abc.Clock):
    """The clock of trio's loop: the time in which the arena was running.

    An arena may be stopped (Ctrl-Z, SIGSTOP), or its machine be paused or too busy. Then it can
    neither read answers nor see when they came. By this clock no time passes meanwhile: not for
    clocks of turns, deadlines and timeouts, and not for the times of a record, which stays as exact
    as without the stop.
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._looked = now()
        self.stopped_seconds = 0.0
        """Time that the arena did not run, in all."""

    def start_clock(self) -> None:
        """Note that the loop begins."""
        self._looked = self._now()

    def current_time(self) -> float:
        """Return the seconds in which the arena was running; only differences mean something."""
        now = self._now()
        gap = now - self._looked
        self._looked = now
        if gap > STOPPED_SECONDS:
            self.stopped_seconds += gap
        return now - self.stopped_seconds

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return how long to sleep until a deadline, a tick at most."""
        return min(deadline - self.current_time(), TICK_SECONDS)


def system_time_ms() -> int:
    """Return the system's time: that of a loop falls behind whenever the arena is stopped."""
    return int(time.time() * 1000)


class Clock:
    """The time of trio's loop as milliseconds since 1970-01-01 UTC.

    Create it inside `trio.run`. It follows the loop's clock, so that tests under the autojump clock
    never wait.
    """

    def __init__(self) -> None:
        self._trio_clock = trio.lowlevel.current_clock()
        self._offset = time.time() - self._trio_clock.current_time()

    def now_ms(self) -> int:
        """Return the time now."""
        return int((self._trio_clock.current_time() + self._offset) * 1000)

    def now_and_lag_ms(self, since: float | None) -> tuple[int, int]:
        """Return the time now, and how long `since` (of the loop's clock) is past; 0 for None."""
        now = self._trio_clock.current_time()
        now_ms = int((now + self._offset) * 1000)
        if since is None or now - since < 0.001:
            return now_ms, 0
        return now_ms, now_ms - int((since + self._offset) * 1000)

    def loop_time(self, at_ms: int) -> float:
        """Return when the loop's clock shows the first instant of this millisecond."""
        return at_ms / 1000 - self._offset


class RunClock:
    """The clock of one run: that of the loop, set forward."""

    def __init__(self, clock: Clock) -> None:
        """Set it to the system's time: the loop's clock falls behind while the arena is stopped."""
        self._clock = clock
        self.ahead_ms = 0
        """How far it is ahead of the loop's."""
        self.catch_up(system_time_ms())

    def now_ms(self) -> int:
        """Return the time now."""
        return self._clock.now_ms() + self.ahead_ms

    def catch_up(self, at_ms: int) -> None:
        """Set it forward to this time if it is behind: a resumed record must not run backwards.

        Call it before a match of the run is at a table.
        """
        self.ahead_ms += max(0, at_ms - self.now_ms())


Check = Callable[[int], int | None]
"""Called when it is due, with the time of the check; returns when it wants to be called next, if at
all.

All input that arrived before that time has been read. Reading may have taken a while, so a check
that records something asks the clock again.
"""


class Deadlines:
    """Calls checks when they are due.

    Asking again for a check costs nothing unless the new time is earlier. Clocks of turns are set
    far more often than they run out, so an entry is never removed; it is looked at again when it
    comes up.
    """

    def __init__(self, clock: Clock, read_all: Callable[[], object] = lambda: None) -> None:
        self._clock = clock
        self._read_all = read_all
        """Reads all input that has arrived: an answer that arrived in time is not late because it
        was not read yet."""
        self._heap: list[tuple[int, int, Check]] = []
        self._scheduled: dict[Check, int] = {}
        self._order = count()
        self._sleep = trio.CancelScope()

    def at(self, due_ms: int, check: Check) -> None:
        """Have a check called at this time at the latest."""
        scheduled_ms = self._scheduled.get(check)
        if scheduled_ms is not None and scheduled_ms <= due_ms:
            return
        self._scheduled[check] = due_ms
        heapq.heappush(self._heap, (due_ms, next(self._order), check))
        if self._heap[0][0] == due_ms:
            deadline = self._clock.loop_time(due_ms)
            self._sleep.deadline = min(self._sleep.deadline, deadline)

    async def watch(self) -> None:
        """Sleep until something is due, and call it, for ever."""
        while True:
            now_ms = self._clock.now_ms()
            if self._heap and self._heap[0][0] <= now_ms:
                self._read_all()
            while self._heap and self._heap[0][0] <= now_ms:
                due_ms, _, check = heapq.heappop(self._heap)
                if self._scheduled.get(check) != due_ms:
                    continue  # it was asked for earlier than this and has been called
                del self._scheduled[check]
                again_ms = check(now_ms)
                if again_ms is not None:
                    self.at(again_ms, check)
            wake = math.inf
            if self._heap:
                next_due_ms, _, _ = self._heap[0]
                wake = self._clock.loop_time(next_due_ms)
            with trio.CancelScope(deadline=wake) as self._sleep:
                await trio.sleep_forever()

"""Everything that is due at a certain millisecond, in one heap with one sleeper."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

import trio

from arena.server.io.clock import Clock

Check = Callable[[int], int | None]
"""Called when it is due, with the time of the check; returns when it wants to be called next, if at all.

All input that arrived before that time has been read. Reading may have taken a while, so a check that records something
asks the clock again.
"""


class Deadlines:
    """Calls checks when they are due.

    Asking again for a check costs nothing unless the new time is earlier. Clocks of turns are set far more often than
    they run out, so an entry is never removed; it is looked at again when it comes up.
    """

    def __init__(self, clock: Clock, read_all: Callable[[], object] = lambda: None) -> None:
        self._clock = clock
        self._read_all = read_all
        """Reads all input that has arrived: an answer that arrived in time is not late because it was not read yet."""
        self._heap: list[tuple[int, int, Check]] = []
        self._scheduled: dict[Check, int] = {}
        self._order = count()
        self._sleep = trio.CancelScope()

    def at(self, due_ms: int, check: Check) -> None:
        """Have a check called at this time at the latest."""
        known = self._scheduled.get(check)
        if known is not None and known <= due_ms:
            return
        self._scheduled[check] = due_ms
        heapq.heappush(self._heap, (due_ms, next(self._order), check))
        if self._heap[0][0] == due_ms:
            self._sleep.deadline = min(self._sleep.deadline, self._clock.loop_time(due_ms))

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
            wake = self._clock.loop_time(self._heap[0][0]) if self._heap else float("inf")
            with trio.CancelScope(deadline=wake) as self._sleep:
                await trio.sleep_forever()

"""Counts of events within the last minute."""

from __future__ import annotations

from collections import deque
from typing import Final

WINDOW_MS: Final = 60_000
PLACES: Final = 4096
"""How many places are remembered; the one that was silent longest is forgotten first."""


class Recent:
    """Counts of events within the last minute, at each place or under each name."""

    def __init__(self) -> None:
        self._times_ms: dict[str, deque[int]] = {}

    def add(self, place: str, now_ms: int) -> None:
        """Count one more."""
        times = self._times_ms.pop(place, None) or deque()
        times.append(now_ms)
        self._times_ms[place] = times  # at the end: the places stand in the order of their last event
        if len(self._times_ms) > PLACES:
            del self._times_ms[next(iter(self._times_ms))]

    def count(self, place: str, now_ms: int) -> int:
        """Count the events in the minute before now."""
        times = self._times_ms.get(place)
        if times is None:
            return 0
        while times and times[0] <= now_ms - WINDOW_MS:
            times.popleft()
        if not times:
            del self._times_ms[place]
        return len(times)

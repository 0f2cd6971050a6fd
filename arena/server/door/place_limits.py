"""Limits on what one place may do in a time: wrong logins a minute, sign-ups a day."""

import ipaddress
from collections import OrderedDict, deque
from typing import Final

from arena.server.door.connection_limits import Place

MOST_PLACES: Final = 4096
"""Places that are remembered; the one that was silent longest is forgotten first."""


class PlaceLimit:
    """Counts what each place has done within a window of time, for a limit on that."""

    def __init__(self, window_ms: int) -> None:
        self._window_ms = window_ms
        self._times_ms: OrderedDict[Place, deque[int]] = OrderedDict()

    def wait_ms(self, place: Place, now_ms: int, most: int) -> int:
        """Return how long a place that may do it `most` times has to wait; 0 if it may now."""
        times = self._times_ms.get(place)
        if times is None:
            return 0
        while times and times[0] <= now_ms - self._window_ms:
            times.popleft()
        if len(times) < most:
            return 0
        return times[len(times) - most] + self._window_ms - now_ms

    def count(self, place: Place, now_ms: int) -> None:
        """Note that a place has done it; nearby places have no limits and are not noted."""
        if is_nearby(place):
            return
        times = self._times_ms.setdefault(place, deque())
        times.append(now_ms)
        self._times_ms.move_to_end(place)
        if len(self._times_ms) > MOST_PLACES:
            self._times_ms.popitem(last=False)


def is_nearby(place: Place) -> bool:
    """Return whether a place is on this machine: loopback, or a Unix socket."""
    try:
        address = ipaddress.ip_address(place)
    except ValueError:
        return True
    # The IPv6 network of ::1 is called `::`.
    return address.is_loopback or address.is_unspecified

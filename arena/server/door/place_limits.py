"""Limits on what one place may do in a time: wrong logins a minute, sign-ups a day."""

import ipaddress

from arena.server.door.connection_limits import Place
from arena.server.io.operator_log import Recent


class PlaceLimit:
    """Counts what each place has done within a window of time, for a limit on that."""

    def __init__(self, window_ms: int) -> None:
        self._window_ms = window_ms
        self._recent = Recent(window_ms)

    def wait_ms(self, place: Place, now_ms: int, most: int) -> int:
        """Return how long a place that may do it `most` times has to wait; 0 if it may now."""
        times = self._recent.times(place, now_ms)
        if len(times) < most:
            return 0
        return times[-most] + self._window_ms - now_ms

    def count(self, place: Place, now_ms: int) -> None:
        """Note that a place has done it; nearby places have no limits and are not noted."""
        if not is_nearby(place):
            self._recent.add(place, now_ms)


def is_nearby(place: Place) -> bool:
    """Return whether a place is on this machine: loopback, or a Unix socket."""
    try:
        address = ipaddress.ip_address(place)
    except ValueError:
        return True
    # The IPv6 network of ::1 is called `::`.
    return address.is_loopback or address.is_unspecified

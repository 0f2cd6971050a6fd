"""How many may come in: connections from one place and in all, and wrong logins."""

from __future__ import annotations

import ipaddress
import os
import socket
import struct
from collections import Counter, deque
from collections.abc import Callable
from typing import Final, NewType

Place = NewType("Place", str)
"""Where a connection comes from, as far as it can be told: an address, or the session of processes on a Unix socket."""

SPARE_PLACE: Final = 32
"""Open connections from one place beyond one for each bot: old ones not yet given up, people who try things out."""
SPARE: Final = 256
"""Open connections in all beyond one for each bot, if the system allows so many files."""
ARRIVALS: Final = 128
"""New connections from one place, beyond one for each bot, within `WINDOW_MS`."""
WRONG_LOGINS: Final = 10
"""Wrong logins from one place within `WINDOW_MS`; beyond it every login from there is refused for a while."""
WINDOW_MS: Final = 60_000
PLACES: Final = 4096
"""Of so many places it is remembered what happened; the longest silent one is forgotten first."""


class Recent:
    """How often something happened within the last minute, at each place or under each name."""

    def __init__(self) -> None:
        self._times_ms: dict[str, deque[int]] = {}

    def add(self, place: str, now_ms: int) -> None:
        """It has happened once more."""
        times = self._times_ms.pop(place, None) or deque()
        times.append(now_ms)
        self._times_ms[place] = times  # at the end: the places stand in the order of their last event
        if len(self._times_ms) > PLACES:
            del self._times_ms[next(iter(self._times_ms))]

    def count(self, place: str, now_ms: int) -> int:
        """How often in the minute before now."""
        times = self._times_ms.get(place)
        if times is None:
            return 0
        while times and times[0] <= now_ms - WINDOW_MS:
            times.popleft()
        if not times:
            del self._times_ms[place]
        return len(times)


class Gate:
    """Counts who comes in at one listening address.

    `bots` is how many honest bots may come there at once, `spare` how many connections more there may be in all.
    The limits are wide enough for all of them to come from one place: a bot that opens connections without end, or
    guesses tokens, locks out nobody but its own place.
    """

    def __init__(self, bots: int, now_ms: Callable[[], int], spare: int = SPARE) -> None:
        self._bots = bots
        self._spare = spare
        self._now_ms = now_ms
        self._open: Counter[Place] = Counter()
        self._arrivals = Recent()
        self._wrong_logins = Recent()

    def refusal(self, place: Place) -> str | None:
        """Why another connection from there may not come in; None if it may."""
        now_ms, bots = self._now_ms(), self._bots
        if self._open.total() >= bots + self._spare:
            return "the arena has all the connections it can serve; try again later"
        if self._open[place] >= bots + min(SPARE_PLACE, self._spare):
            return f"{self._open[place]} connections are open from where you are; close some, or try again later"
        if self._arrivals.count(place, now_ms) >= bots + ARRIVALS:
            return "too many new connections within a minute from where you are; try again later"
        return None

    def enter(self, place: Place) -> None:
        """Count a new connection; whoever comes in has to `leave`."""
        self._arrivals.add(place, self._now_ms())
        self._open[place] += 1

    def leave(self, place: Place) -> None:
        """A connection that came in has ended."""
        self._open[place] -= 1
        if not self._open[place]:
            del self._open[place]

    def is_barred(self, place: Place) -> bool:
        """Whether logins from there are refused for a while, right or wrong."""
        return self._wrong_logins.count(place, self._now_ms()) >= WRONG_LOGINS

    def wrong_login(self, place: Place) -> None:
        """Count a login with a wrong name or token."""
        self._wrong_logins.add(place, self._now_ms())


def place_of(sock: socket.socket) -> Place:
    """Where a connection comes from: its IPv4 address, its IPv6 network, or the session of the process behind it.

    A household has 2^64 IPv6 addresses, so that only the network tells them apart. On a Unix socket the system
    says which process connected; launched bots have a session of processes each.
    """
    if sock.family == socket.AF_UNIX:
        return Place(_session_of_peer(sock))
    ip = ipaddress.ip_address(sock.getpeername()[0].partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        mapped = ip.ipv4_mapped
        ip = mapped if mapped is not None else ipaddress.ip_network((ip, 64), strict=False).network_address
    return Place(str(ip))


def _session_of_peer(sock: socket.socket) -> str:
    if not hasattr(socket, "SO_PEERCRED"):
        return "unix"
    size = struct.calcsize("3i")
    process, user, _ = struct.unpack("3i", sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    try:
        return f"session {os.getsid(process)}"
    except (ProcessLookupError, PermissionError):  # it has gone already, or belongs to somebody else
        return f"user {user}"

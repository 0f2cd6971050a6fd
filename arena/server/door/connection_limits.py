"""Limits of connections, from one place and in all, and of wrong logins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.server.io.recent import Recent


@dataclass(frozen=True, slots=True)
class Place:
    """Where a connection comes from, if that can be told."""

    name: str
    """An address, a launched program, or a user or a session of processes on a Unix socket."""
    bots: int | None = None
    """How many bots may come from there, if known: one from a launched program. Elsewhere all expected bots may."""


SPARE_PROGRAM: Final = 8
"""Open connections of a launched program beyond the one it needs, for old ones that it has not closed yet."""
SPARE_PLACE: Final = 32
"""Open connections from one place beyond one for each bot, for old ones not yet closed and people who try things."""
SPARE: Final = 256
"""Open connections in all beyond one for each bot, if the system allows so many files."""
ARRIVALS: Final = 128
"""New connections from one place, beyond one for each bot, within `WINDOW_MS`."""
WRONG_LOGINS: Final = 10
"""Wrong logins from one place within `WINDOW_MS`; beyond it every login from there is refused for a while."""


class ConnectionLimits:
    """Counts the connections at one listening address.

    `bots` is how many honest bots may connect there at once, `spare` how many further connections there may be in all.
    The limits are wide enough for all bots to come from one place. A bot that opens connections without end, or guesses
    tokens, locks out nobody but its own place. Each launched program has one connection reserved. All launched programs
    together get at most half of the spare ones, so they cannot keep out bots from elsewhere.
    """

    def __init__(self, bots: int, now_ms: Callable[[], int], spare: int = SPARE) -> None:
        self._bots = bots
        self._spare = spare
        self._now_ms = now_ms
        self._open: Counter[Place] = Counter()
        self._arrivals = Recent()
        self._wrong_logins = Recent()

    def refusal(self, place: Place) -> str | None:
        """Why another connection from there is refused; None if it is not."""
        opened, spare = self._open[place], self._spare
        bots, spare_place = (self._bots, SPARE_PLACE) if place.bots is None else (place.bots, SPARE_PROGRAM)
        if place.bots is None or opened >= place.bots:  # else this is the one reserved for it
            full = self._open.total() >= self._bots + spare
            if full or (place.bots is not None and self._beyond >= spare // 2):
                return "the arena has all the connections it can serve; try again later"
        if opened >= bots + min(spare_place, spare):
            return f"{opened} connections are open from where you are; close some, or try again later"
        if self._arrivals.count(place.name, self._now_ms()) >= bots + ARRIVALS:
            return "too many new connections within a minute from where you are; try again later"
        return None

    def enter(self, place: Place) -> None:
        """Count a new connection; call `leave` when it ends."""
        self._arrivals.add(place.name, self._now_ms())
        self._open[place] += 1

    def leave(self, place: Place) -> None:
        """A connection that came in has ended."""
        self._open[place] -= 1
        if not self._open[place]:
            del self._open[place]

    @property
    def _beyond(self) -> int:
        """Connections of launched programs beyond the one that each of them needs."""
        return sum(max(0, opened - place.bots) for place, opened in self._open.items() if place.bots is not None)

    def is_barred(self, place: Place) -> bool:
        """Whether logins from there, right or wrong, are refused for a while."""
        return self._wrong_logins.count(place.name, self._now_ms()) >= WRONG_LOGINS

    def wrong_login(self, place: Place) -> None:
        """Count a login with a wrong name or token."""
        self._wrong_logins.add(place.name, self._now_ms())

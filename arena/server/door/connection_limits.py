"""How many may come in: connections from one place and in all, and wrong logins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from arena.server.io.recent import Recent


@dataclass(frozen=True, slots=True)
class Place:
    """Where a connection comes from, as far as it can be told."""

    name: str
    """An address, a launched program, or a user or a session of processes on a Unix socket."""
    bots: int | None = None
    """How many bots are there, if that is known: one in a launched program. Elsewhere all may be that are expected."""


SPARE_PROGRAM: Final = 8
"""Open connections of a launched program beyond the one it needs: old ones not yet given up."""
SPARE_PLACE: Final = 32
"""Open connections from one place beyond one for each bot: old ones not yet given up, people who try things out."""
SPARE: Final = 256
"""Open connections in all beyond one for each bot, if the system allows so many files."""
ARRIVALS: Final = 128
"""New connections from one place, beyond one for each bot, within `WINDOW_MS`."""
WRONG_LOGINS: Final = 10
"""Wrong logins from one place within `WINDOW_MS`; beyond it every login from there is refused for a while."""


class ConnectionLimits:
    """Counts who comes in at one listening address.

    `bots` is how many honest bots may come there at once, `spare` how many connections more there may be in all.
    The limits are wide enough for all of them to come from one place: a bot that opens connections without end, or
    guesses tokens, locks out nobody but its own place. The one connection that a launched program needs is kept for
    it whatever the others do, and all launched programs together get no more than half of what is spare, so that
    they cannot keep out those who come from elsewhere either.
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
        opened, spare = self._open[place], self._spare
        bots, spare_place = (self._bots, SPARE_PLACE) if place.bots is None else (place.bots, SPARE_PROGRAM)
        if place.bots is None or opened >= place.bots:  # else this is the one that was kept for it
            full = self._open.total() >= self._bots + spare
            if full or (place.bots is not None and self._beyond >= spare // 2):
                return "the arena has all the connections it can serve; try again later"
        if opened >= bots + min(spare_place, spare):
            return f"{opened} connections are open from where you are; close some, or try again later"
        if self._arrivals.count(place.name, self._now_ms()) >= bots + ARRIVALS:
            return "too many new connections within a minute from where you are; try again later"
        return None

    def enter(self, place: Place) -> None:
        """Count a new connection; whoever comes in has to `leave`."""
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
        """Whether logins from there are refused for a while, right or wrong."""
        return self._wrong_logins.count(place.name, self._now_ms()) >= WRONG_LOGINS

    def wrong_login(self, place: Place) -> None:
        """Count a login with a wrong name or token."""
        self._wrong_logins.add(place.name, self._now_ms())

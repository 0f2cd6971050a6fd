"""Limits on open connections without a login: an old one makes room for the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NewType

Place = NewType("Place", str)
"""Where a connection comes from: an address, a launched program, or a user or a session of processes."""

SPARE: Final = 1024
"""Open connections without a login beyond one for each bot, if the system allows so many files."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Visit:
    """A connection that has proved nothing, or nothing any more."""

    place: Place
    drop: Callable[[], object]
    """Says why, and lets go of it at once."""


class ConnectionLimits:
    """Keeps at most `most` connections without a login at one listening address.

    Nobody is refused, since a bot with the right token could be the one. If there are too many, the oldest one of the
    place that has the most of them is dropped. So a place that opens connections without end drops its own, and a
    login that comes soon after its connection comes in even from that place. A connection that has logged in is not
    counted, so that nobody can have it dropped.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._number = 0
        self._places: dict[Place, dict[Visit, None]] = {}
        """The oldest visit of each place first; places in the order in which they got their first one."""

    def enter(self, visit: Visit) -> None:
        """Count a connection, and drop the one that is too many."""
        self._places.setdefault(visit.place, {})[visit] = None
        self._number += 1
        if self._number > self._most:
            self.make_room()

    def leave(self, visit: Visit) -> None:
        """It has logged in, or ended; nothing happens if it is not counted."""
        visits = self._places.get(visit.place, {})
        if visit in visits:
            del visits[visit]
            self._number -= 1
            if not visits:
                del self._places[visit.place]

    def make_room(self) -> bool:
        """Drop one; whether there was one."""
        if not self._places:
            return False
        fullest = max(self._places, key=lambda place: len(self._places[place]))
        visit = next(iter(self._places[fullest]))
        self.leave(visit)
        visit.drop()
        return True

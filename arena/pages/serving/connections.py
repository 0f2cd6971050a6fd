"""The connections of a server of pages: how many there may be, and which one gives way to another.

Anybody can open connections, and hold them. Where persons play, strangers must not keep out the
person whose turn it is. So a connection counts as a stranger's until a request on it shows the
token of a seat, and the oldest stranger gives way to a newcomer. A browser that has just connected
is the newest, and shows its token with its next request.
"""

from collections.abc import Mapping
from typing import Any, Final, Protocol

MOST_CONNECTIONS: Final = 2500
"""At once, from everywhere."""
KEPT_FOR_SEATS: Final = 100
"""Places that strangers never take where persons play."""
OF_A_SEAT: Final = 16
"""Connections that one seat may have; browsers open six. One more drops the connection that showed
the seat longest ago."""


class PageConnection(Protocol):
    """An open connection."""

    def drop(self) -> None:
        """End it at once, and leave."""


class Connections:
    """The connections of one server."""

    def __init__(self, most: int, *, kept: int = 0) -> None:
        """Allow at most `most` connections.

        Without places that are `kept` for seats, a newcomer is refused when all are taken.
        """
        self._most = most
        self._kept = min(kept, most)
        self._strangers: dict[PageConnection, None] = {}
        """Those that have shown no seat, the oldest first."""
        self._seat_of: dict[PageConnection, str] = {}
        """The others with their seat, those that showed it longest ago first."""
        self.ended = 0
        """Connections that have left since the last collection of garbage."""

    @property
    def open(self) -> list[PageConnection]:
        """The open connections."""
        return [*self._strangers, *self._seat_of]

    def enter(self, connection: PageConnection) -> bool:
        """Count a connection; returns False if there is no place for it."""
        if not self._kept and len(self._strangers) + len(self._seat_of) >= self._most:
            return False
        self._strangers[connection] = None
        while len(self._strangers) > self._most - max(self._kept, len(self._seat_of)):
            next(iter(self._strangers)).drop()
        return connection in self._strangers

    def show(self, connection: PageConnection, seat: str) -> None:
        """Note that a request on a connection has shown the token of a seat."""
        if connection not in self._strangers and connection not in self._seat_of:
            return  # it was dropped meanwhile
        self._forget(connection)
        self._seat_of[connection] = seat
        of_seat = [at_seat for at_seat, shown in self._seat_of.items() if shown == seat]
        if len(of_seat) > OF_A_SEAT:
            of_seat[0].drop()

    def leave(self, connection: PageConnection) -> None:
        """Forget a connection that is closed."""
        if connection in self._strangers or connection in self._seat_of:
            self._forget(connection)
            self.ended += 1

    def _forget(self, connection: PageConnection) -> None:
        self._strangers.pop(connection, None)
        self._seat_of.pop(connection, None)


SHOW: Final = "arena.show_seat"
"""In the `state` of a request (ASGI): called with the seat that it has shown."""


def seat_shown(scope: Mapping[str, Any], seat: str) -> None:
    """Note that a request has shown the token of a seat; only a test asks without a connection."""
    show = scope.get("state", {}).get(SHOW)
    if show is not None:
        show(seat)

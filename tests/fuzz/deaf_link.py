"""A connection whose other end is a fuzzer."""

from __future__ import annotations

import socket

from arena.server.io.event_loop import EventLoop
from arena.server.io.link import Link


class DeafLink(Link):
    """A socket that is never connected: the fuzzer gives the bytes to the session; what is flushed lies in `sent`."""

    def __init__(self, loop: EventLoop) -> None:
        super().__init__(socket.socket(), loop.spawn, loop.poller)
        self.sent = bytearray()

    def _send(self) -> int:
        self.sent += self._outbox
        return len(self._outbox)

"""A connection whose other end is a fuzzer."""

from __future__ import annotations

from typing import Any

from arena.server.io.link import Link, Reader


class DeafLink(Link):
    """A pipe that hands nothing over: the fuzzer gives the bytes to the session; what is flushed lies in `sent`."""

    def __init__(self, peer: str, spawn: Any) -> None:
        super().__init__(peer, spawn)
        self.sent = bytearray()

    def serve(self, reader: Reader) -> None:
        raise AssertionError("the fuzzer hands the bytes over by itself")

    def _send_now(self) -> bool:
        self.sent += self._outbox
        self._outbox.clear()
        return True

    async def _send_some(self) -> None:
        raise AssertionError("everything is sent at once")

    def _let_go(self) -> None:
        """Nothing is held."""

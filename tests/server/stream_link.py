"""A link over a memory stream, which waits by the clock of trio's tests."""

import trio

from arena.server.io.link import HUNG_UP, READ_BYTES, Link, Reader, Spawn
from arena.words import Said


class StreamLink(Link):
    """Any trio stream: part of a frame may have been sent when it stalls, so it is closed then."""

    def __init__(self, stream: trio.abc.Stream, peer: str, spawn: Spawn) -> None:
        super().__init__(peer, spawn)
        self._stream = stream
        self._reading: trio.CancelScope | None = None

    def serve(self, reader: Reader) -> None:
        self._start(self._read, reader)

    async def _read(self, reader: Reader) -> None:
        reader.begin()
        reason = HUNG_UP
        with trio.CancelScope() as self._reading:
            try:
                while self._closed is None and (data := await self._stream.receive_some(READ_BYTES)):
                    reader.received(bytes(data))
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                reason = Said("lost.broken", {"error": repr(error)})
        reader.ended(self._closed or reason)

    def _send_now(self) -> bool:
        return False

    async def _send_some(self) -> None:
        data = bytes(self._outbox)
        self._outbox.clear()
        await self._stream.send_all(data)

    def _stalled(self, reason: Said) -> None:
        self.abort(reason)

    def _let_go(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._start(self._close)

    async def _close(self) -> None:
        await trio.aclose_forcefully(self._stream)

"""Links: the byte pipes to the bots, one outbox each, written once per batch."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

import trio

from arena.server.io.poller import Poller

READ_BYTES: Final = 16_384
OUTBOX_BYTES: Final = 1_048_576
"""What may wait for a bot that does not read: four of the longest frames; beyond it the bot is cut off."""
WRITE_SECONDS: Final = 5.0
"""How long a bot may take nothing at all of what waits for it."""
DRAIN_SECONDS: Final = 2.0
"""How long a closing link may take to get its last words out, and the bot to read them and hang up."""
DROPPED_BYTES: Final = 8 * 1024 * 1024
"""What a closing link reads and drops of a bot that talks on: more than lies in the buffers of two systems."""

HUNG_UP: Final = "it hung up"

Spawn = Callable[..., object]
"""Starts an async function in the background, with these arguments."""


class Reader(Protocol):
    """Whoever wants what comes over a link."""

    def begin(self) -> None:
        """The link is open."""
        ...

    def received(self, data: bytes) -> None:
        """Some bytes, never none."""
        ...

    def ended(self, reason: str) -> None:
        """Nothing more will come."""
        ...


class Link(ABC):
    """A pipe to one bot. `write` keeps bytes, `flush` sends what it can without waiting, the rest in the background."""

    def __init__(self, peer: str, spawn: Spawn) -> None:
        self.peer = peer
        """Where the bot connects from, for people."""
        self._spawn = spawn
        self._outbox = bytearray()
        self._fresh = 0
        """How many bytes at its end are of the batch that has not ended yet."""
        self._pumped: trio.Event | None = None
        self._closed: str | None = None
        self._is_stalled = False
        self.on_close: Callable[[], object] = lambda: None
        """Told once, when the pipe is let go of."""
        self.on_stall: Callable[[str], object] = self.abort
        """Told once, in a task of its own, when the bot does not read; says why."""

    def write(self, data: bytes) -> bool:
        """Keep bytes for the next flush; whether they are the first since the last."""
        is_first = not self._fresh
        self._outbox += data
        self._fresh += len(data)
        return is_first

    def take_back(self) -> None:
        """Forget what was kept since the last flush; what was kept before may have been sent in part, and stays."""
        del self._outbox[len(self._outbox) - self._fresh :]
        self._fresh = 0

    def flush(self) -> None:
        """Send the outbox; a bot that does not read is given up when too much waits for it."""
        self._fresh = 0
        if self._closed is not None or not self._outbox:
            return
        if len(self._outbox) > OUTBOX_BYTES and not self._is_stalled:
            self._is_stalled = True
            self._spawn(partial(self._tell_stall, f"it does not read: {len(self._outbox)} bytes wait for it"))
        if self._pumped is None and not self._send_now():
            self._pumped = trio.Event()
            self._spawn(self._pump)

    async def _tell_stall(self, reason: str) -> None:
        """Tell of a bot that does not read in a batch of its own: it was found out in the middle of another."""
        self.on_stall(reason)

    async def _pump(self) -> None:
        """Send the rest as the bot reads; one that takes nothing for too long is given up."""
        try:
            while self._outbox and self._closed is None:
                with trio.move_on_after(WRITE_SECONDS) as patience:
                    await self._send_some()
                if patience.cancelled_caught and not (self._is_stalled or self._closed):
                    self._is_stalled = True
                    self._stalled(f"it does not read: it took nothing for {WRITE_SECONDS:.0f} seconds")
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError) as error:
            self.abort(f"writing failed: {error!r}")
        finally:
            assert self._pumped is not None, "set by flush"
            self._pumped.set()
            self._pumped = None

    async def drain(self) -> None:
        """Get the last words out, wait until the bot has hung up, and let go of the pipe; a moment at most."""
        try:
            with trio.move_on_after(DRAIN_SECONDS):
                self.flush()
                if self._pumped is not None:
                    await self._pumped.wait()
                if self._closed is None:
                    await self._hear_out()
        finally:
            self.abort("closed by the arena")

    async def _hear_out(self) -> None:  # noqa: B027 - most pipes have nothing to do here
        """Everything has been said: wait until the bot can have read it, where the pipe might lose it otherwise."""

    def part(self, reason: str) -> None:
        """Send what the system takes at once, and let go."""
        self.flush()
        self.abort(reason)

    def abort(self, reason: str) -> None:
        """Let go of the pipe at once; whoever reads it is told the reason."""
        if self._closed is None:
            self._closed = reason
            self._outbox.clear()
            self._fresh = 0
            self._let_go()
            self.on_close()

    def _stalled(self, reason: str) -> None:
        """The bot took nothing for too long; what waits for it may still be sent."""
        self.on_stall(reason)

    @abstractmethod
    def serve(self, reader: Reader) -> None:
        """Hand everything that comes to a reader."""

    @abstractmethod
    def _send_now(self) -> bool:
        """Send what can be sent without waiting; whether that was everything."""

    @abstractmethod
    async def _send_some(self) -> None:
        """Wait until some of the outbox has been sent."""

    @abstractmethod
    def _let_go(self) -> None:
        """Close the pipe without waiting."""


class SocketLink(Link):
    """A connected TCP or Unix socket.

    The plain socket is used rather than a trio stream because a stream goes through the scheduler for every send
    and every receive, which at one turn a batch costs more than refereeing the turn.
    """

    def __init__(self, sock: socket.socket, peer: str, spawn: Spawn, poller: Poller) -> None:
        super().__init__(peer, spawn)
        sock.setblocking(False)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._poller = poller
        self._reader: Reader | None = None

    def serve(self, reader: Reader) -> None:
        """Hand everything that comes to a reader."""
        self._reader = reader
        self._poller.add(self._sock.fileno(), self._ready)
        reader.begin()

    def _ready(self) -> None:
        """The poller's word that something can be read."""
        assert self._reader is not None, "registered by serve"
        try:
            data = self._receive()
        except BlockingIOError:
            return
        except OSError as error:
            self._end(f"the connection broke: {error.strerror or error}")
            return
        if data:
            self._reader.received(data)
        else:
            # at once, not in a task: the bot may log in again before trio runs another
            self._end(HUNG_UP)

    def _end(self, reason: str) -> None:
        """Tell the reader that nothing more will come; a socket at its end would be reported as long as it is open."""
        reader, self._reader = self._reader, None
        if reader is not None:
            self._poller.remove(self._sock.fileno())
            reader.ended(reason)

    def _receive(self) -> bytes:
        """What lies there, empty at the end of the stream. Raises `BlockingIOError` if nothing does, or `OSError`."""
        return self._sock.recv(READ_BYTES)

    def _send(self) -> int:
        """Send what the system takes of the outbox; gives how many bytes. Raises as `_receive`."""
        return self._sock.send(self._outbox)

    def _send_now(self) -> bool:
        try:
            sent = self._send()
        except BlockingIOError:
            return False
        except OSError as error:
            self.abort(f"writing failed: {error.strerror or error}")
            return True
        del self._outbox[:sent]
        return not self._outbox

    async def _send_some(self) -> None:
        await trio.lowlevel.wait_writable(self._sock)
        self._send_now()

    async def _hear_out(self) -> None:
        """End the stream, and drop what still comes until the bot ends it as well, or never stops.

        A socket that is closed with something unread is reset, and the system throws away what the bot has not read
        yet: whoever floods the arena would never learn why it was cut off.
        """
        if self._reader is not None:
            self._reader = rest = _Rest(self._reader)
            with suppress(OSError):  # it is gone; the poller will say so
                self._end_stream()
            await rest.over.wait()

    def part(self, reason: str) -> None:
        """Send what the system takes at once, drop what has come by now, and let go."""
        self.flush()
        if self._closed is None:
            with suppress(OSError):  # nothing lies there any more, or it is gone
                self._end_stream()
                drop_unread(self._sock)
        self.abort(reason)

    def _end_stream(self) -> None:
        """Say that nothing more will come. Raises `OSError`."""
        self._sock.shutdown(socket.SHUT_WR)

    def _let_go(self) -> None:
        if self._reader is not None:
            self._poller.remove(self._sock.fileno())
            self._spawn(self._tell_end, self._reader)
            self._reader = None
        trio.lowlevel.notify_closing(self._sock)
        self._sock.close()

    async def _tell_end(self, reader: Reader) -> None:
        """Tell the reader in a batch of its own: the link may have broken in the middle of another."""
        reader.ended(self._closed or "closed")


class _Rest:
    """Takes the place of a reader that wants nothing any more: drops what comes, and knows when that is enough."""

    def __init__(self, reader: Reader) -> None:
        self.over = trio.Event()
        self._reader = reader
        self._room = DROPPED_BYTES

    def begin(self) -> None:
        """It has begun long ago."""

    def received(self, data: bytes) -> None:
        self._room -= len(data)
        if self._room < 0:
            self.over.set()

    def ended(self, reason: str) -> None:
        self.over.set()
        self._reader.ended(reason)


def drop_unread(sock: socket.socket) -> None:
    """Read what has come by now, so that closing is no reset. Raises `OSError`, as a rule that nothing is left."""
    for _ in range(DROPPED_BYTES // READ_BYTES):
        if not sock.recv(READ_BYTES):
            return


class StreamLink(Link):
    """Any trio stream, such as the memory streams of tests."""

    def __init__(self, stream: trio.abc.Stream, peer: str, spawn: Spawn) -> None:
        super().__init__(peer, spawn)
        self._stream = stream
        self._reading: trio.CancelScope | None = None

    def serve(self, reader: Reader) -> None:
        """Hand everything that comes to a reader, from a task."""
        self._spawn(self._read, reader)

    async def _read(self, reader: Reader) -> None:
        reader.begin()
        reason = HUNG_UP
        with trio.CancelScope() as self._reading:
            try:
                while self._closed is None and (data := await self._stream.receive_some(READ_BYTES)):
                    reader.received(bytes(data))
            except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
                reason = f"the connection broke: {error!r}"
        reader.ended(self._closed or reason)

    def _send_now(self) -> bool:
        return False

    async def _send_some(self) -> None:
        data = bytes(self._outbox)
        self._outbox.clear()
        await self._stream.send_all(data)

    def _stalled(self, reason: str) -> None:
        self.abort(reason)  # part of a frame may have been sent, nobody knows how much

    def _let_go(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._spawn(self._close)

    async def _close(self) -> None:
        await trio.aclose_forcefully(self._stream)

"""Links: the byte pipes to the bots, one outbox each, written once per batch."""

import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

import trio

from arena.records.facts import FAILED
from arena.server.io.poller import Poller
from arena.words import Said

READ_BYTES: Final = 16_384
OUTBOX_BYTES: Final = 1_048_576
"""How much may wait for a bot that does not read: four of the longest frames. Beyond it the bot is
cut off."""
WRITE_SECONDS: Final = 5.0
"""Time that a bot may read nothing although something waits for it."""
DRAIN_SECONDS: Final = 2.0
"""Time to send the last words on a closing link, and for the bot to read them and hang up."""
DROPPED_BYTES: Final = 8 * 1024 * 1024
"""How much a closing link reads and drops of a bot that keeps sending: more than the buffers of two
systems hold."""

HUNG_UP: Final = Said("lost.hung_up")

Spawn = Callable[..., object]
"""Starts an async function in the background, with these arguments."""


class Reader(Protocol):
    """Receives the bytes that come over a link."""

    def begin(self) -> None:
        """Begin: the link is open."""
        ...

    def received(self, part: bytes) -> None:
        """Receive some bytes; never called with none."""
        ...

    def ended(self, reason: Said) -> None:
        """End: nothing more will come."""
        ...


class Link:
    """A connected TCP or Unix socket.

    `write` keeps bytes, `flush` sends what it can without waiting, the rest later.

    It uses the plain socket, not a trio stream: a stream goes through the scheduler for every send
    and every receive. With one turn per batch that costs more than refereeing the turn.

    An unexpected exception that comes up while a link is read, written, drained or closed ends this
    link alone: it is handed to `on_failure` and goes no further, unless `on_failure` raises it
    again.
    """

    def __init__(
        self,
        sock: socket.socket,
        spawn: Spawn,
        poller: Poller,
    ) -> None:
        sock.setblocking(False)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._spawn = spawn
        self._poller = poller
        self._reader: Reader | None = None
        self._outbox = bytearray()
        self._fresh = 0
        """The number of bytes at its end that belong to the batch under way."""
        self._pumped: trio.Event | None = None
        self._closed: Said | None = None
        self._is_stalled = False
        self.on_close: Callable[[], object] = lambda: None
        """Called once, when the pipe is closed."""
        self.on_stall: Callable[[Said], object] = self.abort
        """Called once with the reason, in a task of its own, when the bot does not read."""
        self.on_failure: Callable[[Exception], object] = _raise
        """Called with an unexpected exception, before the pipe is closed for it."""

    @property
    def is_open(self) -> bool:
        """True once the bot can read what is written; TLS shakes hands before."""
        return True

    def write(self, frame: bytes) -> bool:
        """Keep bytes for the next flush; returns whether they are the first since the last."""
        is_first = not self._fresh
        self._outbox += frame
        self._fresh += len(frame)
        return is_first

    def take_back(self) -> None:
        """Forget what was kept since the last flush.

        Earlier bytes stay, since they may have been sent in part.
        """
        earlier = len(self._outbox) - self._fresh
        del self._outbox[earlier:]
        self._fresh = 0

    def flush(self) -> None:
        """Send the outbox; cut off a bot that does not read when too much waits for it."""
        try:
            self._fresh = 0
            if self._closed is not None or not self._outbox:
                return
            if len(self._outbox) > OUTBOX_BYTES and not self._is_stalled:
                self._is_stalled = True
                reason = Said("does_not_read.bytes", {"number": len(self._outbox)})
                self._start(self._tell_stall, reason)
            if self._pumped is None and not self._send_now():
                self._pumped = trio.Event()
                self._start(self._pump)
        except Exception as error:  # noqa: BLE001 - ends this link alone
            # Nothing more is sent: a part may have been sent already.
            self._pumped = self._pumped or trio.Event()
            self._start(self._tell_failure, error)

    def _start(self, task: Callable[..., Awaitable[object]], *arguments: object) -> None:
        self._spawn(self._guarded, task, *arguments)

    async def _guarded(self, task: Callable[..., Awaitable[object]], *arguments: object) -> None:
        try:
            await task(*arguments)
        except Exception as error:  # noqa: BLE001 - ends this link alone
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Close the pipe because of an unexpected exception.

        Raises what `on_failure` raises.
        """
        try:
            self.on_failure(error)
        finally:
            self.abort(FAILED)

    # In new batches: these are noticed in the middle of another.

    async def _tell_failure(self, error: Exception) -> None:
        raise error

    async def _tell_stall(self, reason: Said) -> None:
        self.on_stall(reason)

    async def _pump(self) -> None:
        """Send the rest as the bot reads; give up on a bot that reads nothing for too long."""
        try:
            while self._outbox and self._closed is None:
                with trio.move_on_after(WRITE_SECONDS) as patience:
                    await trio.lowlevel.wait_writable(self._sock)
                    self._send_now()
                if patience.cancelled_caught and not (self._is_stalled or self._closed):
                    self._is_stalled = True
                    seconds = int(WRITE_SECONDS)
                    self.on_stall(Said("does_not_read.seconds", {"seconds": seconds}))
        except (OSError, trio.ClosedResourceError) as error:
            self.abort(Said("lost.writing", {"error": repr(error)}))
        finally:
            assert self._pumped is not None, "set by flush"
            self._pumped.set()
            self._pumped = None

    def close(self) -> None:
        """Drain the link in the background."""
        self._start(self.drain)

    async def drain(self) -> None:
        """Send the last words, wait a moment for the bot to hang up, and close the pipe."""
        try:
            with trio.move_on_after(DRAIN_SECONDS):
                self.flush()
                if self._pumped is not None:
                    await self._pumped.wait()
                if self._closed is None:
                    await self._hear_out()
        finally:
            self.abort(Said("lost.closed"))

    def abort(self, reason: Said) -> None:
        """Close the pipe at once; its reader is told the reason."""
        if self._closed is None:
            self._closed = reason
            self._outbox.clear()
            self._fresh = 0
            for act in (self._let_go, self.on_close):
                try:
                    act()
                except Exception as error:  # noqa: BLE001 - ends this link alone
                    self._start(self._tell_failure, error)

    def serve(self, reader: Reader) -> None:
        """Hand everything that comes to a reader."""
        self._reader = reader
        self._poller.add(self._sock.fileno(), self._ready)
        reader.begin()

    def _ready(self) -> None:
        """Read what has come and hand it on; end the link if it is closed or broken."""
        try:
            assert self._reader is not None, "registered by serve"
            try:
                part = self._receive()
            except BlockingIOError:
                return
            except OSError as error:
                problem = error.strerror or str(error)
                self._end(Said("lost.broken", {"error": problem}))
                return
            if part:
                self._reader.received(part)
            else:
                # at once, not in a task: the bot may log in again before trio runs another
                self._end(HUNG_UP)
        except Exception as error:  # noqa: BLE001 - ends this link alone
            self.fail(error)

    def _end(self, reason: Said) -> None:
        """Tell the reader that nothing more will come.

        Remove the socket first: epoll would report its end for ever.
        """
        reader, self._reader = self._reader, None
        if reader is not None:
            self._poller.remove(self._sock.fileno())
            reader.ended(reason)

    def _receive(self) -> bytes:
        """Return what has arrived; empty at the end of the stream.

        Raises `BlockingIOError`, `OSError`.
        """
        return self._sock.recv(READ_BYTES)

    def _send(self) -> int:
        """Send as much of the outbox as the system takes; returns how many bytes.

        Raises as `_receive`.
        """
        return self._sock.send(self._outbox)

    def _send_now(self) -> bool:
        """Send what the system takes at once; return whether nothing more waits."""
        try:
            sent = self._send()
        except BlockingIOError:
            return False
        except OSError as error:
            problem = error.strerror or str(error)
            self.abort(Said("lost.writing", {"error": problem}))
            return True
        del self._outbox[:sent]
        return not self._outbox

    async def _hear_out(self) -> None:
        """End the stream, and drop further input until the bot ends it too, or there is too much.

        Closing a socket with unread input resets it, and the system then discards what the bot has
        not read yet. A bot that floods the arena would never learn why it was cut off.
        """
        if self._reader is not None:
            dropping = _Dropping(self._reader)
            self._reader = dropping
            with suppress(OSError):  # it is gone; the poller will say so
                self._end_stream()
            await dropping.over.wait()

    def part(self, reason: Said) -> None:
        """Send what the system takes at once, drop the input that is there, and close the pipe."""
        self.flush()
        if self._closed is None:
            with suppress(OSError):  # nothing lies there any more, or it is gone
                self._end_stream()
                for _ in range(DROPPED_BYTES // READ_BYTES):
                    if not self._receive():
                        break
        self.abort(reason)

    def _end_stream(self) -> None:
        self._sock.shutdown(socket.SHUT_WR)

    def _let_go(self) -> None:
        """Stop reading, and close the socket; the reader learns of the end in a task."""
        try:
            if self._reader is not None:
                self._poller.remove(self._sock.fileno())
                self._start(self._tell_end, self._reader)
                self._reader = None
            trio.lowlevel.notify_closing(self._sock)
        finally:
            self._sock.close()

    async def _tell_end(self, reader: Reader) -> None:
        """Tell the reader in a new batch: the link may have broken in the middle of another."""
        reader.ended(self._closed or Said("lost.closed"))


class _Dropping:
    """Replaces the reader of a closing link: drops input, and ends the link if it is too much."""

    def __init__(self, reader: Reader) -> None:
        self.over = trio.Event()
        self._reader = reader
        self._room = DROPPED_BYTES

    def begin(self) -> None:
        """Do nothing: the link is open for long."""

    def received(self, part: bytes) -> None:
        self._room -= len(part)
        if self._room < 0:
            self.over.set()

    def ended(self, reason: Said) -> None:
        self.over.set()
        self._reader.ended(reason)


def _raise(error: Exception) -> None:
    raise error

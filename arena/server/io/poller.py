"""Reads the sockets of all bots, and knows how long input may have been waiting."""

import select
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import trio

LINGER_SECONDS: Final = 0.005
"""How long to look for an answer before going back to trio; a shorter timer costs more than it
saves."""
HOLD_SECONDS: Final = 0.02
"""Time that traffic may keep trio's other tasks (deadlines, new connections) waiting."""
SLEPT_SECONDS: Final = 0.00005
"""A look that waited longer than this slept until something came: nothing was ready when it
began."""
LOOKS: Final = 5
"""How often `read_all` looks again: enough for the longest frame, and a limit for a bot that never
stops sending."""


class Poller:
    """Calls back when a socket can be read, and knows how long its input may have been waiting.

    trio arms its epoll again for every wait and goes through its scheduler for every task that
    wakes. That takes about 20 us a turn when two bots answer each other at once: more than the
    referee itself needs. Here sockets stay registered. After a batch that put a turn to a bot, the
    poller waits in the kernel for the answer for some milliseconds before it returns to trio. After
    any other batch it returns at once.

    Without epoll, the poller uses `poll`. trio cannot wait for that, so each socket has a task that
    waits, and the first one to wake reads for all: slower, but just as fair.

    Times are seconds of the loop's clock.
    """

    def __init__(
        self,
        spawn: Callable[..., object],
        *,
        has_epoll: bool = hasattr(select, "epoll"),
    ) -> None:
        """`spawn` starts a task in the background."""
        self._spawn = spawn
        self._epoll = select.epoll() if has_epoll else None
        self._sockets: select.epoll | select.poll = self._epoll or select.poll()
        self._units = 1 if has_epoll else 1000
        """Timeout units per second: `poll` counts milliseconds."""
        self._is_closed = False
        self._ready: dict[int, Callable[[], object]] = {}
        self._now = trio.lowlevel.current_clock().current_time
        self._waits = _LoopWaits(self._now)
        self._looked = self._now()
        """Everything that arrived before this time was read."""
        self.unread_since: float | None = None
        """The earliest time the current input may have arrived; None while nothing is read."""
        self.linger_seconds = LINGER_SECONDS
        self.awaits_answer = False
        """Set when a turn was put to a bot, so its answer may come in a moment."""

    def add(self, number: int, ready: Callable[[], object]) -> None:
        """Call `ready` whenever the socket with this file number can be read."""
        self._ready[number] = ready
        self._sockets.register(number, select.POLLIN)
        if self._epoll is None:
            self._spawn(self._watch, number, ready)

    def remove(self, number: int) -> None:
        """Forget a socket; call before it is closed."""
        del self._ready[number]
        if not self._is_closed:
            self._sockets.unregister(number)

    async def run(self) -> None:
        """Read for ever."""
        trio.lowlevel.add_instrument(self._waits)
        try:
            while self._epoll is not None:
                await trio.lowlevel.wait_readable(self._epoll.fileno())
                await self._read_on()
            await trio.sleep_forever()
        finally:
            trio.lowlevel.remove_instrument(self._waits)
            self._is_closed = True
            if self._epoll is not None:
                self._epoll.close()

    async def _watch(self, number: int, ready: Callable[[], object]) -> None:
        """Wait for one socket, as trio cannot wait for all at once; then read all ready ones."""
        with suppress(trio.ClosedResourceError):
            # The number may be that of another socket by now.
            while self._ready.get(number) is ready:
                await trio.lowlevel.wait_readable(number)
                await self._read_on()

    async def _read_on(self) -> None:
        """Read until nothing more comes, or no answer is expected at once."""
        hold = self._now() + HOLD_SECONDS
        timeout = 0.0
        while not self._is_closed and self._look(timeout):
            if self._looked > hold:
                await trio.lowlevel.checkpoint()
                hold = self._now() + HOLD_SECONDS
            timeout = self.linger_seconds if self.awaits_answer else 0.0
            self.awaits_answer = False

    @property
    def all_read_until(self) -> float:
        """The time before which all input has been read; later input may still be waiting."""
        if self.unread_since is not None:
            return self.unread_since
        return max(self._looked, self._waits.idle_at)

    def read_all(self) -> None:
        """Read all input that has arrived, without waiting.

        Do not call it from a callback that is reading.
        """
        for _ in range(LOOKS):
            if self._is_closed or not self._look(0.0):
                break

    def _look(self, timeout: float) -> bool:
        """Read every socket that is ready, or becomes ready within `timeout` seconds.

        Returns whether there was one.
        """
        began = self._now()
        events = self._sockets.poll(timeout * self._units)
        ended = self._now()
        if not events:
            self._looked = ended
            return False
        if timeout > 0 and ended - began > SLEPT_SECONDS:
            self.unread_since = ended
        else:
            self.unread_since = self.all_read_until
        self._looked = began
        for number, _ in events:
            ready = self._ready.get(number)
            if ready is not None:  # not removed by an earlier one of the same batch
                ready()
        self.unread_since = None
        return True


class _LoopWaits(trio.abc.Instrument):
    """Watches when trio itself waits, since the poller is only one of the tasks it may wake."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._began = self._before = now()
        self.idle_at = self._began
        """The earliest time the event that woke trio may have arrived."""

    def before_io_wait(self, timeout: float) -> None:  # noqa: ARG002 - trio's signature
        self._before, self._began = self._began, self._now()

    def after_io_wait(self, timeout: float) -> None:
        ended = self._now()
        has_slept = timeout > 0 and ended - self._began > SLEPT_SECONDS
        self.idle_at = ended if has_slept else self._before

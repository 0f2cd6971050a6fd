"""One task that reads every bot's socket, with an epoll of its own."""

from __future__ import annotations

import select
from collections.abc import Callable
from time import perf_counter
from typing import Final

import trio

LINGER_SECONDS: Final = 0.005
"""How long to look for an answer before going back to trio; a shorter timer costs more than it saves."""
HOLD_SECONDS: Final = 0.02
"""How long traffic may keep trio's other tasks (deadlines, new connections) waiting."""


class Poller:
    """Calls back when a socket can be read.

    trio arms its epoll anew for every wait and goes through its scheduler for every task that wakes, about 20 us a
    turn where two bots answer each other at once: more than the referee itself needs. Here sockets stay registered,
    and after a batch that put a turn to some bot its answer is awaited in the kernel for some milliseconds before the
    loop goes on to trio. After any other batch trio has its turn at once.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._ready: dict[int, Callable[[], object]] = {}
        self.linger_seconds = LINGER_SECONDS
        self.awaits_answer = False
        """Set when a turn is put to a bot: its answer may come in a moment."""

    def add(self, number: int, ready: Callable[[], object]) -> None:
        """Call `ready` whenever the socket with this file number has something to read."""
        self._ready[number] = ready
        self._epoll.register(number, select.EPOLLIN)

    def remove(self, number: int) -> None:
        """Forget a socket; call before it is closed."""
        del self._ready[number]
        if not self._epoll.closed:  # it is when the hall has closed
            self._epoll.unregister(number)

    async def run(self) -> None:
        """Read for ever."""
        poll = self._epoll.poll
        try:
            while True:
                await trio.lowlevel.wait_readable(self._epoll.fileno())
                hold = perf_counter() + HOLD_SECONDS
                timeout = 0.0
                while events := poll(timeout):
                    for number, _ in events:
                        ready = self._ready.get(number)
                        if ready is not None:  # not removed by an earlier one of the same batch
                            ready()
                    if perf_counter() > hold:
                        await trio.lowlevel.checkpoint()
                        hold = perf_counter() + HOLD_SECONDS
                    timeout = self.linger_seconds if self.awaits_answer else 0.0
                    self.awaits_answer = False
        finally:
            self._epoll.close()

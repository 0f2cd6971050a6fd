"""One task that reads every bot's socket, with an epoll of its own."""

from __future__ import annotations

import select
from collections.abc import Callable
from time import perf_counter
from typing import Final

import trio

LINGER_SECONDS: Final = 0.001
"""How long to look for the next answer before going back to trio; the shortest epoll can wait."""
HOLD_SECONDS: Final = 0.005
"""How long traffic may keep trio's other tasks (deadlines, new connections) waiting."""


class Poller:
    """Calls back when a socket can be read.

    trio arms its epoll anew for every wait and goes through its scheduler for every task that wakes, about 20 us a
    turn where two bots answer each other at once: more than the referee itself needs. Here sockets stay registered,
    and after a batch the next one is awaited in the kernel for a millisecond before the loop goes on to trio.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._ready: dict[int, Callable[[], object]] = {}

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
                while events := poll(LINGER_SECONDS):
                    for number, _ in events:
                        ready = self._ready.get(number)
                        if ready is not None:  # not removed by an earlier one of the same batch
                            ready()
                    if perf_counter() > hold:
                        await trio.lowlevel.checkpoint()
                        hold = perf_counter() + HOLD_SECONDS
        finally:
            self._epoll.close()

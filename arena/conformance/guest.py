"""The bot that is checked: its connections, and how its program ended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import trio

from arena.server.programs.containment import Containment
from arena.server.programs.program import Alone, launched_alone
from arena.words import say

NAME: Final = "checked"
"""The default name of the bot."""
LAST_LINES: Final = 25
"""How much of standard error is shown: room for the traceback of a bot with the Python kit."""


@dataclass(slots=True, kw_only=True)
class Guest:
    """A bot for one situation."""

    name: str
    token: str
    listener: trio.socket.SocketType
    program: Alone | None = None
    """Its program, if it was started here."""
    last_words: list[str] = field(default_factory=list)
    """The last lines of its program's standard error, once it has ended; with stars for the token."""

    async def connection(self) -> trio.SocketStream | None:
        """Its next connection; None if its program has ended and none can come."""
        found: list[trio.SocketStream] = []
        async with trio.open_nursery() as nursery:
            if self.program is not None:
                nursery.start_soon(self._give_up, self.program, nursery.cancel_scope)
            stream, _ = await self.listener.accept()
            found.append(trio.SocketStream(stream))
            nursery.cancel_scope.cancel()
        return found[0] if found else None

    @staticmethod
    async def _give_up(program: Alone, waiting: trio.CancelScope) -> None:
        await program.has_ended.wait()
        waiting.cancel()

    async def end(self, within_s: float) -> str:
        """Return how its program ended within some seconds, to put after "its program"; empty if it did not."""
        if self.program is None:
            return ""
        with trio.move_on_after(within_s):
            await self.program.has_ended.wait()
        return "" if self.program.how is None else say(self.program.how.reason)


Host = Callable[[], AbstractAsyncContextManager[Guest]]
"""Provides a bot for one situation."""


def launching(command: list[str], containment: Containment, name: str = NAME) -> Host:
    """A program that is started again for every situation, in the way of the arena."""

    @asynccontextmanager
    async def host() -> AsyncIterator[Guest]:
        async with launched_alone(command, containment, name=name) as alone:
            guest = Guest(name=name, token=alone.token, listener=alone.listener, program=alone)
            yield guest
        lines = alone.stderr.replace(alone.token, "*" * len(alone.token)).splitlines()
        guest.last_words = lines[-LAST_LINES:]

    return host


def waiting_for(listener: trio.socket.SocketType, name: str, token: str) -> Host:
    """A bot that connects by itself, once for every situation."""

    @asynccontextmanager
    async def host() -> AsyncIterator[Guest]:
        yield Guest(name=name, token=token, listener=listener)
        await trio.lowlevel.checkpoint()

    return host

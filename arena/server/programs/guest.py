"""Bots that are tried outside a run: started for it, each time anew, or waited for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

import trio

from arena.server.io import secret_values
from arena.server.io.listening import UnixAddress, address_of, open_listener
from arena.server.io.private_folder import SOCKET, private_folder
from arena.server.programs.containment import Containment
from arena.server.programs.program import Ended, Program
from arena.words import say


@dataclass(slots=True, kw_only=True, eq=False)
class Guest:
    """A bot that is tried, and how its program ended if it was started here."""

    name: str
    token: str
    listener: trio.socket.SocketType
    """Where it connects."""
    is_launched: bool = False
    """Whether its program was started here."""
    how: Ended | None = None
    """How its program ended; None while it runs."""
    has_ended: trio.Event = field(default_factory=trio.Event)
    on_end: Callable[[], object] = lambda: None
    """Called when its program has ended."""
    stdout: str = ""
    """What it printed, once it has been left."""
    stderr: str = ""
    """Likewise, with stars for the token."""

    def ended(self, how: Ended) -> None:
        """Note the end of its program; all it printed is kept."""
        self.how = how
        self.has_ended.set()
        self.on_end()

    async def connection(self) -> trio.SocketStream | None:
        """Its next connection; None if its program has ended and none can come."""
        found: list[trio.SocketStream] = []

        async def give_up() -> None:
            await self.has_ended.wait()
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(give_up)
            stream, _ = await self.listener.accept()
            found.append(trio.SocketStream(stream))
            nursery.cancel_scope.cancel()
        return found[0] if found else None

    async def end(self, within_s: float) -> str:
        """Return how its program ended within some seconds, to put after "its program"; empty if it did not."""
        if self.is_launched:
            with trio.move_on_after(within_s):
                await self.has_ended.wait()
        return "" if self.how is None else say(self.how.reason)


Host = Callable[[], AbstractAsyncContextManager[Guest]]
"""Provides a bot to put something to, once."""


@asynccontextmanager
async def launched(
    command: Sequence[str], containment: Containment, *, name: str, reads: Sequence[str] = ()
) -> AsyncIterator[Guest]:
    """A program that is started as in a run, with a door of its own; at the end it is ended with all it has started.

    Nothing may be raised inside but what ends the whole command: it would come out in a group.
    """
    with private_folder() as folder:
        listener = open_listener(UnixAddress(path=folder / SOCKET))
        address = str(address_of(listener))
        with trio.socket.from_stdlib_socket(listener) as waiting:
            guest = Guest(name=name, token=secret_values.new_token(), listener=waiting, is_launched=True)
            program = Program(
                containment=containment,
                command=command,
                environment={"ARENA_ADDRESS": address, "ARENA_NAME": name, "ARENA_TOKEN": guest.token},
                reads=reads,
                shared=[folder / SOCKET],
                output=folder / "output",
                on_end=guest.ended,
            )
            async with trio.open_nursery() as nursery:
                nursery.start_soon(program.run)
                yield guest
                nursery.cancel_scope.cancel()
        printed = [folder / f"output.{stream}" for stream in ("stdout", "stderr")]
        guest.stdout, stderr = (path.read_text(errors="replace") if path.exists() else "" for path in printed)
        guest.stderr = stderr.replace(guest.token, "*" * len(guest.token))

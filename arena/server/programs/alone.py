"""A bot's program by itself, outside a run: started under the usual limits, with a door of its own to come in by."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import trio

from arena.server.io import secret_values
from arena.server.io.address import UnixAddress
from arena.server.io.listening import address_of, open_listener
from arena.server.io.private_folder import SOCKET, private_folder
from arena.server.programs.containment import Containment
from arena.server.programs.program import Ended, Program


class Alone:
    """One start of a program."""

    def __init__(self, listener: trio.socket.SocketType, token: str) -> None:
        self.listener = listener
        """Where it connects."""
        self.token = token
        """What it logs in with."""
        self.how: Ended | None = None
        """How it ended; None while it runs."""
        self.has_ended = trio.Event()
        self.on_end: Callable[[], object] = lambda: None
        """Called when it has ended."""
        self.stdout = ""
        """What it printed, once it has been left."""
        self.stderr = ""

    def ended(self, how: Ended) -> None:
        """It has ended, and all it printed is kept."""
        self.how = how
        self.has_ended.set()
        self.on_end()


@asynccontextmanager
async def launched_alone(
    command: Sequence[str], containment: Containment, *, name: str, reads: Sequence[str] = ()
) -> AsyncIterator[Alone]:
    """Start a program that is to log in under a name; at the end it is ended with all it has started.

    `reads` are files it may read beside its own.

    Nothing may be raised inside but what ends the whole command: it would come out in a group.
    """
    with private_folder() as folder:
        listener = open_listener(UnixAddress(path=folder / SOCKET))
        address = str(address_of(listener))
        with trio.socket.from_stdlib_socket(listener) as waiting:
            alone = Alone(waiting, secret_values.new_token())
            program = Program(
                containment,
                command,
                environment={"ARENA_ADDRESS": address, "ARENA_NAME": name, "ARENA_TOKEN": alone.token},
                reads=reads,
                shared=[folder / SOCKET],
                output=folder / "output",
                on_breach=lambda _: None,  # its end says so as well
                on_end=alone.ended,
            )
            async with trio.open_nursery() as nursery:
                nursery.start_soon(program.run)
                yield alone
                nursery.cancel_scope.cancel()
        for stream in ("stdout", "stderr"):
            path = folder / f"output.{stream}"
            if path.exists():
                setattr(alone, stream, path.read_text(errors="replace"))

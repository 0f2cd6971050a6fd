"""A launched program under its supervisor: started, listened to, ended with all it has started."""

import json
import math
import os
import shutil
import signal
import socket
import tempfile
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import trio

from arena.server.io import secret_values
from arena.server.io.disk import kept_on_disk
from arena.server.io.listening import UnixAddress, address_of, open_listener
from arena.server.io.private_folder import SOCKET, private_folder
from arena.server.programs.advice import advice
from arena.server.programs.bot_command import BotCommand
from arena.server.programs.containment import Containment
from arena.server.programs.cpu_share import AwaitedTime
from arena.server.programs.fork_server import ForkServer, fork_server
from arena.words import Said, say

OUTPUT_BYTES: Final = 1_048_576
"""What is kept of each of a program's two output streams."""
TERM_SECONDS: Final = 1.0
"""How long a program may take to end by itself, after goodbye and again after SIGTERM."""
FIRST_BYTES: Final = 1024
"""How much of the beginning of standard error tells why a sandbox could not be made."""
SANDBOX_REFUSED: Final = Said("program.exit", {"status": 1})
"""How bubblewrap ends if it cannot do what it is told."""
NO_PROGRAM: Final = "bwrap: execvp "
"""How bubblewrap begins to say that the program is not there, or none that can be run; that is no
fault of ours."""
NO_WORD: Final = "its supervisor was ended, and has said nothing"
LOOK_SECONDS: Final = 1.0
"""How often to look after the fork server while the supervisor has not begun."""
KILL_SECONDS: Final = 12.0
"""How long the supervisor may take to end it; a little longer than it tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """End of a program: how it ended, and what it took."""

    reason: Said
    """What its program did: `ended with exit status 1`, `was ended: more than 64 processes`."""
    is_by_itself: bool = True
    """Whether nobody had asked it to."""
    memory_mib: int = 0
    """The most that was seen, with everything it started."""
    cpu_ms: int = 0
    fault: str = ""
    """What has failed in the arena's part of it, with a traceback if there is one; empty if nothing
    has."""


@dataclass(slots=True, kw_only=True, eq=False)
class Program:
    """One start of a program. `run` sees it to its end."""

    containment: Containment
    command: BotCommand
    address: str
    """The Unix socket where its bot connects,"""
    name: str
    token: str
    """and how it logs in there."""
    output: Path
    """The path of its output files, without the ending `.stdout` or `.stderr`."""
    on_breach: Callable[[Said], None] = lambda _: None
    """Told why the program will be ended: it stands still then, and its connection is still there."""
    on_end: Callable[[Ended], None]
    """Told of every end, also of one that was caused by cancelling, when all it printed is kept."""
    awaited: AwaitedTime | None = None
    """Without it the program is awaited all the time."""
    _scratch: Path | None = None
    """Its folder for temporary files, where no sandbox gives it one."""
    _supervisor: int = 0
    """The number of its process, while it lives and after it has told it."""
    _heard: bytes = b""
    _breach: Said | None = None
    _was_asked: bool = False
    _has_begun: bool = False
    """Whether its supervisor has."""
    _is_over_by_itself: bool = False
    _fault: str = ""
    """Traceback of what has failed in the arena, its supervisor included."""
    _is_unbegun: bool = False
    """Whether its sandbox has ended before it was the program."""
    _first_words: bytes = b""
    """The beginning of its standard error."""
    _ended: Ended | None = None

    async def run(self) -> Ended:
        """Run it to its end. When cancelled it is ended, with everything it has started."""
        ours, theirs = socket.socketpair()
        try:
            with ours, fork_server() as server, self.containment.shown_to(self.command):
                ours.setblocking(False)
                with theirs:
                    streams = self._start(server, theirs)
                if streams is not None:
                    await self._attend(streams, ours, server)
        finally:
            if self._supervisor:  # it hangs; else it has ended everything, and told so
                with suppress(ProcessLookupError):
                    os.kill(self._supervisor, signal.SIGKILL)
            if self._scratch is not None:  # it is still there if the supervisor was killed
                shutil.rmtree(self._scratch, ignore_errors=True)
            ended = self._conclude()
            self.on_end(ended)
        return ended

    def _conclude(self) -> Ended:
        """Return how it ended, and what has failed in the arena, unless the program was to end anyway."""
        ended = self._ended or Ended(
            reason=Said("program.unknown"), is_by_itself=self._is_over_by_itself
        )
        fault = self._find_fault() if self._is_over_by_itself else ""
        if not fault:
            return ended
        if self._has_begun and self._ended is None:  # nobody knows how the program itself has ended
            return replace(ended, fault=fault)
        why = fault.splitlines()[-1]
        return replace(ended, reason=Said("program.not_started", {"why": why}), fault=fault)

    def _find_fault(self) -> str:
        if self._fault or self._breach is not None:
            return self._fault
        if self._ended is None:
            return NO_WORD
        words = self._first_words.decode(errors="replace").strip()
        is_refused = self._is_unbegun and self._ended.reason == SANDBOX_REFUSED
        if is_refused and not words.startswith(NO_PROGRAM):
            return f"the sandbox could not be made: {words}"
        return ""

    def _start(
        self, server: ForkServer, supervisor: socket.socket
    ) -> list[trio.abc.ReceiveStream] | None:
        """Have it started; gives what it prints, or None if it cannot be."""
        pipes = os.pipe(), os.pipe()
        streams: list[trio.abc.ReceiveStream] = [trio.lowlevel.FdStream(ours) for ours, _ in pipes]
        files = [supervisor.fileno(), *(theirs for _, theirs in pipes)]
        try:
            if self.containment.landlock:
                self._scratch = Path(tempfile.mkdtemp(prefix="arena-bot-"))
            shared = [Path(self.address.removeprefix("unix:"))]
            words, environment = self.containment.launch(
                self.command, shared=shared, scratch=self._scratch
            )
            further = [] if self.awaited is None else [self.awaited.descriptor]
            environment |= {
                "ARENA_ADDRESS": self.address,
                "ARENA_NAME": self.name,
                "ARENA_TOKEN": self.token,
            }
            server.start(words, environment, self.command.directory, [*files, *further])
        except OSError:
            self._fault, self._is_over_by_itself = traceback.format_exc(), True
            return None
        finally:
            for _, theirs in pipes:
                os.close(theirs)
        return streams

    async def _attend(
        self, streams: list[trio.abc.ReceiveStream], supervisor: socket.socket, server: ForkServer
    ) -> None:
        keeping = [trio.CancelScope(shield=True), trio.CancelScope(shield=True)]
        async with trio.open_nursery() as nursery:
            for name, stream, scope in zip(("stdout", "stderr"), streams, keeping, strict=True):
                path = self.output.with_name(f"{self.output.name}.{name}")
                nursery.start_soon(self._keep, stream, path, scope)
            try:
                while not self._is_over_by_itself:
                    with trio.move_on_after(math.inf if self._has_begun else LOOK_SECONDS):
                        await self._listen(supervisor)
                        self._is_over_by_itself = True
                    self._end_if_it_stands_still(server)
            finally:
                self._end_if_it_stands_still(server)
                with trio.CancelScope(shield=True):
                    await self._end(supervisor)
                for (
                    scope
                ) in keeping:  # a process that was not found may not hold a stream open for ever
                    scope.deadline = trio.current_time() + TERM_SECONDS

    def _end_if_it_stands_still(self, server: ForkServer) -> None:
        """End a fork server that was stopped and has the order for this program: it would keep it for ever."""
        if not self._has_begun and server.stands_still:
            server.kill()

    async def _listen(self, supervisor: socket.socket) -> None:
        """Hear what the supervisor says until it has said everything; may be cancelled and called again."""
        while True:
            await trio.lowlevel.wait_readable(supervisor)
            try:
                data = supervisor.recv(4096)
            except ConnectionResetError:
                data = b""  # it has ended without reading our last word
            if not data:
                self._supervisor = 0
                return
            *lines, self._heard = (self._heard + data).split(b"\n")
            for line in lines:
                self._take(line.decode(errors="replace"), supervisor)

    def _take(self, line: str, supervisor: socket.socket) -> None:
        word, _, rest = line.partition(" ")
        if word == "begun":
            self._has_begun = True
            self._supervisor = int(rest)
        elif word == "breach":
            limit, number = rest.split()
            self._breach = Said(
                "program.ended", {"why": Said(f"breach.{limit}", {"number": int(number)})}
            )
            self.on_breach(Said("lost.program", {"how": self._breach}))
            with suppress(BrokenPipeError):  # it has not waited for the answer
                supervisor.send(b"k")
        elif word == "failed":
            self._ended = Ended(reason=Said("program.not_started", {"why": rest}))
        elif word == "broke":
            self._fault = json.loads(rest)
        elif word == "unbegun":
            self._is_unbegun = True
        elif word == "ended":
            code, memory_mib, cpu_ms = map(int, rest.split())
            reason = self._breach or self._status(code)
            if self._ended is not None:
                reason = self._ended.reason
            self._ended = Ended(
                reason=reason,
                is_by_itself=not self._was_asked,
                memory_mib=memory_mib,
                cpu_ms=cpu_ms,
            )

    def _status(self, code: int) -> Said:
        """Say how a program with this exit status ended; in a sandbox, a signal is told as 128 more than its number."""
        number = code - 128
        if self.containment.bwrap and number > 0 and number in signal.valid_signals():
            return how_it_ended(-number)
        return how_it_ended(code)

    async def _end(self, supervisor: socket.socket) -> None:
        """End a program and everything it started: a moment to end by itself, then SIGTERM, then SIGKILL."""
        with trio.move_on_after(TERM_SECONDS):
            await self._listen(supervisor)
        self._was_asked = True
        with suppress(BrokenPipeError):
            supervisor.send(b"t")
        with trio.move_on_after(TERM_SECONDS):
            await self._listen(supervisor)
        with suppress(OSError):  # not connected any more
            supervisor.shutdown(socket.SHUT_WR)
        with trio.move_on_after(KILL_SECONDS):
            await self._listen(supervisor)

    async def _keep(
        self, stream: trio.abc.ReceiveStream, path: Path, scope: trio.CancelScope
    ) -> None:
        """Append what a program prints to a file, up to a limit; the rest is read and dropped.

        The scope is shielded: its author needs the last words of a program that failed, even if all
        else is cancelled.
        """
        kept = path.stat().st_size if path.exists() else 0
        with scope:
            async for data in stream:
                if path.suffix == ".stderr":
                    self._first_words = (self._first_words + data)[:FIRST_BYTES]
                room = OUTPUT_BYTES - kept
                if room < 0:
                    continue  # the note has been written
                note = (
                    f"\n[only the first {OUTPUT_BYTES} bytes are kept]\n".encode()
                    if len(data) > room
                    else b""
                )
                with kept_on_disk(), path.open("ab") as file:
                    file.write(data[:room] + note)
                kept += len(data)


def how_it_ended(code: int) -> Said:
    """Say how a process with this exit status ended; below 0 it is the number of a signal."""
    if code < 0 and -code in signal.valid_signals():
        return Said("program.signal", {"name": signal.Signals(-code).name})
    return Said("program.exit", {"status": code})


# Bots that are tried outside a run: started for it, each time anew, or waited for


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
    """Likewise, with stars for the token; then what has failed in the arena, if anything has."""
    advice: Said | None = None
    """What to do after what it printed, likewise; None if nothing is known."""

    def ended(self, how: Ended) -> None:
        """Note the end of its program; all it printed is kept."""
        self.how = how
        self.has_ended.set()
        self.on_end()

    async def connection(self) -> trio.SocketStream | None:
        """Its next connection; None if its program has ended and none can come."""
        connection: trio.SocketStream | None = None

        async def give_up() -> None:
            await self.has_ended.wait()
            nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(give_up)
            stream, _ = await self.listener.accept()
            connection = trio.SocketStream(stream)
            nursery.cancel_scope.cancel()
        return connection

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
    command: BotCommand, containment: Containment, *, name: str
) -> AsyncIterator[Guest]:
    """A program that is started as in a run, with a door of its own; at the end it is ended with all it has started.

    Nothing may be raised inside but what ends the whole command: it would come out in a group.
    """
    with private_folder() as folder:
        listener = open_listener(UnixAddress(path=folder / SOCKET))
        with trio.socket.from_stdlib_socket(listener) as waiting:
            guest = Guest(
                name=name, token=secret_values.new_token(), listener=waiting, is_launched=True
            )
            program = Program(
                containment=containment,
                command=command,
                address=str(address_of(listener)),
                name=name,
                token=guest.token,
                output=folder / "output",
                on_end=guest.ended,
            )
            async with trio.open_nursery() as nursery:
                nursery.start_soon(program.run)
                yield guest
                nursery.cancel_scope.cancel()
        printed = [folder / f"output.{stream}" for stream in ("stdout", "stderr")]
        guest.stdout, stderr = (
            path.read_text(errors="replace") if path.exists() else "" for path in printed
        )
        guest.stderr = stderr.replace(guest.token, "*" * len(guest.token))
        guest.advice = advice(guest.stderr, command, containment.way)
        guest.stderr += "" if guest.how is None else guest.how.fault

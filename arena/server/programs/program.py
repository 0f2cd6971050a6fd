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
"""Bytes that are kept of each of a program's two output streams."""
TERM_SECONDS: Final = 1.0
"""How long a program may take to end by itself, after goodbye and again after SIGTERM."""
FIRST_BYTES: Final = 1024
"""Bytes at the beginning of standard error that say why a sandbox could not be made."""
SANDBOX_REFUSED: Final = Said("program.exit", {"status": 1})
"""The end of bubblewrap if it cannot make the sandbox."""
NO_PROGRAM: Final = "bwrap: execvp "
"""The first words of bubblewrap if the program is missing or cannot be run: no fault of ours."""
NO_WORD: Final = "its supervisor was ended, and has said nothing"
LOOK_SECONDS: Final = 1.0
"""Time between checks of the fork server until the supervisor has started."""
KILL_SECONDS: Final = 12.0
"""How long the supervisor may take to end the program; a little longer than it tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """End of a program: how it ended, and what it took."""

    reason: Said
    """The end in words: `ended with exit status 1`, `was ended: more than 64 processes`."""
    is_by_itself: bool = True
    """True if the arena had not asked it to end."""
    memory_mib: int = 0
    """The most memory at any look, with everything it started."""
    cpu_ms: int = 0
    fault: str = ""
    """The failure of the arena's part of it, with a traceback if there is one; empty without."""


@dataclass(slots=True, kw_only=True, eq=False)
class Program:
    """One start of a program. `run` sees it to its end."""

    containment: Containment
    command: BotCommand
    address: str
    """The Unix socket where its bot connects."""
    name: str
    token: str
    """The token of its login there."""
    output: Path
    """The path of its output files, without the ending `.stdout` or `.stderr`."""
    on_breach: Callable[[Said], None] = lambda _: None
    """Called with the reason before the program is ended; it is stopped, and still connected."""
    on_end: Callable[[Ended], None]
    """Called at each end, also after cancelling, once all output is kept."""
    awaited: AwaitedTime | None = None
    """The awaited time; without it the program is awaited all the time."""
    _scratch: Path | None = None
    """Its folder for temporary files, if no sandbox gives it one."""
    _supervisor: int = 0
    """The number of the supervisor's process, from its first line to its end."""
    _heard: bytes = b""
    _breach: Said | None = None
    _was_asked: bool = False
    _has_begun: bool = False
    """True once its supervisor has started."""
    _is_over_by_itself: bool = False
    _fault: str = ""
    """The traceback of a failure of the arena, its supervisor included."""
    _is_unbegun: bool = False
    """True if its sandbox has ended before it was the program."""
    _first_words: bytes = b""
    """The beginning of its standard error."""
    _ended: Ended | None = None

    async def run(self) -> Ended:
        """Run the program to its end. If cancelled, end it with everything it has started."""
        ours, theirs = socket.socketpair()
        try:
            with ours, fork_server() as server, self.containment.shown_to(self.command):
                ours.setblocking(False)
                with theirs:
                    streams = self._start(server, theirs)
                if streams is not None:
                    await self._attend(streams, ours, server)
        finally:
            if self._supervisor:  # it hangs: otherwise it would have closed its socket
                with suppress(ProcessLookupError):
                    os.kill(self._supervisor, signal.SIGKILL)
            if self._scratch is not None:  # it is still there if the supervisor was killed
                shutil.rmtree(self._scratch, ignore_errors=True)
            ended = self._conclude()
            self.on_end(ended)
        return ended

    def _conclude(self) -> Ended:
        """Return how the program ended, with a fault of the arena unless it was to end anyway."""
        ended = self._ended
        if ended is None:
            reason = Said("program.unknown")
            ended = Ended(reason=reason, is_by_itself=self._is_over_by_itself)
        if not self._is_over_by_itself:
            return ended
        fault = self._find_fault()
        if not fault:
            return ended
        if self._has_begun and self._ended is None:  # the end of the program itself is unknown
            return replace(ended, fault=fault)
        why = fault.splitlines()[-1]
        return replace(ended, reason=Said("program.not_started", {"why": why}), fault=fault)

    def _find_fault(self) -> str:
        """Return what failed on the side of the arena; empty if nothing did."""
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
        """Order a supervisor for the program; return its output streams, or None if that fails."""
        streams: list[trio.abc.ReceiveStream] = []
        files = [supervisor.fileno()]
        for _ in range(2):  # standard output and standard error
            ours, theirs = os.pipe()
            streams.append(trio.lowlevel.FdStream(ours))
            files.append(theirs)
        ends_of_program = files[1:]
        if self.awaited is not None:
            files.append(self.awaited.descriptor)
        try:
            if self.containment.landlock:
                self._scratch = Path(tempfile.mkdtemp(prefix="arena-bot-"))
            shared = [Path(self.address.removeprefix("unix:"))]
            words, environment = self.containment.launch(
                self.command, shared=shared, scratch=self._scratch
            )
            environment |= {
                "ARENA_ADDRESS": self.address,
                "ARENA_NAME": self.name,
                "ARENA_TOKEN": self.token,
            }
            server.start(words, environment, self.command.directory, files)
        except OSError:
            self._fault = traceback.format_exc()
            self._is_over_by_itself = True
            return None
        finally:
            for number in ends_of_program:
                os.close(number)
        return streams

    async def _attend(
        self, streams: list[trio.abc.ReceiveStream], supervisor: socket.socket, server: ForkServer
    ) -> None:
        """Keep what the program prints, and follow its supervisor until it has ended."""
        keeping = [trio.CancelScope(shield=True), trio.CancelScope(shield=True)]
        async with trio.open_nursery() as nursery:
            for name, stream, scope in zip(("stdout", "stderr"), streams, keeping, strict=True):
                path = self.output.with_name(f"{self.output.name}.{name}")
                nursery.start_soon(self._keep, stream, path, scope)
            try:
                while not self._is_over_by_itself:
                    seconds = math.inf if self._has_begun else LOOK_SECONDS
                    with trio.move_on_after(seconds):
                        await self._listen(supervisor)
                        self._is_over_by_itself = True
                    self._end_if_it_stands_still(server)
            finally:
                self._end_if_it_stands_still(server)
                with trio.CancelScope(shield=True):
                    await self._end(supervisor)
                # A process that was not found may not hold a stream open for ever.
                for scope in keeping:
                    scope.deadline = trio.current_time() + TERM_SECONDS

    def _end_if_it_stands_still(self, server: ForkServer) -> None:
        """End a fork server that was stopped with the order for this program not carried out."""
        if not self._has_begun and server.stands_still:
            server.kill()

    async def _listen(self, supervisor: socket.socket) -> None:
        """Read the lines of the supervisor until its end; may be cancelled and called again."""
        while True:
            await trio.lowlevel.wait_readable(supervisor)
            try:
                received = supervisor.recv(4096)
            except ConnectionResetError:
                received = b""  # it has ended without reading our last word
            if not received:
                self._supervisor = 0
                return
            *lines, self._heard = (self._heard + received).split(b"\n")
            for line in lines:
                self._note(line.decode(errors="replace"), supervisor)

    def _note(
        self,
        line: str,
        supervisor: socket.socket,
    ) -> None:
        """Note what the supervisor says in a line; answer it about a breach of the limits."""
        word, _, details = line.partition(" ")
        if word == "started":
            self._has_begun = True
            self._supervisor = int(details)
        elif word == "breach":
            limit, number = details.split()
            why = Said(f"breach.{limit}", {"number": int(number)})
            self._breach = Said("program.ended", {"why": why})
            self.on_breach(Said("lost.program", {"how": self._breach}))
            with suppress(BrokenPipeError):  # it has not waited for the answer
                supervisor.send(b"k")
        elif word == "failed":
            self._ended = Ended(reason=Said("program.not_started", {"why": details}))
        elif word == "broke":
            self._fault = json.loads(details)
        elif word == "unbegun":
            self._is_unbegun = True
        elif word == "ended":
            code, memory_mib, cpu_ms = map(int, details.split())
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
        """Say how a program with this exit status ended; in a sandbox, signals have 128 added."""
        number = code - 128
        if self.containment.bwrap and number > 0 and number in signal.valid_signals():
            return how_it_ended(-number)
        return how_it_ended(code)

    async def _end(self, supervisor: socket.socket) -> None:
        """End a program and all it started: wait a moment, then SIGTERM, then SIGKILL."""
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
        """Append a program's output to a file, up to a limit; drop all that follows.

        The scope is shielded: the author of a program that failed needs its last words, even if all
        else is cancelled.
        """
        kept = 0
        if path.exists():
            kept = path.stat().st_size
        with scope:
            async for chunk in stream:
                if path.suffix == ".stderr":
                    self._first_words = (self._first_words + chunk)[:FIRST_BYTES]
                room = OUTPUT_BYTES - kept
                if room < 0:
                    continue  # the note has been written
                text = chunk[:room]
                if len(chunk) > room:
                    text += f"\n[only the first {OUTPUT_BYTES} bytes are kept]\n".encode()
                with kept_on_disk(), path.open("ab") as file:
                    file.write(text)
                kept += len(chunk)


def how_it_ended(code: int) -> Said:
    """Say how a process with this exit status ended; below 0 it is the number of a signal."""
    if code < 0 and -code in signal.valid_signals():
        return Said("program.signal", {"name": signal.Signals(-code).name})
    return Said("program.exit", {"status": code})


# Bots that are tried outside a run: started for each trial, or awaited


@dataclass(slots=True, kw_only=True, eq=False)
class Guest:
    """A bot that is tried, and the end of its program if it was started here."""

    name: str
    token: str
    listener: trio.socket.SocketType
    """The socket where it connects."""
    is_launched: bool = False
    """True if its program was started here."""
    how: Ended | None = None
    """The end of its program; None while it runs."""
    has_ended: trio.Event = field(default_factory=trio.Event)
    on_end: Callable[[], object] = lambda: None
    """Called when its program has ended."""
    stdout: str = ""
    """Its standard output, once the trial is over."""
    stderr: str = ""
    """Its standard error then, with stars for the token; last a failure of the arena, if any."""
    advice: Said | None = None
    """Advice after its last words, if there is some."""

    def ended(self, how: Ended) -> None:
        """Note the end of its program; all its output is kept."""
        self.how = how
        self.has_ended.set()
        self.on_end()

    async def connection(self) -> trio.SocketStream | None:
        """Wait for its next connection; None if its program has ended first."""
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
        """Return how its program ended within some seconds; empty if it did not.

        The words follow "its program".
        """
        if self.is_launched:
            with trio.move_on_after(within_s):
                await self.has_ended.wait()
        if self.how is None:
            return ""
        return say(self.how.reason)


Host = Callable[[], AbstractAsyncContextManager[Guest]]
"""Provides a bot to put something to, once."""


@asynccontextmanager
async def launched(
    command: BotCommand, containment: Containment, *, name: str
) -> AsyncIterator[Guest]:
    """Run a program as in a run, with its own socket; at the end, end it with all it has started.

    An exception inside would come out in a group: raise only exceptions that end the command.
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
        guest.stdout = _printed(folder / "output.stdout")
        stderr = _printed(folder / "output.stderr")
        guest.stderr = stderr.replace(guest.token, "*" * len(guest.token))
        guest.advice = advice(guest.stderr, command, containment.way)
        if guest.how is not None:
            guest.stderr += guest.how.fault


def _printed(path: Path) -> str:
    if not path.exists():
        return ""
    return path.read_text(errors="replace")

"""A venue that stays open: a parent that starts its other processes, and starts them again.

The parent does nothing else, so that nothing ends it. It hands down the socket of the pages and the
lock of the folder, and passes the pulse of the referee on to the pages. The analysis of matches
runs while the operator's file wants it and the disk has room.
"""

import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from typing import Final

import msgspec
import trio

from arena.server.io.clock import system_time_ms
from arena.server.io.ending_signals import HANG_UP, ending_signals
from arena.server.io.line_pipes import LineSender
from arena.server.io.operator_log import Event, Show, operator_log
from arena.server.io.service_manager import ALIVE, READY, STOPPING, tell_service_manager
from arena.server.programs import cgroups
from arena.server.programs.program import how_it_ended
from arena.server.setup.referee_lines import PROGRAM, Failed, Logged, Opened, Pulse, parse_line
from arena.server.setup.venue_folder import VenueFolder
from arena.services.errors import RefusedError
from arena.words import Said
from arena.words.system_errors import system_reason

REFEREE: Final = (sys.executable, "-m", PROGRAM)
ANALYSIS: Final = (sys.executable, "-m", "arena.services.venue_analysis")
FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 30.0
"""Pause before a process is started again; it doubles each time."""
STEADY_SECONDS: Final = 10.0
"""After a process has run for this time, the next pause is the first one again."""
FINISH_SECONDS: Final = 14.0
"""For the referee to finish the turns in play: with what follows the venue ends in 20 seconds, on a
busy machine too."""
LAST_LINES_SECONDS: Final = 0.5
AT_ONCE_SECONDS: Final = 1.5
"""For a process that has to end at once; then it is killed."""


class NotServedError(RefusedError):
    """The venue cannot be opened; says what to do."""


def serve(
    folder: VenueFolder,
    lock: int,
    front: str,
    pages: Sequence[str],
    listener: int,
    tell_opened: Callable[[Opened], object],
    show: Show,
) -> None:
    """Keep a venue open until Ctrl-C, SIGTERM or SIGHUP.

    `lock` is the file that holds the lock of the folder, `front` the address of the first page.
    The command `pages` serves the pages; its last argument will be `listener`, the number of the
    socket where their readers connect. `tell_opened` is called once bots can connect, `show` with
    what the operator should know. Raises `NotServedError`.
    """
    cgroups.find_base()  # moves this process: the referee needs a group without other processes

    def show_if_seen(event: Event) -> None:
        with suppress(OSError):  # the terminal is gone; the event is in the file
            show(event)

    with operator_log(folder.operator_log, system_time_ms, show_if_seen, may_lose=True) as log:
        parent = _Parent(
            _Child(
                [*REFEREE, str(folder.path), str(lock), front],
                [lock],
                lambda **facts: log.warning("referee_ended", **facts),
            ),
            _Child(
                [*pages, str(listener)],
                [listener],
                lambda **facts: log.warning("venue_pages_ended", **facts),
            ),
            lambda: _Child(
                [*ANALYSIS, str(folder.path)],
                [],
                lambda **facts: log.warning("analysis_ended", **facts),
            ),
            tell_opened,
            show_if_seen,
        )
        trio.run(parent.run)
    if parent.refusal is not None:
        raise NotServedError(parent.refusal)


class _Child:
    """A process that is started again whenever it ends."""

    def __init__(
        self, command: Sequence[str], files: Sequence[int], tell_end: Callable[..., object]
    ) -> None:
        """`files` are handed down to it. `tell_end` gets the reason and the pause after an end."""
        self._command = command
        self._files = files
        self._tell_end = tell_end
        self.hear: Callable[[bytes], object] = lambda _line: None
        """Called with each line that it writes."""
        self.why_failed: Said | None = None
        """Its own word why it ends."""
        self._process: trio.Process | None = None
        self._input: LineSender | None = None
        self._keeping = trio.CancelScope()
        """Cancelled when it is to end; it has some time for that."""
        self._patience = trio.CancelScope()
        self._has_ended = trio.Event()

    def send_line(self, line: bytes) -> None:
        """Send a line to its standard input, if it is there."""
        if self._input is not None:
            self._input.send_line(line)

    async def keep(self) -> None:
        """Keep the process until `end` is called."""
        pause = FIRST_PAUSE_SECONDS
        with self._keeping:
            while True:
                started = time.monotonic()
                how = await self._run()
                if self._keeping.cancel_called:
                    break
                if time.monotonic() - started >= STEADY_SECONDS:
                    pause = FIRST_PAUSE_SECONDS
                self._tell_end(reason=self.why_failed or how, pause_s=pause)
                self.why_failed = None
                await trio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        self._has_ended.set()

    async def _run(self) -> Said:
        """Run one process to its end; returns how it ended."""
        try:
            process = await trio.lowlevel.open_process(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=self._files,
                start_new_session=True,  # Ctrl-C reaches the parent alone
            )
        except OSError as error:
            return Said("program.not_started", {"why": system_reason(error)})
        assert isinstance(process.stdin, trio.lowlevel.FdStream), "it is a pipe"
        assert isinstance(process.stdout, trio.lowlevel.FdStream), "it is a pipe"
        self._process = process
        if self._keeping.cancel_called:
            process.terminate()
        with trio.CancelScope(shield=True):  # `end` waits for the process, and kills it if need be
            async with process.stdin, process.stdout:
                self._input = LineSender(process.stdin.fileno())
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._read, process.stdout)
                    code = await process.wait()
                    self._input = None
                    # its last lines are still in the pipe, which a program of its may hold open
                    nursery.cancel_scope.deadline = trio.current_time() + LAST_LINES_SECONDS
        return how_it_ended(code)

    async def _read(self, output: trio.abc.ReceiveStream) -> None:
        unfinished = b""
        async for part in output:
            *lines, unfinished = (unfinished + part).split(b"\n")
            for line in lines:
                self.hear(line)

    async def end(self, seconds: float) -> None:
        """Ask the process to end, ask again after this time, and kill it at last."""
        self._keeping.cancel()
        await self._ended_by(signal.SIGTERM, seconds)
        await self._ended_by(signal.SIGTERM, AT_ONCE_SECONDS)
        await self._ended_by(signal.SIGKILL, AT_ONCE_SECONDS)

    async def _ended_by(self, number: int, seconds: float) -> None:
        """Send a signal, and wait for the end; at most for this time, or until `hurry`."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.send_signal(number)
        with trio.move_on_after(seconds) as self._patience:
            await self._has_ended.wait()

    def hurry(self) -> None:
        """Have no more patience with a process that is to end."""
        self._patience.cancel()


class _Parent:
    """The parent of referee, pages and analysis."""

    def __init__(
        self,
        referee: _Child,
        pages: _Child,
        new_analysis: Callable[[], _Child],
        tell_opened: Callable[[Opened], object],
        show: Show,
    ) -> None:
        self._referee = referee
        self._pages = pages
        self._new_analysis = new_analysis
        self._analysis: _Child | None = None
        """Analyses the matches, while that is wanted."""
        self._analyses = False
        """True if the operator's file wants it."""
        self._nursery: trio.Nursery | None = None
        self._tell_opened = tell_opened
        self._show = show
        self._is_open = False
        self.refusal: Said | None = None
        """Why the venue could not be opened at all."""
        self._until_refused = trio.CancelScope()
        referee.hear = self._hear

    async def run(self) -> None:
        """Keep all until a signal; then let the referee finish its turns, and end them."""
        with trio.open_signal_receiver(*ending_signals()) as signals:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._referee.keep)
                nursery.start_soon(self._pages.keep)
                with self._until_refused:
                    await anext(signals)
                nursery.start_soon(self._hurry_at_next, signals)
                tell_service_manager(STOPPING)
                self._nursery = None
                if self._analysis is not None:
                    await self._analysis.end(AT_ONCE_SECONDS)
                await self._referee.end(FINISH_SECONDS)
                await self._pages.end(AT_ONCE_SECONDS)
                nursery.cancel_scope.cancel()

    async def _hurry_at_next(self, signals: AsyncIterator[int]) -> None:
        """End at once at a second signal; the system and the shell may both send a SIGHUP."""
        async for number in signals:
            if number != HANG_UP:
                self._referee.hurry()
                self._pages.hurry()

    def _hear(self, line: bytes) -> None:
        """Take in a line of the referee."""
        try:
            message = parse_line(line)
        except msgspec.MsgspecError:
            return  # cut short by its end
        match message:
            case Pulse():
                tell_service_manager(ALIVE)
                self._pages.send_line(line + b"\n")
                self._turn_analysis(is_on=self._analyses and message.pairing_stopped is None)
            case Logged(logged=event):
                self._show(event)
            case Failed(why=why):
                self._referee.why_failed = why
                if not self._is_open:
                    self.refusal = why
                    self._until_refused.cancel()
            case Opened():
                self._analyses = message.analyses
                if not self._is_open:
                    self._is_open = True
                    tell_service_manager(READY)
                    self._tell_opened(message)

    def _turn_analysis(self, *, is_on: bool) -> None:
        """Start the analysis, or end it, unless that is done."""
        if self._nursery is None:
            return
        if is_on and self._analysis is None:
            self._analysis = self._new_analysis()
            self._analysis.hear = self._hear
            self._nursery.start_soon(self._analysis.keep)
        elif not is_on and self._analysis is not None:
            self._nursery.start_soon(self._analysis.end, AT_ONCE_SECONDS)
            self._analysis = None

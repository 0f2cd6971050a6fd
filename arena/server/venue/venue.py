"""The venue, which outlives runs, and its knowledge of the runs that are open in it."""

import os
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import trio

from arena.server.io.clock import RunClock, RunningClock, system_time_ms
from arena.server.io.disk import DiskError
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import causes, log_failure
from arena.server.io.operator_log import Log, Show, operator_log, shared_log
from arena.server.io.private_folder import SOCKET, private_folder
from arena.server.programs.containment import Containment
from arena.server.programs.fork_server import fork_server
from arena.server.programs.system_files import real_places
from arena.server.setup.run_folder import FolderError, RunFolder
from arena.server.setup.tournament_file import Plan
from arena.server.venue.entrance import STOPPED, Entrance
from arena.server.venue.shutdown import Draining, Shutdown
from arena.server.venue.turns import SeatTurns
from arena.words import Said

TELL_SECONDS: Final = 0.5
"""The shortest stop that is reported to the operator; a busy machine causes shorter ones."""


@dataclass(slots=True, kw_only=True, eq=False)
class OpenRun:
    """The facts of a run that a venue needs."""

    id: str = ""
    """The beginning of the ids of its matches; open runs have different ones."""
    plan: Plan
    folder: RunFolder
    directory: Path
    """The folder where commands of bots run."""
    log: Log
    places: Sequence[Path]
    """The places that no bot of any run may read: its folder, and keys."""
    clock: RunClock
    draining: Draining = field(default_factory=Draining)
    scope: trio.CancelScope = field(default_factory=trio.CancelScope)
    failure: DiskError | None = None
    """The reason if it ends before its time, since its disk takes no more."""
    containment: Containment | None = None
    """The containment of its programs; None while it has none."""
    break_off: Callable[[], object] = lambda: None
    """Releases its bots at once, and takes back messages that were not sent yet."""

    def fail(self, failure: DiskError) -> None:
        """End this run alone: nothing may go on that is not on record."""
        if self.failure is None:
            self.failure = failure
            self.scope.cancel()
            self.break_off()


class Venue:
    """A loop with a door, and the runs that are open in it."""

    def __init__(
        self,
        loop: EventLoop,
        private: Path,
        own_log: Log,
        tokens: dict[str, str],
        lasting: ExitStack,
        *,
        keeps_log: bool = False,
    ) -> None:
        self._own_log = own_log
        """For events while no run is open, or for all events of the venue."""
        self._keeps_log = keeps_log
        self._lasting = lasting
        self._runs: dict[str, OpenRun] = {}
        self._has_fork_server = False
        self.loop = loop
        self.tokens = tokens
        """The operators' tokens, each with the stars that all logs show in its place."""
        self.log = shared_log(self._logs)
        """The log for events of the whole venue: all open runs log them, or the venue alone."""
        self.shutdown = Shutdown()
        self.turns = SeatTurns()
        self.matches_finished = 0
        self.entrance = Entrance(loop, private, self.log)
        loop.on_failure = partial(log_failure, self.log)
        loop.on_disk_error = self._lose_record

    def _logs(self) -> list[Log]:
        if self._keeps_log or not self._runs:
            return [self._own_log]
        return [run.log for run in self._runs.values()]

    @property
    def matches_in_play(self) -> int:
        """Number of matches that are being played in all runs."""
        return sum(run.draining.matches_in_play for run in self._runs.values())

    @property
    def seats(self) -> int:
        """The most matches that the open runs play at once."""
        return sum(run.plan.at_once for run in self._runs.values())

    @contextmanager
    def opened(self, run: OpenRun) -> Iterator[None]:
        """Open a run in this venue until it is over.

        Raises `FolderError` if a run with its id is open, or if a running program sees its folder.

        A run that is failing raises its `failure` at the end.
        """
        if run.id in self._runs:
            values = {"run": str(run.folder.path), "id": repr(run.id)}
            raise FolderError(Said("venue.open_already", values))
        self._check_is_hidden(run)
        self._runs[run.id] = run
        self.shutdown.take_in(run.draining)
        try:
            with run.scope:
                yield
        finally:
            self.shutdown.let_go(run.draining)
            self.turns.leave(run)
            del self._runs[run.id]
        if run.failure is not None:
            raise run.failure

    def _check_is_hidden(self, run: OpenRun) -> None:
        """Raise `FolderError` if a program of an open run may read a place of this run."""
        for open_run in self._runs.values():
            if open_run.containment is None:
                continue
            for place in real_places(run.places):
                readable_path = open_run.containment.shown_of(place)
                if readable_path is not None:
                    values = {
                        "run": str(run.folder.path),
                        "path": str(readable_path),
                        "other": str(open_run.folder.path),
                    }
                    raise FolderError(Said("venue.seen", values))

    def places(self) -> tuple[Path, ...]:
        """Return the places of the open runs that no bot may read."""
        places: list[Path] = []
        for run in self._runs.values():
            places += real_places(run.places)
        return tuple(places)

    def keep_fork_server(self) -> None:
        """Keep the fork server from now on: programs of later runs start as quickly."""
        if not self._has_fork_server:
            self._lasting.enter_context(fork_server())
            self._has_fork_server = True

    # Failures

    def _lose_record(self, error: BaseException) -> bool:
        """End the runs whose records cannot be written; return False if a run is unknown."""
        lost = []
        for cause in causes(error):
            if isinstance(cause, DiskError):
                run = self._run_with(cause.filename)
                if run is None:
                    return False
                lost.append((run, cause))
        for run, cause in lost:
            run.fail(cause)
        return bool(lost)

    def _run_with(self, file: str | None) -> OpenRun | None:
        """Return the open run whose folder has this file; None if none has."""
        if file is None:
            return None
        folders = Path(file).parents
        for run in self._runs.values():
            if run.folder.path in folders:
                return run
        return None

    async def tell_stops(self) -> None:
        """Report, for ever, when the arena has been stopped; no clock ran meanwhile."""
        clock = trio.lowlevel.current_clock()
        stopped_before = 0.0
        while isinstance(clock, RunningClock):  # the clock of a test is never stopped
            await trio.sleep(TELL_SECONDS)
            stopped = clock.stopped_seconds - stopped_before
            if stopped >= TELL_SECONDS:
                self.log.warning("arena_stopped", seconds=round(stopped, 1))
            stopped_before += stopped


@asynccontextmanager
async def open_venue(show: Show, log_file: Path | None = None) -> AsyncIterator[Venue]:
    """Open a venue; at the end close it. `show` gets the events while no run is open.

    A venue with a `log_file` keeps a log of its own: that and `show` get all events of the venue,
    and its runs get none.
    """
    with ExitStack() as lasting:
        private = lasting.enter_context(private_folder())
        async with trio.open_nursery() as nursery:
            loop = EventLoop(nursery)
            tokens: dict[str, str] = {}
            log = lasting.enter_context(
                operator_log(
                    log_file or Path(os.devnull),
                    system_time_ms,
                    show,
                    instead=tokens,
                    may_lose=True,
                )
            )
            venue = Venue(
                loop, private / SOCKET, log, tokens, lasting, keeps_log=log_file is not None
            )
            loop.open()
            nursery.start_soon(venue.tell_stops)
            try:
                yield venue
            except BaseException:
                venue.entrance.stop(STOPPED)
                raise
            finally:
                venue.entrance.shut()
            venue.entrance.stop("the tournament is over")
            nursery.cancel_scope.cancel()

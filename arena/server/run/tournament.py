"""A run of a tournament, from opening its record to closing it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import trio

from arena.records.facts import EntrantsAbsent, EntrantsAwaited, EntrantWithdrawn, TournamentFact
from arena.server.io.clock import Clock, RunningClock
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import log_failure
from arena.server.io.operator_log import Log, Show, operator_log
from arena.server.run.resume import builds_in
from arena.server.run.roster import open_roster
from arena.server.run.scheduler import play_agenda
from arena.server.run.seat_pages import SeatPages
from arena.server.run.shutdown import Shutdown
from arena.server.run.tournament_log import Progressed, Report, TournamentLog
from arena.server.run.workers.chunk import Crew
from arena.server.run.workers.dispatcher import Dispatcher
from arena.server.setup.credentials import Signer, given_tokens, places_of_run
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan

TELL_SECONDS: Final = 0.5
"""The operator is told of a stop that took so long; shorter ones come of a busy machine."""

UNWRITTEN: Final = frozenset({"run_finished"})
"""A finished run stays as it is when it is looked at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A tournament that is to be played to its end, from wherever an earlier run of its folder left it."""

    plan: Plan
    folder: RunFolder
    """It is open."""
    directory: Path
    """Where commands of bots run."""
    report: Report
    """Told of every line of the tournament record."""
    show: Show
    """Told of what the operator should know."""
    crew: Crew | None = None
    """The workers that play the matches; this process plays them if there are none."""
    signer: Signer | None = None
    """Has the operator's key, if there is one."""
    pages: SeatPages | None = None
    """Serve the seats of those who play by hand, if there are any."""


def run_tournament(run: Run) -> None:
    """Play a tournament to its end; after an exception the run can be resumed."""
    trio.run(direct, run, clock=RunningClock())


async def direct(run: Run) -> None:
    """Like `run_tournament`, in an event loop that is already running."""
    tokens = dict.fromkeys(given_tokens(run.plan, run.directory), "***")
    path, now_ms = run.folder.operator_log, Clock().now_ms
    with operator_log(path, now_ms, run.show, instead=tokens, unwritten=UNWRITTEN) as log:
        async with trio.open_nursery() as nursery:
            loop = EventLoop(nursery)
            loop.on_failure = partial(log_failure, log)
            loop.open()
            shutdown = Shutdown(lambda turns: log.info("stopping", turns=turns))
            nursery.start_soon(shutdown.obey_signals)
            nursery.start_soon(_tell_stops, log)
            await _play(run, loop, log, shutdown)
            nursery.cancel_scope.cancel()


async def _tell_stops(log: Log) -> None:
    """Tell the operator when the arena has been stopped; no clock ran meanwhile."""
    clock = trio.lowlevel.current_clock()
    told = 0.0
    while isinstance(clock, RunningClock):  # that of a test is never stopped
        await trio.sleep(TELL_SECONDS)
        stopped = clock.stopped_seconds - told
        if stopped >= TELL_SECONDS:
            log.warning("arena_stopped", seconds=round(stopped, 1))
        told += stopped


def _tell(report: Report, log: Log, join_ms: int, fact: TournamentFact | Progressed) -> None:
    report(fact)
    if isinstance(fact, EntrantWithdrawn):
        log.warning("bot_withdrawn", name=fact.entrant, violations=fact.violations)
    elif isinstance(fact, EntrantsAwaited) and fact.away:
        log.info("bots_awaited", names=fact.away, join_ms=join_ms)
    elif isinstance(fact, EntrantsAbsent):
        log.warning("bots_given_up", names=fact.away, join_ms=join_ms)


async def _play(run: Run, loop: EventLoop, log: Log, shutdown: Shutdown) -> None:
    plan, folder, directory = run.plan, run.folder, run.directory
    key = None if run.signer is None else run.signer.path
    report = partial(_tell, run.report, log, plan.limits.join_ms)
    tournament_log = TournamentLog(plan, plan.game(), folder, loop.clock, report, run.signer)
    state = tournament_log.state
    try:
        if not state.is_finished:
            await tournament_log.settle_leftovers()
            if tournament_log.is_resumed:
                under_way = len(tournament_log.under_way)
                log.info("run_resumed", over=state.over, matches=state.scheduled, under_way=under_way)
            if run.signer is None and tournament_log.key is not None:
                log.warning("key_missing")
            hidden = places_of_run(folder.path, key)
            if run.crew is None:
                builds, secrets = builds_in(tournament_log.under_way.values()), tournament_log.secrets
                async with open_roster(
                    plan, folder, directory, loop, secrets, log, builds=builds, hidden=hidden, pages=run.pages
                ) as roster:
                    await play_agenda(plan, folder, loop, tournament_log, roster, shutdown)
            else:
                await Dispatcher(
                    plan, folder, directory, tournament_log, run.crew, shutdown, log, run.show, hidden
                ).play_all()
        else:
            log.warning("run_finished", run=str(folder.path), finished_ms=tournament_log.finished_ms)
        await tournament_log.finish()
        shutdown.end_if_asked_for()
    finally:
        tournament_log.close()

"""A run of a tournament, from opening its record to closing it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import trio

from arena.records.facts import EntrantWithdrawn, TournamentFact
from arena.server.io.clock import Clock
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import log_failure
from arena.server.io.operator_log import Log, Show, operator_log
from arena.server.io.reporting import Report
from arena.server.run.scheduler import play_agenda
from arena.server.run.shutdown import Shutdown
from arena.server.run.tournament_log import TournamentLog
from arena.server.run.workers.crew import Crew
from arena.server.run.workers.dispatcher import Dispatcher
from arena.server.setup.credentials import given_tokens
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.signing import Signer
from arena.server.setup.tournament_file import Plan


def run_tournament(
    plan: Plan,
    folder: RunFolder,
    directory: Path,
    report: Report,
    show: Show,
    crew: Crew | None = None,
    signer: Signer | None = None,
) -> None:
    """Run a tournament to its end in an open folder, from wherever an earlier run left it.

    Commands of bots run in `directory`. `report` is told of every line of the tournament record, `show` of what the
    operator should know. Matches are played by a crew of workers, or without one by this process. An exception leaves
    the folder ready to be gone on with.
    """
    trio.run(direct, plan, folder, directory, report, show, crew, signer)


async def direct(
    plan: Plan,
    folder: RunFolder,
    directory: Path,
    report: Report,
    show: Show,
    crew: Crew | None = None,
    signer: Signer | None = None,
) -> None:
    """What `run_tournament` does, in an event loop that is running."""
    tokens = dict.fromkeys(given_tokens(plan, directory), "***")
    with operator_log(folder.operator_log, Clock().now_ms, show, instead=tokens) as log:
        async with trio.open_nursery() as nursery:
            loop = EventLoop(nursery)
            loop.on_failure = partial(log_failure, log)
            loop.open()
            shutdown = Shutdown(lambda turns: log.info("stopping", turns=turns))
            nursery.start_soon(shutdown.obey_signals)
            await _play(plan, folder, directory, loop, partial(_tell, report, log), show, log, shutdown, crew, signer)
            nursery.cancel_scope.cancel()


def _tell(report: Report, log: Log, fact: TournamentFact) -> None:
    """Report a line of the record; what operators must hear of is in their log as well."""
    report(fact)
    if isinstance(fact, EntrantWithdrawn):
        log.warning("bot_withdrawn", name=fact.entrant, violations=fact.violations)


async def _play(
    plan: Plan,
    folder: RunFolder,
    directory: Path,
    loop: EventLoop,
    report: Report,
    show: Show,
    log: Log,
    shutdown: Shutdown,
    crew: Crew | None,
    signer: Signer | None,
) -> None:
    """Play what there is to play, from opening the record to closing it."""
    tournament_log = TournamentLog(plan, plan.game(), folder, loop.clock, report, signer)
    try:
        if not tournament_log.is_finished:
            await tournament_log.settle_leftovers()
            if tournament_log.is_resumed:
                over, matches = tournament_log.progress
                log.info("run_resumed", over=over, matches=matches, under_way=len(tournament_log.under_way))
            if crew is None:
                await play_agenda(plan, folder, directory, loop, tournament_log, tournament_log.secrets, shutdown, log)
            else:
                await Dispatcher(plan, folder, directory, tournament_log, crew, shutdown, log, show).play_all()
        await tournament_log.finish()
        shutdown.end_if_asked_for()
    finally:
        tournament_log.close()

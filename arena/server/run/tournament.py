"""A run of a tournament, from opening its record to closing it."""

from __future__ import annotations

from pathlib import Path

import trio

from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import FailureLog
from arena.server.io.reporting import Report
from arena.server.run.scheduler import play_agenda
from arena.server.run.shutdown import Shutdown
from arena.server.run.tournament_log import TournamentLog
from arena.server.run.workers.crew import Crew
from arena.server.run.workers.dispatcher import Dispatcher
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import Plan


def run_tournament(plan: Plan, folder: RunFolder, directory: Path, report: Report, crew: Crew | None = None) -> None:
    """Run a tournament to its end in an open folder, from wherever an earlier run left it.

    Commands of bots run in `directory`. Matches are played by a crew of workers, or without one by this process. An
    exception leaves the folder ready to be gone on with.
    """
    trio.run(direct, plan, folder, directory, report, crew)


async def direct(plan: Plan, folder: RunFolder, directory: Path, report: Report, crew: Crew | None = None) -> None:
    """What `run_tournament` does, in an event loop that is running."""
    async with trio.open_nursery() as nursery:
        loop = EventLoop(nursery)
        loop.on_failure = FailureLog(folder.failures, report).note
        loop.open()
        shutdown = Shutdown(report)
        nursery.start_soon(shutdown.obey_signals)
        tournament_log = TournamentLog(plan, plan.game(), folder, loop.clock, report)
        try:
            if not tournament_log.is_finished:
                await tournament_log.settle_leftovers()
                if crew is None:
                    await play_agenda(
                        plan, folder, directory, loop, tournament_log, tournament_log.secrets, shutdown, report
                    )
                else:
                    await Dispatcher(plan, folder, directory, tournament_log, crew, shutdown, report).play_all()
            await tournament_log.finish()
            shutdown.end_if_asked_for()
        finally:
            tournament_log.close()
        nursery.cancel_scope.cancel()

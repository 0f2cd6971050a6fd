"""A run of a tournament, from opening its record to closing it."""

from __future__ import annotations

from pathlib import Path

import trio

from arena.server.director import play_agenda
from arena.server.failures import FailureLog
from arena.server.folder import RunFolder
from arena.server.hall import Hall
from arena.server.ledger import Ledger
from arena.server.plan import Plan
from arena.server.reporting import Report
from arena.server.stopping import Stopping
from arena.server.workers.crew import Crew
from arena.server.workers.dispatcher import Dispatcher


def run_tournament(plan: Plan, folder: RunFolder, directory: Path, report: Report, crew: Crew | None = None) -> None:
    """Run a tournament to its end in an open folder, from wherever an earlier run left it.

    Commands of bots run in `directory`. Matches are played by a crew of workers, or without one by this process. An
    exception leaves the folder ready to be gone on with.
    """
    trio.run(direct, plan, folder, directory, report, crew)


async def direct(plan: Plan, folder: RunFolder, directory: Path, report: Report, crew: Crew | None = None) -> None:
    """What `run_tournament` does, in an event loop that is running."""
    async with trio.open_nursery() as nursery:
        hall = Hall(nursery)
        hall.on_failure = FailureLog(folder.failures, report).note
        hall.open()
        stopping = Stopping(report)
        nursery.start_soon(stopping.obey_signals)
        ledger = Ledger(plan, plan.game(), folder, hall.clock, report)
        try:
            if not ledger.is_finished:
                await ledger.settle_leftovers()
                if crew is None:
                    await play_agenda(plan, folder, directory, hall, ledger, ledger.secrets, stopping, report)
                else:
                    await Dispatcher(plan, folder, directory, ledger, crew, stopping, report).play_all()
            await ledger.finish()
            stopping.end_if_asked_for()
        finally:
            ledger.close()
        nursery.cancel_scope.cancel()

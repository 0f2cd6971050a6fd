"""What a worker does: plays a batch in a folder with the director of every arena, until it is played or called off."""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import trio

from arena.records.facts import Way
from arena.records.lines import RecordError
from arena.server.io.address import ListenError
from arena.server.io.clock import Clock
from arena.server.io.event_loop import EventLoop
from arena.server.io.failures import log_failure
from arena.server.io.operator_events import OF_THE_MACHINE
from arena.server.io.operator_log import Event, Show, operator_log
from arena.server.io.reporting import causes
from arena.server.programs.containment import sandbox_problems
from arena.server.programs.launcher import program_problems
from arena.server.programs.sandbox import SandboxError
from arena.server.run.entrance import server_name
from arena.server.run.scheduler import play_agenda
from arena.server.run.shutdown import Shutdown
from arena.server.run.workers.batch import Batch, BatchAgenda
from arena.server.run.workers.crew import Done, WorkerError
from arena.server.setup.run_folder import RunFolder, Secrets

EXPECTED = (OSError, ListenError, RecordError, SandboxError)
"""What may go wrong without a bug of ours."""


def play_batch(batch: Batch, folder: Path, is_called_off: Callable[[], bool]) -> Done:
    """Play a batch; records and what is kept beside them go to `folder`. Gives what the operator should know.

    `is_called_off` is asked all the time; once it says so, the turns in play are finished, and what is not over is left
    as its record tells it. Raises `WorkerError`.
    """
    if problems := _problems(batch):
        raise WorkerError(f"the worker on {platform.node()} cannot play: {'; '.join(problems)}")
    said: list[Event] = []
    contained: dict[str, Way] = {}
    try:
        with closing(RunFolder(folder)) as run_folder:
            trio.run(_play, batch, run_folder, is_called_off, said.append, contained)
    except (BaseExceptionGroup, *EXPECTED) as error:
        found = list(causes(error))
        if all(isinstance(cause, KeyboardInterrupt) for cause in found):
            return Done(said=tuple(said), contained=contained)
        if not all(isinstance(cause, EXPECTED) for cause in found):
            raise
        message = "; ".join(map(str, found))
        raise WorkerError(f"the worker on {platform.node()} cannot go on: {message}") from None
    return Done(said=tuple(said), contained=contained)


def _problems(batch: Batch) -> list[str]:
    """What keeps the batch from being played here; nothing on the arena's own machine, which has looked already."""
    if batch.server != server_name():
        return [f"it is {server_name()}, the batch comes from {batch.server}; install the same on both"]
    if not batch.directory.is_dir():
        return [f"there is no folder {batch.directory}, where the commands of bots run; make it, with the bots in it"]
    problems = program_problems({bot.entrant: bot.arguments for bot in batch.plan.bot}, batch.directory)
    return problems + sandbox_problems(batch.plan, batch.directory, [batch.run])


async def _play(
    batch: Batch, folder: RunFolder, is_called_off: Callable[[], bool], show: Show, contained: dict[str, Way]
) -> None:
    elsewhere = {str(folder.path): str(batch.run)}  # where its files will be
    with operator_log(folder.operator_log, Clock().now_ms, show, instead=elsewhere, unwritten=OF_THE_MACHINE) as log:
        async with trio.open_nursery() as nursery:
            loop = EventLoop(nursery)
            loop.on_failure = partial(log_failure, log)
            loop.open()
            shutdown = Shutdown(lambda _: None)  # the arena has said it
            nursery.start_soon(shutdown.obey, is_called_off)
            agenda = BatchAgenda(batch, folder, loop.clock)
            agenda.contained = contained
            hidden = [batch.run]  # even when this worker plays elsewhere: it may be on the arena's own machine
            await play_agenda(batch.plan, folder, batch.directory, loop, agenda, Secrets(), shutdown, log, hidden)
            nursery.cancel_scope.cancel()

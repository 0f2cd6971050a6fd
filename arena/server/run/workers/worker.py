"""The worker: plays a batch in a folder with the scheduler of every arena, until it is played or called off."""

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
from arena.server.io.clock import Clock, RunningClock
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
"""What may go wrong although the arena has no bug."""


def play_batch(batch: Batch, folder: Path, is_called_off: Callable[[], bool]) -> Done:
    """Play a batch; records and other files go to `folder`. Returns what the operator should know.

    `is_called_off` is asked all the time. Once it returns True, the open turns are finished, and unfinished matches
    stay as their records say. Raises `WorkerError`.
    """
    if problems := _problems(batch):
        raise WorkerError(f"the worker on {platform.node()} cannot play: {'; '.join(problems)}")
    said: list[Event] = []
    contained: dict[str, Way] = {}
    try:
        with closing(RunFolder(folder)) as run_folder:
            trio.run(_play, batch, run_folder, is_called_off, said.append, contained, clock=RunningClock())
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
    """What prevents playing the batch here; nothing on the arena's own machine, which was checked before."""
    if batch.server != server_name():
        return [f"it is {server_name()}, the batch comes from {batch.server}; install the same on both"]
    if not batch.directory.is_dir():
        return [f"there is no folder {batch.directory}, where the commands of bots run; make it, with the bots in it"]
    problems = program_problems({bot.name: bot.arguments for bot in batch.plan.bot}, batch.directory)
    return problems + sandbox_problems(batch.plan, batch.directory, [batch.run])


async def _play(
    batch: Batch, folder: RunFolder, is_called_off: Callable[[], bool], show: Show, contained: dict[str, Way]
) -> None:
    elsewhere = {str(folder.path): str(batch.run)}  # where its files will end up
    with operator_log(folder.operator_log, Clock().now_ms, show, instead=elsewhere, unwritten=OF_THE_MACHINE) as log:
        async with trio.open_nursery() as nursery:
            loop = EventLoop(nursery)
            loop.on_failure = partial(log_failure, log)
            loop.open()
            shutdown = Shutdown(lambda _: None)  # the arena has told the operator
            nursery.start_soon(shutdown.obey, is_called_off)
            agenda = BatchAgenda(batch, folder, loop.clock)
            agenda.contained = contained
            hidden = [batch.run]  # even if this worker plays elsewhere: it may be on the arena's machine
            await play_agenda(batch.plan, folder, batch.directory, loop, agenda, Secrets(), shutdown, log, hidden)
            nursery.cancel_scope.cancel()

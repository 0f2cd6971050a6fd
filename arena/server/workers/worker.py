"""What a worker does: plays a batch in a folder with the director of every arena, until it is played or called off."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import trio

from arena.records.facts import Way
from arena.records.lines import RecordError
from arena.server.address import ListenError
from arena.server.containment import sandbox_problems
from arena.server.director import play_agenda
from arena.server.entrance import server_name
from arena.server.failures import FailureLog
from arena.server.folder import RunFolder, Secrets
from arena.server.hall import Hall
from arena.server.launcher import program_problems
from arena.server.reporting import causes
from arena.server.sandbox import SandboxError
from arena.server.stopping import Stopping
from arena.server.workers.batch import Batch, BatchAgenda
from arena.server.workers.crew import Done, WorkerError

EXPECTED = (OSError, ListenError, RecordError, SandboxError)
"""What may go wrong without a bug of ours."""


def play_batch(batch: Batch, folder: Path, is_called_off: Callable[[], bool]) -> Done:
    """Play a batch; records and what is kept beside them go to `folder`. Gives what the operator should know.

    `is_called_off` is asked all the time; once it says so, the turns in play are finished, and what is not over is left
    as its record tells it. Raises `WorkerError`.
    """
    if problems := _problems(batch):
        raise WorkerError(f"the worker on {platform.node()} cannot play: {'; '.join(problems)}")
    said: list[str] = []
    contained: dict[str, Way] = {}

    def report(fact: object) -> None:
        said.append(str(fact))

    try:
        trio.run(_play, batch, RunFolder(folder), is_called_off, report, contained)
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
    problems = program_problems({bot.name: bot.arguments for bot in batch.plan.bot}, batch.directory)
    return problems + sandbox_problems(batch.plan, batch.directory, [batch.run])


async def _play(
    batch: Batch,
    folder: RunFolder,
    is_called_off: Callable[[], bool],
    report: Callable[[object], None],
    contained: dict[str, Way],
) -> None:
    async with trio.open_nursery() as nursery:
        hall = Hall(nursery)
        hall.on_failure = FailureLog(folder.failures, report).note
        hall.open()
        stopping = Stopping(lambda _: None)  # the arena has said it
        nursery.start_soon(stopping.obey, is_called_off)
        agenda = BatchAgenda(batch, folder, hall.clock)
        agenda.contained = contained
        hidden = [batch.run]  # even when this worker plays elsewhere: it may be on the arena's own machine
        await play_agenda(batch.plan, folder, batch.directory, hall, agenda, Secrets(), stopping, report, hidden)
        nursery.cancel_scope.cancel()

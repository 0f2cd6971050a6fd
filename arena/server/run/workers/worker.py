"""The worker: it plays a chunk with the scheduler of every arena, until the end or a call-off."""

import platform
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import trio

from arena.records.facts import Way
from arena.records.lines import RecordError
from arena.regular_files import failed
from arena.server.io.clock import Clock, RunClock, RunningClock
from arena.server.io.failures import causes
from arena.server.io.listening import ListenError
from arena.server.io.operator_log import OF_THE_MACHINE, Event, Show, operator_log
from arena.server.programs.bot_command import command_of
from arena.server.programs.containment import SandboxError, sandbox_problems
from arena.server.programs.start_problems import program_problems
from arena.server.run.roster import open_roster
from arena.server.run.scheduler import Scheduler
from arena.server.run.tournament_log import TellProgress
from arena.server.run.workers.chunk import Chunk, ChunkAgenda, Done, WorkerError
from arena.server.setup.run_folder import RunFolder, Secrets
from arena.server.venue.entrance import server_name
from arena.server.venue.venue import OpenRun, open_venue
from arena.words import Said, SaidError, joined

EXPECTED = (OSError, ListenError, RecordError, SandboxError)
"""Exceptions that are possible although the arena has no bug."""


def play_chunk(
    chunk: Chunk,
    folder: Path,
    is_called_off: Callable[[], bool],
    tell: TellProgress = lambda _: None,
) -> Done:
    """Play a chunk; records and other files go to `folder`. Returns what the operator should know.

    `is_called_off` is asked all the time. Once it returns True, the open turns are finished, and
    unfinished matches stay as their records say. `tell` is called for long matches and long
    thoughts. Raises `WorkerError`.
    """
    problems = _problems(chunk)
    if problems:
        details = {"host": platform.node(), "problems": joined(problems)}
        raise WorkerError(Said("worker.cannot_play", details))
    shown: list[Event] = []
    contained: dict[str, Way] = {}
    try:
        with closing(RunFolder(folder)) as run_folder:
            trio.run(
                _play,
                chunk,
                run_folder,
                is_called_off,
                tell,
                shown.append,
                contained,
                clock=RunningClock(),
            )
    except (BaseExceptionGroup, *EXPECTED) as error:
        errors = list(causes(error))
        if all(isinstance(cause, EXPECTED) for cause in errors):
            reasons = [_said(cause) for cause in errors]
            details = {"host": platform.node(), "problems": joined(reasons)}
            raise WorkerError(Said("worker.cannot_go_on", details)) from None
        # An interrupt calls the chunk off.
        if not all(isinstance(cause, KeyboardInterrupt) for cause in errors):
            raise
    return Done(said=tuple(shown), contained=contained)


def _said(error: BaseException) -> Said | str:
    if isinstance(error, OSError):
        return failed(error)
    if isinstance(error, SaidError):
        return error.said
    return str(error)


def _problems(chunk: Chunk) -> list[Said]:
    """Return what keeps the chunk from being played here.

    On the arena's own machine this is nothing: the arena has looked before.
    """
    if chunk.server != server_name():
        return [Said("worker.other_version", {"mine": server_name(), "theirs": chunk.server})]
    if not chunk.directory.is_dir():
        return [Said("worker.no_folder", {"folder": str(chunk.directory)})]
    commands = {bot.entrant: command_of(bot, chunk.directory) for bot in chunk.plan.bot}
    problems = program_problems(commands)
    return problems + sandbox_problems(chunk.plan, chunk.directory, chunk.hidden)


async def _play(
    chunk: Chunk,
    folder: RunFolder,
    is_called_off: Callable[[], bool],
    tell: TellProgress,
    show: Show,
    contained: dict[str, Way],
) -> None:
    """Play the chunk in a venue of its own."""
    elsewhere = {str(folder.path): str(chunk.run)}  # where its files will be
    async with open_venue(show) as venue:
        venue.loop.spawn(venue.shutdown.obey, is_called_off)
        clock = RunClock(venue.loop.clock)
        log_file, now_ms = folder.operator_log, Clock().now_ms
        with operator_log(
            log_file,
            now_ms,
            show,
            instead=elsewhere,
            unwritten=OF_THE_MACHINE,
        ) as log:
            run = OpenRun(
                plan=chunk.plan,
                folder=folder,
                directory=chunk.directory,
                log=log.bind(run=chunk.run.name),
                places=[folder.path, *chunk.hidden],
                clock=clock,
            )
            agenda = ChunkAgenda(chunk, folder, clock, tell)
            agenda.contained = contained
            with venue.opened(run):
                async with open_roster(
                    venue, run, Secrets(), under_way=agenda.under_way, accounts={}
                ) as roster:
                    await Scheduler(venue, run, agenda, roster).play_all()

"""Crew of workers that play chunks, as the arena sees it, whether it is on this machine or on a cluster."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import trio

from arena.records.facts import Way
from arena.server.io.operator_log import Event
from arena.server.run.workers.chunk import Chunk, TellGames
from arena.server.setup.run_folder import RunFolder

T = TypeVar("T")


class WorkerLost(Exception):  # noqa: N818 - it is no error but what happens to workers
    """A worker is gone that had a chunk; what it had not finished is to be played by another."""


class WorkerError(Exception):
    """The run cannot go on with these workers; the message says what is wrong where, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Answer to a chunk that was played, or called off; results stand in the records alone."""

    said: tuple[Event, ...] = ()
    """What the operator should know: the events of the worker's log, and those about its machine."""
    contained: Mapping[str, Way] = field(default_factory=dict)
    """How launched bots were contained, by entrant."""
    kept: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Files that are not in the run folder yet, by their name in it."""


class Crew(Protocol):
    """Workers that play chunks."""

    @property
    def size(self) -> int:
        """Number of chunks that may be out at the same time."""
        ...

    async def play(self, chunk: Chunk, folder: RunFolder, tell: TellGames) -> Done:
        """Have a chunk played for the run in this folder. Raises `WorkerLost` and `WorkerError`.

        `tell` is told how far long matches have come, if the workers can.
        """
        ...

    def call_off(self) -> None:
        """Have all workers finish the turns in play and give their chunks back."""
        ...


async def result_of(future: concurrent.futures.Future[T]) -> T:
    """Wait for the future of an executor; returns its result or raises its exception."""
    await wait_done(future)
    return future.result()


async def wait_done(future: concurrent.futures.Future[Any]) -> None:
    """Wait for the future of an executor, whatever comes of it; cancel it if the wait is cancelled."""
    done = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def tell(_: object) -> None:
        with suppress(trio.RunFinishedError):  # nobody waits any more
            token.run_sync_soon(done.set)

    future.add_done_callback(tell)
    try:
        await done.wait()
    except BaseException:
        future.cancel()
        raise

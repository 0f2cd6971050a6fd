"""Workers on this machine: processes that write straight into the run folder."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from arena.server.run.workers.chunk import Chunk
from arena.server.run.workers.crew import Done, WorkerLost, result_of
from arena.server.run.workers.worker import play_chunk
from arena.server.setup.run_folder import RunFolder

CALLED_OFF: Final = b"called off"

_called_off = threading.Event()
"""In a worker: whether the arena wants its chunk back."""


class Pool:
    """So many processes. Each has a pool of its own, since a pool that loses one process ends all."""

    def __init__(self, size: int) -> None:
        self._workers = [_Worker() for _ in range(size)]
        self._idle = list(self._workers)
        self.size = size

    async def play(self, chunk: Chunk, folder: RunFolder) -> Done:
        """Have a worker play it that has nothing to do. Raises `WorkerLost` if it dies, and `WorkerError`."""
        worker = self._idle.pop()
        try:
            return await worker.play(chunk, folder.path.absolute())
        except BrokenExecutor as error:
            worker.end()
            self._workers.remove(worker)
            worker = _Worker()
            self._workers.append(worker)
            raise WorkerLost("its process died") from error
        finally:
            self._idle.append(worker)

    def call_off(self) -> None:
        """Have all workers finish the open turns."""
        for worker in self._workers:
            worker.call_off()

    def close(self) -> None:
        """End all workers at once."""
        for worker in self._workers:
            worker.end()


class _Worker:
    """One process, started with its first chunk, and its lifeline: a pipe that ends when the arena does."""

    def __init__(self) -> None:
        context = get_context("spawn")  # the arena has threads, which a forked process would lack
        self._far_end, self._lifeline = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(1, mp_context=context, initializer=_begin, initargs=(self._far_end,))

    async def play(self, chunk: Chunk, folder: Path) -> Done:
        return await result_of(self._executor.submit(_play_in_place, chunk, folder))

    def call_off(self) -> None:
        with suppress(OSError):  # it has gone
            self._lifeline.send_bytes(CALLED_OFF)

    def end(self) -> None:
        """End the process at once, and wait for that."""
        self._lifeline.close()
        self._executor.shutdown(cancel_futures=True)
        self._far_end.close()


@contextmanager
def open_pool(size: int) -> Iterator[Pool]:
    """A pool of so many workers. They are ended with it, whatever they do."""
    pool = Pool(size)
    try:
        yield pool
    finally:
        pool.close()


# In the worker


def _begin(lifeline: Connection) -> None:
    """Prepare the process: it takes orders from the arena only, and ends when the arena does."""
    for number in (signal.SIGINT, signal.SIGTERM):
        # All processes of a terminal or a service get both signals; the arena decides what follows. A handler, because
        # bots would inherit an ignored signal.
        signal.signal(number, _leave_it_to_the_arena)
    threading.Thread(target=_hold, args=(lifeline,), daemon=True).start()


def _leave_it_to_the_arena(number: int, frame: object) -> None:
    """Nothing."""


def _hold(lifeline: Connection) -> None:
    """Wait for orders of the arena, and end with it: bots follow, since their supervisors lose this process."""
    try:
        while lifeline.recv_bytes() == CALLED_OFF:
            _called_off.set()
    except (EOFError, OSError):
        pass  # the arena has gone, or wants this process to end
    os._exit(1)


def _play_in_place(chunk: Chunk, folder: Path) -> Done:
    return play_chunk(chunk, folder, _called_off.is_set)

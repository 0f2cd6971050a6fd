"""Workers on this machine: processes that write straight into the run folder."""

import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

import msgspec
import trio

from arena.server.io.ending_signals import ending_signals
from arena.server.programs.family import stands_still
from arena.server.run.tournament_log import Progressed, TellProgress
from arena.server.run.workers.chunk import Chunk, Done, WorkerLost, wait_done
from arena.server.run.workers.worker import play_chunk
from arena.server.setup.run_folder import RunFolder
from arena.words import Said

CALLED_OFF: Final = b"called off"
LOOK_SECONDS: Final = 1.0
"""Time between two looks whether a worker that is called off stands still."""
END_SECONDS: Final = 3.0
"""Time that a worker may take to end when the arena has closed its lifeline."""

_news: Final = msgspec.json.Decoder(Progressed | int)
"""Reads the messages of a worker: the number of its process, and the progress of its matches."""
_called_off = threading.Event()
"""In a worker: whether the arena wants its chunk back."""
_to_arena: Connection | None = None
"""In a worker: where it tells how far matches have come."""


class Pool:
    """Crew of processes, each in a pool of its own: a pool that loses one process ends all."""

    def __init__(self, size: int) -> None:
        self._workers = [_Worker() for _ in range(size)]
        self._idle = list(self._workers)
        self.size = size

    async def play(self, chunk: Chunk, folder: RunFolder, tell: TellProgress) -> Done:
        """Have an idle worker play the chunk.

        Raises `WorkerLost` if the worker dies, and `WorkerError`.
        """
        worker = self._idle.pop()
        try:
            return await worker.play(chunk, folder.path.absolute(), tell)
        except BrokenExecutor as error:
            worker.end()
            self._workers.remove(worker)
            worker = _Worker()
            self._workers.append(worker)
            raise WorkerLost(Said("worker.died")) from error
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
    """One process, started with its first chunk, and its lifeline.

    The lifeline is a pipe that ends when the arena does. By a second pipe the process tells its
    number, and how far matches have come.
    """

    pid = 0
    """The number of its process, once it has told it."""

    def __init__(self) -> None:
        context = get_context("spawn")  # the arena has threads, which a forked process would lack
        self._far_end, self._lifeline = context.Pipe(duplex=False)
        self._from_worker, self._to_arena = context.Pipe(duplex=False)
        self._is_called_off = trio.Event()
        self._executor = ProcessPoolExecutor(
            1,
            mp_context=context,
            initializer=_begin,
            initargs=(self._far_end, self._to_arena),
        )

    async def play(self, chunk: Chunk, folder: Path, tell: TellProgress) -> Done:
        """Have a chunk played by a process of the pool."""
        future = self._executor.submit(_play_in_place, chunk, folder)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._hear, chunk.fixtures, tell)
            nursery.start_soon(self._watch)
            await wait_done(future)
            nursery.cancel_scope.cancel()
        return future.result()

    async def _hear(self, fixtures: Sequence[str], tell: TellProgress) -> None:
        """Pass on how far these fixtures have come; drop late news of the chunk before."""
        while True:
            await trio.lowlevel.wait_readable(self._from_worker)
            news = self._receive()
            if not isinstance(news, int) and news.fixture in fixtures:
                tell(news)

    def _receive(self) -> int | Progressed:
        """Return the worker's next message, and keep the number of its process."""
        message = self._from_worker.recv_bytes()  # written in one piece
        news: int | Progressed = _news.decode(message)
        if isinstance(news, int):
            self.pid = news
        return news

    def call_off(self) -> None:
        with suppress(OSError):  # it has gone
            self._lifeline.send_bytes(CALLED_OFF)
        self._is_called_off.set()

    async def _watch(self) -> None:
        """Look again and again: a stopped process may run on for a moment on a busy machine."""
        await self._is_called_off.wait()
        while True:
            self._kill_if_it_stands_still()
            await trio.sleep(LOOK_SECONDS)

    def _kill_if_it_stands_still(self) -> None:
        """Kill a process that was stopped (SIGSTOP): it would never answer again."""
        if self.pid and stands_still(self.pid):
            self._kill()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """End the process at once, and wait for that; kill it if it does not end by itself."""
        self._lifeline.close()
        if not self.pid and self._from_worker.poll():
            self._receive()
        self._kill_if_it_stands_still()
        shutdown = threading.Thread(target=self._executor.shutdown, kwargs={"cancel_futures": True})
        shutdown.start()
        shutdown.join(END_SECONDS)
        if shutdown.is_alive() and self.pid:
            self._kill()
        shutdown.join()
        for end in (self._far_end, self._from_worker, self._to_arena):
            end.close()


@contextmanager
def open_pool(size: int) -> Iterator[Pool]:
    """Yield a pool of `size` workers, and end them with it, whatever they do."""
    pool = Pool(size)
    try:
        yield pool
    finally:
        pool.close()


# In the worker


def _begin(lifeline: Connection, to_arena: Connection) -> None:
    """Prepare the process: it takes orders from the arena only, and ends when the arena does."""
    for number in ending_signals():
        # All processes of a terminal or a service get these signals; the arena decides what
        # follows. A handler, because bots would inherit an ignored signal.
        signal.signal(number, lambda *_: None)
    # An initializer can leave something to the calls that follow by a global name alone.
    global _to_arena  # noqa: PLW0603 - see above
    _to_arena = to_arena
    to_arena.send_bytes(msgspec.json.encode(os.getpid()))
    os.set_blocking(to_arena.fileno(), False)
    threading.Thread(
        target=_hold,
        args=(lifeline,),
        daemon=True,
    ).start()


def _hold(lifeline: Connection) -> None:
    """Wait for orders of the arena, and end with it.

    Bots end, too, since their supervisors lose this process.
    """
    try:
        while lifeline.recv_bytes() == CALLED_OFF:
            _called_off.set()
    except (EOFError, OSError):
        pass  # the arena has gone, or wants this process to end
    os._exit(1)


def _play_in_place(chunk: Chunk, folder: Path) -> Done:
    return play_chunk(chunk, folder, _called_off.is_set, _tell)


def _tell(progressed: Progressed) -> None:
    """Tell the arena how far a match has come; nothing if it has not read for long."""
    assert _to_arena is not None, "the process has started with it"
    with suppress(BlockingIOError):
        _to_arena.send_bytes(msgspec.json.encode(progressed))

"""Workers of a Dask cluster: they play in a folder of their own and send back the files to keep."""

from __future__ import annotations

import logging
import re
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import trio

from arena.records.files import match_record
from arena.server.io.private_folder import CHUNK, private_folder
from arena.server.run.tournament_log import TellProgress
from arena.server.run.workers.chunk import Chunk, Done, WorkerError, WorkerLost, wait_done
from arena.server.run.workers.worker import play_chunk
from arena.server.setup.run_folder import RunFolder
from arena.words import Said, SaidError, quoted

if TYPE_CHECKING:
    from distributed import Client

ANSWER_SECONDS: Final = 10
"""Time that the scheduler may take to answer, at first and when the connection is lost."""
WAIT_SECONDS: Final = 0.1
"""Time between two questions to Dask whether it is connected again."""
LOOK_SECONDS: Final = 1.0
"""Time between two questions of a worker whether its chunk is called off."""
DASKS_LOGS: Final = ("distributed", "distributed.client")
"""Where Dask logs a lost connection, with tracebacks: the arena says it by its own means."""
ADDRESS: Final = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?[^\s/]+:[0-9]{1,5}")
"""The kinds of address that Dask connects to."""


class ClusterError(SaidError):
    """There is no such cluster; says what was found and what to do."""


class Cluster:
    """The workers of a cluster, as many chunks at the same time as they have threads."""

    def __init__(self, client: Client, address: str) -> None:
        from distributed import Event

        self._client = client
        self._address = address
        self._executor = client.get_executor(pure=False)
        self._word = f"arena-called-off-{uuid.uuid4().hex}"
        """The name of the event by which workers learn that their chunks are called off."""
        self._called_off = Event(self._word, client=client)
        self.size = self._count()

    def _count(self) -> int:
        threads: int = sum(self._client.nthreads().values())
        return threads

    async def play(
        self,
        chunk: Chunk,
        folder: RunFolder,
        tell: TellProgress,  # noqa: ARG002 - a worker of a cluster sends nothing before its chunk
    ) -> Done:
        """Have it played somewhere. Raises `WorkerLost` if Dask gives it up, and `WorkerError`."""
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        await self._await_scheduler()
        records = {}
        for fixture in chunk.fixtures:
            path = folder.match_record(fixture)
            if path.exists():  # an earlier attempt has started it
                records[fixture] = path.read_bytes()
        try:
            future = self._executor.submit(_play_elsewhere, chunk, records, self._word)
            await wait_done(future)
            done: Done = future.result()
        except (KilledWorker, CancelledError, CommClosedError) as error:
            await self._await_scheduler()
            details = {"chunk": repr(chunk), "error": quoted(str(error))}
            raise WorkerLost(Said("worker.given_up", details)) from error
        except ModuleNotFoundError as error:
            raise WorkerError(Said("worker.lacks_module", {"error": quoted(str(error))})) from error
        with suppress(OSError):  # the connection has just been lost; the next chunk waits for it
            self.size = await trio.to_thread.run_sync(self._count)  # workers come and go
        return done

    async def _await_scheduler(self) -> None:
        """Wait while Dask connects again. Raises `WorkerError` if the scheduler does not return."""
        # A thread of Dask changes the status.
        while self._client.status in ("connecting", "closing"):  # noqa: ASYNC110 - see above
            await trio.sleep(WAIT_SECONDS)
        if self._client.status != "running":
            details = {"address": self._address, "seconds": ANSWER_SECONDS}
            raise WorkerError(Said("cluster.scheduler_gone", details))

    def call_off(self) -> None:
        """Have all workers finish the open turns.

        Without a scheduler no worker hears it, and `play` gives up by itself.
        """
        if self._client.status == "running":
            with suppress(OSError):  # the connection has just been lost
                self._called_off.set()


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """Yield the cluster whose scheduler has this address.

    Its workers run on at the end. Raises `ClusterError`.
    """
    if find_spec("distributed") is None:
        raise ClusterError(Said("cluster.no_dask", {"python": sys.executable}))
    if not ADDRESS.fullmatch(address):
        raise ClusterError(Said("cluster.no_address", {"address": repr(address)}))
    from distributed import Client

    for name in DASKS_LOGS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(
            address,
            timeout=ANSWER_SECONDS,
            set_as_default=False,
            name="arena",
        )
    except (OSError, ValueError) as error:
        details = {"address": repr(address), "error": quoted(str(error))}
        raise ClusterError(Said("cluster.no_answer", details)) from error
    with client:
        cluster = Cluster(client, address)
        if cluster.size == 0:
            raise ClusterError(Said("cluster.no_workers", {"address": address}))
        yield cluster


# In the worker


def _play_elsewhere(chunk: Chunk, records: Mapping[str, bytes], word: str) -> Done:
    """Play a chunk in a folder of its own; `records` are those of earlier attempts, by fixture."""
    with private_folder(CHUNK) as scratch, _listening(word) as is_called_off:
        folder = RunFolder(scratch)
        folder.make()
        files = {match_record(fixture): record for fixture, record in records.items()}
        folder.take_in(files, chunk.fixtures)
        done = play_chunk(chunk, folder.path, is_called_off)
        return replace(done, kept=folder.kept())


@contextmanager
def _listening(word: str) -> Iterator[Callable[[], bool]]:
    """Ask the scheduler now and then, in a thread, whether the chunk is called off."""
    from distributed import Event, get_client

    event = Event(word, client=get_client())
    called_off, over = threading.Event(), threading.Event()

    def ask() -> None:
        while not over.wait(LOOK_SECONDS):
            with suppress(OSError):  # the worker is closing
                if event.is_set():
                    called_off.set()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield called_off.is_set
    finally:
        over.set()

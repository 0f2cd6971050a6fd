"""Workers of a Dask cluster: they play in a folder of their own and hand back what is to be kept."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import trio

from arena.extras import install_command
from arena.records.files import match_record
from arena.server.io.private_folder import BATCH, private_folder
from arena.server.run.workers.batch import Batch
from arena.server.run.workers.crew import Done, WorkerError, WorkerLost, result_of
from arena.server.run.workers.worker import play_batch
from arena.server.setup.run_folder import RunFolder

if TYPE_CHECKING:
    from distributed import Client

ANSWER_SECONDS: Final = 10
"""How long the scheduler may take to answer at the beginning."""
LOOK_SECONDS: Final = 1.0
"""How often a worker asks the scheduler whether its batch is called off."""


ADDRESS: Final = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?[^\s/]+:[0-9]{1,5}")
"""What Dask connects to."""


class ClusterError(Exception):
    """There is no such cluster; says what was found and what to do."""


class Cluster:
    """The workers of a cluster, as many batches at the same time as they have threads."""

    def __init__(self, client: Client) -> None:
        from distributed import Event

        self._client = client
        self._executor = client.get_executor(pure=False)
        self._word = f"arena-called-off-{uuid.uuid4().hex}"
        """The name under which workers find out that their batches are called off."""
        self._called_off = Event(self._word, client=client)
        self.size = self._count()

    def _count(self) -> int:
        threads: int = sum(self._client.nthreads().values())
        return threads

    async def play(self, batch: Batch, folder: RunFolder) -> Done:
        """Have it played somewhere. Raises `WorkerLost` if Dask gives it up, and `WorkerError`."""
        from distributed.comm import CommClosedError
        from distributed.scheduler import KilledWorker

        begun = {name: folder.match_record(name) for name in batch.fixtures}
        records = {name: path.read_bytes() for name, path in begun.items() if path.exists()}
        try:
            done: Done = await result_of(self._executor.submit(_play_elsewhere, batch, records, self._word))
            self.size = await trio.to_thread.run_sync(self._count)  # workers come and go
        except (KilledWorker, CancelledError, CommClosedError) as error:
            raise WorkerLost(f"Dask gave up {batch!r}: {error}") from error
        except ModuleNotFoundError as error:
            raise WorkerError(f"a worker of the cluster lacks a module: {error}; install brade-arena there") from error
        return done

    def call_off(self) -> None:
        """Have all of them finish the turns in play."""
        self._called_off.set()


@contextmanager
def open_cluster(address: str) -> Iterator[Cluster]:
    """The cluster whose scheduler is at this address. At the end its workers are left alone. Raises `ClusterError`."""
    if find_spec("distributed") is None:
        raise ClusterError(f"--dask needs the extra `cluster`; install it with: {install_command('cluster')}")
    if not ADDRESS.fullmatch(address):
        raise ClusterError(f"{address!r} is no address of a Dask scheduler; expected one such as tcp://10.0.0.1:8786")
    from distributed import Client

    try:
        client = Client(address, timeout=ANSWER_SECONDS, set_as_default=False, name="arena")
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {address!r} ({error}); start one with `dask scheduler`, and give the "
            "address it prints, such as tcp://10.0.0.1:8786"
        ) from error
    with client:
        cluster = Cluster(client)
        if cluster.size == 0:
            raise ClusterError(f"the cluster at {address} has no workers; start some with: dask worker {address}")
        yield cluster


# In the worker


def _play_elsewhere(batch: Batch, records: Mapping[str, bytes], word: str) -> Done:
    """Play a batch in a folder of its own; `records` are those that were begun, by fixture."""
    with private_folder(BATCH) as scratch, _listening(word) as is_called_off:
        folder = RunFolder(scratch)
        folder.make()
        folder.take_in({match_record(fixture): data for fixture, data in records.items()}, batch.fixtures)
        return replace(play_batch(batch, folder.path, is_called_off), kept=folder.kept())


@contextmanager
def _listening(word: str) -> Iterator[Callable[[], bool]]:
    """Ask the scheduler now and then, in a thread, whether the batch is called off."""
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

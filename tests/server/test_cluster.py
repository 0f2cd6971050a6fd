"""What a run does when the scheduler of its Dask cluster is gone.

Real clusters play in tests/end_to_end.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.server.io.clock import Clock, RunClock
from arena.server.run.workers.chunk import Chunk, WorkerError, WorkerLost
from arena.server.run.workers.cluster import ANSWER_SECONDS, Cluster
from arena.server.setup.run_folder import RunFolder
from tests.server.test_workers import chunk_in

pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="the extra `cluster` is not installed"
)
ADDRESS = "tcp://10.0.0.1:8786"
GONE = f"the Dask scheduler at {ADDRESS} is gone, and did not come back within {ANSWER_SECONDS} seconds; start it again"


class DasksClient:
    """Dask's client as far as a cluster uses it; it keeps what it is given to play."""

    def __init__(self) -> None:
        self.status = "running"
        self.submitted: list[Future[Any]] = []

    def nthreads(self) -> dict[str, int]:
        if self.status != "running":
            raise OSError("the scheduler does not answer")
        return {"tcp://10.0.0.2:1": 2}

    def get_executor(self, **_: Any) -> DasksClient:
        return self

    def submit(self, *_: Any) -> Future[Any]:
        self.submitted.append(Future())
        return self.submitted[-1]

    def lose_connection(self) -> None:
        """As Dask does: what was submitted is cancelled, and it tries to connect again."""
        self.status = "connecting"
        for future in self.submitted:
            future.cancel()
            future.set_running_or_notify_cancel()


@pytest.fixture
def client() -> DasksClient:
    return DasksClient()


@pytest.fixture
def play(client: DasksClient, tmp_path: Path) -> Callable[[], Any]:
    """Plays a chunk on the cluster of this client."""
    cluster = Cluster(client, ADDRESS)  # type: ignore[arg-type]
    chunk: Chunk = chunk_in(tmp_path)
    return lambda: cluster.play(chunk, RunFolder(tmp_path), lambda *_: None)


async def lose_after_a_second(client: DasksClient, status: str) -> None:
    """Lose the connection of a chunk that is being played, and end as this says after the time that Dask takes."""
    await trio.sleep(1)
    client.lose_connection()
    await trio.sleep(ANSWER_SECONDS)
    client.status = status


async def test_a_scheduler_that_is_gone_for_good_ends_the_run(
    client: DasksClient, play: Callable[[], Any], nursery: trio.Nursery
) -> None:
    """No worker is lost before: an attempt that another worker could not play either would be void."""
    nursery.start_soon(lose_after_a_second, client, "closed")
    with pytest.raises(WorkerError, match=GONE):
        await play()
    with pytest.raises(WorkerError, match=GONE):
        await play()
    assert len(client.submitted) == 1


async def test_a_scheduler_that_comes_back_has_lost_the_chunk(
    client: DasksClient, play: Callable[[], Any], nursery: trio.Nursery
) -> None:
    nursery.start_soon(lose_after_a_second, client, "running")
    clock = RunClock(Clock())
    with pytest.raises(WorkerLost):
        await play()
    assert clock.now_ms() >= 1000 * ANSWER_SECONDS


async def test_a_chunk_that_came_back_before_the_connection_was_lost_counts(
    client: DasksClient,
    play: Callable[[], Any],
    nursery: trio.Nursery,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run_here(function: Callable[[], Any]) -> Any:
        return function()  # the mock clock would not wait for a thread

    async def finish() -> None:
        await trio.sleep(1)
        client.status = "connecting"
        client.submitted[0].set_result("played")

    monkeypatch.setattr(trio.to_thread, "run_sync", run_here)
    nursery.start_soon(finish)
    assert await play() == "played"


def test_a_run_that_is_stopped_waits_for_no_scheduler(client: DasksClient) -> None:
    """To tell one that is gone would stop the arena for as long as Dask waits for the answer."""
    cluster = Cluster(client, ADDRESS)  # type: ignore[arg-type]
    client.status = "connecting"
    cluster.call_off()  # the client has nothing to tell it with

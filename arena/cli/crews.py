"""Who plays the matches of `arena run`: this process, workers of this machine, or those of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.cli.common import fail

if TYPE_CHECKING:
    from arena.server.plan import Plan
    from arena.server.workers.crew import Crew


@contextmanager
def chosen_crew(plan: Plan, workers: int | None, dask: str | None) -> Iterator[Crew | None]:
    """The crew that the options ask for, None for this process alone; ends the command where there is none."""
    option = "--workers" if dask is None else "--dask"
    remote = [bot.name for bot in plan.bot if bot.remote]
    if workers is None and dask is None:
        yield None
        return
    if workers is not None and dask is not None:
        fail("--workers plays on this machine, --dask on a cluster; give one of them")
    if remote:
        fail(
            f"{option} is for bots that the arena launches, but from elsewhere connects {', '.join(remote)}; give it a "
            f"command in place of remote = true, or leave out {option}"
        )
    if workers is not None:
        from arena.server.workers.pool import open_pool

        with open_pool(workers) as pool:
            yield pool
        return
    from arena.server.workers.cluster import ClusterError, open_cluster

    assert dask is not None, "one of the two was given"
    try:
        with open_cluster(dask) as cluster:
            yield cluster
    except ClusterError as error:
        fail(str(error))

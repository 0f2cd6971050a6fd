"""The workers that play matches, as a user orders them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from arena.services.errors import RefusedError
from arena.words import Said

if TYPE_CHECKING:
    from arena.server.run.workers.chunk import Crew
    from arena.server.setup.tournament_file import Plan


class CrewError(RefusedError):
    """A run cannot be played by such workers."""


class CrewOrder(NamedTuple):
    """The workers that play: processes of this machine, or those of a cluster."""

    workers: int | None = None
    """The number of processes."""
    dask: str | None = None
    """The address of the scheduler of a Dask cluster."""


NO_CREW: Final = CrewOrder()
"""The arena itself plays."""


@contextmanager
def open_crew(plan: Plan, order: CrewOrder) -> Iterator[Crew | None]:
    """Open a crew, or None for this process alone. Raises `CrewError` and `ClusterError`."""
    workers, dask = order
    if workers is None and dask is None:
        yield None
        return
    if workers is not None and dask is not None:
        raise CrewError(Said("crew.two"))
    remote = [bot.name for bot in plan.bot if bot.remote]
    if remote:
        option = "--workers" if dask is None else "--dask"
        raise CrewError(Said("crew.remote", {"option": option, "names": ", ".join(remote)}))
    if workers is not None:
        from arena.server.run.workers.pool import open_pool

        with open_pool(workers) as pool:
            yield pool
        return
    from arena.server.run.workers.cluster import open_cluster

    assert dask is not None, "one of the two was given"
    with open_cluster(dask) as cluster:
        yield cluster

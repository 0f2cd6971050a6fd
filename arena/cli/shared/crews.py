"""Selects where matches are played: in this process, by workers of this machine, or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from arena.cli.shared.output import fail

if TYPE_CHECKING:
    from arena.server.run.workers.crew import Crew
    from arena.server.setup.tournament_file import Plan

_Command = TypeVar("_Command", bound=Callable[..., Any])


def crew_options(command: _Command) -> _Command:
    """Add `--workers` and `--dask`."""
    for option in (
        click.option("--dask", metavar="ADDRESS", help="Play on a Dask cluster: where its scheduler is."),
        click.option("--workers", type=click.IntRange(1, 1024), help="Play with so many processes (docs/scaling.md)."),
    ):
        command = option(command)
    return command


@contextmanager
def chosen_crew(plan: Plan, workers: int | None, dask: str | None) -> Iterator[Crew | None]:
    """The crew that the options ask for, None for this process alone; ends the command if there is no such crew."""
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
        from arena.server.run.workers.pool import open_pool

        with open_pool(workers) as pool:
            yield pool
        return
    from arena.server.run.workers.cluster import ClusterError, open_cluster

    assert dask is not None, "one of the two was given"
    try:
        with open_cluster(dask) as cluster:
            yield cluster
    except ClusterError as error:
        fail(str(error))

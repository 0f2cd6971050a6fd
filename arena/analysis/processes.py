"""Work that is shared by several processes."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TypeVar

Part = TypeVar("Part")
Made = TypeVar("Made")


def in_processes(
    make: Callable[[Part], Made],
    parts: Iterable[Part],
    workers: int,
) -> Iterator[Made]:
    """Yield what `make` returns for each part, in order, from `workers` processes."""
    if workers == 1:
        yield from map(make, parts)
        return
    pool = new_pool(workers)
    try:
        yield from pool.map(make, parts)
    finally:
        pool.shutdown(cancel_futures=True)


def new_pool(workers: int) -> ProcessPoolExecutor:
    """Return a pool of `workers` processes, which end when this one ends in any way."""
    return ProcessPoolExecutor(
        workers,
        mp_context=get_context("spawn"),
        initializer=_end_with_parent,
    )


def _end_with_parent() -> None:
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)

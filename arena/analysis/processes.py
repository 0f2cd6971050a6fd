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
    make: Callable[[Part], Made], parts: Iterable[Part], workers: int
) -> Iterator[Made]:
    """Make something of each part, in order, on this many processes."""
    if workers == 1:
        yield from map(make, parts)
        return
    pool = new_pool(workers)
    try:
        yield from pool.map(make, parts)
    finally:
        pool.shutdown(cancel_futures=True)


def new_pool(workers: int) -> ProcessPoolExecutor:
    """Return so many processes, which end with this one, however it ends."""
    return ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_end_with_parent
    )


def _end_with_parent() -> None:
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)

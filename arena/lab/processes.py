"""The work of the lab on several processes."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

Part = TypeVar("Part")
Made = TypeVar("Made")


def in_processes(make: Callable[[Part], Made], parts: Iterable[Part], workers: int) -> Iterator[Made]:
    """Make something of each part, in order, on this many processes."""
    if workers == 1:
        yield from map(make, parts)
        return
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield from pool.map(make, parts)
    finally:
        pool.shutdown(cancel_futures=True)

"""Faults of the pages: standard error has the traceback for the operator; a reader gets a 500."""

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from arena.server.io.operator_log import Recent

MOST: Final = 5
"""Reports of one kind of fault within a minute: a request that is repeated all the time must not
hide other faults."""

FAILED: Final = "the pages failed here and will try again"
"""The words for viewers; the rest is for the operator."""

_recent: Final = Recent()


@contextmanager
def survived(doing: str) -> Iterator[list[BaseException]]:
    """Report unexpected exceptions of the block, which end nothing but the block.

    The list has them after the block.
    """
    faults: list[BaseException] = []
    try:
        yield faults
    except Exception as error:  # noqa: BLE001 - it is told
        faults.append(error)
    except BaseExceptionGroup as group:  # beside the fault there is a task that was cancelled
        ours, others = group.split(Exception)
        if ours is not None:
            faults.append(ours)
        if others is not None:
            raise others from None
    finally:
        for fault in faults:
            tell_fault(doing, fault)


def tell_fault(doing: str, error: BaseException) -> None:
    """Report an unexpected exception and where it came up; the pages go on."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    kind = f"{type(error).__name__} {last}"
    now_ms = time.monotonic_ns() // 1_000_000
    recent = len(_recent.times(kind, now_ms))
    if recent >= MOST:
        return
    _recent.add(kind, now_ms)
    more = ""
    if recent == MOST - 1:
        more = "; more of this kind within a minute are not told"
    words = "".join(traceback.format_exception(error))
    with suppress(OSError, ValueError):  # standard error is closed: the report has no reader
        sys.stderr.write(f"a fault of the pages, which go on: {doing}{more}\n{words}")
        sys.stderr.flush()

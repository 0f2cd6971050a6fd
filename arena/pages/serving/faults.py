"""Faults of the pages: the operator reads them on standard error, with the traceback; a reader gets a 500."""

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from arena.server.io.operator_log import Recent

MOST: Final = 5
"""Told faults of one kind within a minute: whoever asks for the same again and again must not hide
others."""

FAILED: Final = "the pages failed here and will try again"
"""The words for viewers; the rest is for the operator."""

_recent: Final = Recent()


@contextmanager
def survived(doing: str) -> Iterator[list[BaseException]]:
    """Unexpected exceptions in here are told, and end nothing but this; the list then has them."""
    found: list[BaseException] = []
    try:
        yield found
    except Exception as error:  # noqa: BLE001 - it is told
        found.append(error)
    except BaseExceptionGroup as group:  # beside the fault there is a task that was cancelled
        ours, rest = group.split(Exception)
        found += [ours] if ours is not None else []
        if rest is not None:
            raise rest from None
    finally:
        for one in found:
            tell_fault(doing, one)


def tell_fault(doing: str, error: BaseException) -> None:
    """Tell an unexpected exception and where it came up; the pages go on."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    kind = f"{type(error).__name__} {last}"
    now_ms = time.monotonic_ns() // 1_000_000
    told = _recent.count(kind, now_ms)
    if told >= MOST:
        return
    _recent.add(kind, now_ms)
    more = "; more of this kind within a minute are not told" if told == MOST - 1 else ""
    words = "".join(traceback.format_exception(error))
    with suppress(OSError, ValueError):  # standard error is gone: nobody is there who could be told
        sys.stderr.write(f"a fault of the pages, which go on: {doing}{more}\n{words}")
        sys.stderr.flush()

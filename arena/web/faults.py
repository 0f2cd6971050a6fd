"""What goes wrong in the pages: their operator reads it on standard error, with the traceback; a reader gets a 500."""

from __future__ import annotations

import sys
import time
import traceback
from typing import Final

from arena.server.io.recent import Recent

MOST: Final = 5
"""Of faults of one kind within a minute: whoever asks for the same again and again must not hide others."""

_recent: Final = Recent()


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
    sys.stderr.write(f"a fault of the pages, which go on: {doing}{more}\n{words}")
    sys.stderr.flush()

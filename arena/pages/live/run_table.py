"""The standings of a run as its viewers get them.

Those of a run of thousands of matches take long to compute. A thread does it then, not too often
(watching.py), and until it is done viewers get the standings before.
"""

import time
from typing import Final

from arena.pages.contents import RunPage
from arena.pages.following import RunFollower
from arena.records.lines import RecordError

QUICK_SECONDS: Final = 0.02
"""Standings that take longer are computed in a thread."""
REST: Final = 10
"""After standings were computed, this number of times their own time passes before the next."""


class RunTable:
    """The standings after some line of the record."""

    def __init__(self, delay_ms: int) -> None:
        self._delay_ms = delay_ms
        self._is_due = True
        self._page: RunPage | None = None
        self._error: RecordError | None = None
        self._seconds = 0.0
        self._computed_at = 0.0
        self._annulled: frozenset[str] = frozenset()
        self.number = 0
        """Counts how often they were computed."""

    def tell_change(self) -> None:
        """Say that the record has more lines."""
        self._is_due = True

    @property
    def is_quick(self) -> bool:
        """True if they may be computed at once."""
        return self._seconds <= QUICK_SECONDS

    @property
    def is_wanted(self) -> bool:
        """True if they are to be computed now: they are due, and the last time is long ago."""
        if not self._is_due:
            return False
        return time.monotonic() - self._computed_at >= REST * self._seconds

    def compute(self, run: RunFollower) -> None:
        """Compute them; the state of the run must not change meanwhile."""
        self._is_due = False
        started = time.thread_time()
        try:
            self._page = run.page(self._delay_ms)
            self._annulled = run.annulled()
            self._error = None
        except RecordError as error:
            self._error = error
        self._seconds = time.thread_time() - started
        self._computed_at = time.monotonic()
        self.number += 1

    def page(self, run: RunFollower) -> RunPage:
        """Return the head of the run with its standings. Raises `RecordError` if it has none."""
        if self._page is None or (self._is_due and self.is_quick):
            self.compute(run)
        if self._error is not None:
            raise self._error
        assert self._page is not None, "they were computed"
        return self._page

    def annulled(self, run: RunFollower) -> frozenset[str]:
        """Return the matches that count for neither side (M5). Raises `RecordError`."""
        self.page(run)
        return self._annulled

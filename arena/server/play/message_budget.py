"""Budget of messages: those a connection may send unasked before it counts as flooding."""

from __future__ import annotations

from typing import Final

UNASKED: Final = 1024
"""Unasked messages that a connection may send at once: some 10 ms of the arena's time."""
UNASKED_A_SECOND: Final = 20
"""So many more a second,"""
UNASKED_AN_ANSWER: Final = 4
"""and so many more for every awaited answer, however fast the games are."""


class Budget:
    """Counts unasked messages: pings, stale answers, answers to unknown matches."""

    def __init__(self, now_ms: int) -> None:
        self.answers = 0
        """Awaited answers since the last count; for the caller to increase."""
        self._left = float(UNASKED)
        self._at_ms = now_ms

    def take(self, now_ms: int) -> bool:
        """Count one more message. Returns whether it was within the budget."""
        earned = (now_ms - self._at_ms) * UNASKED_A_SECOND / 1000 + self.answers * UNASKED_AN_ANSWER
        self._left = min(UNASKED, self._left + earned) - 1
        self._at_ms, self.answers = now_ms, 0
        return self._left >= 0

"""What the operator hears of bots that come, go and fail, between the lines of the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from arena.server.io.recent import WINDOW_MS, Recent

MOST_NEWS: Final = 5
"""So much is told of one bot within `WINDOW_MS`: one that fails all the time must not hide what others do."""


class News:
    """Tells the operator about bots, and no more of one than can be read. Nothing of it is recorded."""

    def __init__(self, report: Callable[[str], object], now_ms: Callable[[], int]) -> None:
        self._report = report
        self._now_ms = now_ms
        self._recent = Recent()

    def tell(self, about: str, text: str) -> None:
        """Tell something about a bot, unless much was told about it within the last minute."""
        now_ms = self._now_ms()
        told = self._recent.count(about, now_ms)
        if told >= MOST_NEWS:
            return
        self._recent.add(about, now_ms)
        if told + 1 == MOST_NEWS:
            text += f" (no more of this kind for {WINDOW_MS // 1000} s)"
        self._report(text)

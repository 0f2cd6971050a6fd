"""A match record that is followed for its viewers."""

import time
from pathlib import Path
from typing import Final

from arena.pages.following import MatchFollower
from arena.pages.growing_file import GrowingFile
from arena.pages.serving.event_stream import Channel, event
from arena.pages.serving.faults import FAILED, tell_fault
from arena.records.files import match_record
from arena.tournaments.results import BestGame
from arena.words import Said

AGAIN_SECONDS: Final = 5.0
"""After a fault of ours the records are read again from the start; they may be all right."""


class WatchedMatch:
    """A match that viewers ask for."""

    def __init__(
        self,
        folder: Path,
        fixture: str,
        *,
        is_page: bool,
        best_game: BestGame = "value",
    ) -> None:
        """Follow a match; with `is_page` keep every change for viewers that come back.

        `best_game` is how its tournament compares won games (M2).
        """
        self._folder, self._name = folder, match_record(fixture)
        self._best_game = best_game
        self.is_page = is_page
        self.channel = Channel(self._snapshot)
        self.follower = MatchFollower(self._name, best_game)
        self._file = GrowingFile(folder, self._name)
        self._encoded = b""
        """The snapshot for new viewers."""
        self._encoded_state = ""
        """The state of the follower in it."""
        self.wanted_at = 0.0
        self._woken_at = 0.0
        self._is_waiting = False
        """True if changes were published that viewers were not told yet."""
        self._failed_at: float | None = None

    def _snapshot(self) -> bytes:
        """Return the state of the match as a message, encoded again only if it has changed."""
        follower = self.follower
        if follower.book is None:
            return b""  # the record was taken away; its successor begins with a snapshot
        state = f"{follower.key}{follower.broken}"
        if self._encoded_state != state:
            self._encoded = event("snapshot", follower.page(), follower.key)
            self._encoded_state = state
        return self._encoded

    @property
    def why_not_there(self) -> Said | str:
        """The reason why there is nothing to show, if the record has no header."""
        return self._file.trouble or self.follower.broken or "The match has not started yet."

    def look(self, until_ms: int) -> None:
        """Read what is new, up to a moment if one is given, and tell viewers of it.

        A fault of ours ends here.
        """
        now = time.monotonic()
        try:
            self._look(now, until_ms)
        except Exception as error:  # noqa: BLE001 - it is told
            self._failed_at = now
            self.follower.broken = self.follower.broken or FAILED
            tell_fault(f"{self._name} is followed", error)
            self.channel.restart()

    def _look(self, now: float, until_ms: int) -> None:
        """Read what is new in the record; wake the viewers if it is time.

        After a failure begin again, not at once.
        """
        if self._failed_at is not None and now - self._failed_at >= AGAIN_SECONDS:
            self._file = GrowingFile(self._folder, self._name)
            self._failed_at = None
            self._begin_again()
        if self._failed_at is None:
            for lines, is_again in self._file.read_all():
                if is_again:
                    self._begin_again()
                self._follow(lines, until_ms)
        if self._is_waiting and now - self._woken_at >= self.channel.pace_seconds:
            self.channel.wake()
            self._woken_at = now
            self._is_waiting = False

    def _begin_again(self) -> None:
        self.follower = MatchFollower(self._name, self._best_game)
        self.channel.restart()

    def _follow(self, lines: list[bytes], until_ms: int) -> None:
        """Follow new lines, and publish what they change."""
        was_broken = self.follower.broken
        self.follower.read(lines)
        for key, change in self.follower.advance(until_ms):
            if not self.is_page:
                continue
            if change.kind == "opened":
                self.channel.restart()
            self.channel.publish(key, event("change", change, key))
            self._is_waiting = True
        if self.follower.broken != was_broken:
            self.channel.restart()

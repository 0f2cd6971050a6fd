"""The watcher of a run: one task that looks at the files, and all that viewers are told of them.

A file is looked at only while somebody wants to know: the tournament record always, a match record
while the overview or the match has viewers. All viewers of a page share one follower and one
channel (event_stream.py).
"""

import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from arena.matches.facts import BotReady, GameEnded, MatchOpened
from arena.pages.contents import Overview, SmallBoard
from arena.pages.following import FOREVER_MS, RunFollower
from arena.pages.growing_file import GrowingFile
from arena.pages.index import Index, Learnt
from arena.pages.live.watched import AGAIN_SECONDS, WatchedMatch
from arena.pages.serving.event_stream import Channel, event
from arena.pages.serving.faults import FAILED, survived, tell_fault
from arena.records.files import TOURNAMENT_RECORD, match_record
from arena.records.lines import RecordError, match_lines
from arena.server.io.disk import read_inside
from arena.words import Said

LOOK_SECONDS: Final = 0.05
"""Time between looks at the files while somebody watches."""
IDLE_SECONDS: Final = 1.0
"""The same while nobody does."""
KEEP_SECONDS: Final = 30.0
"""A match that nobody watches is remembered for this time; without its page, only while it is
played."""
MOST_KEPT: Final = 64
"""Matches that are remembered though nobody watches them, the latest."""
MOST_BOARDS: Final = 64
"""Boards of the overview: the matches that began last."""
FIRST_GAMES: Final = 25
NEWS_KEPT: Final = 100
"""Messages of the overview, for viewers that are slow; those that come back begin with a snapshot
anyway."""
LEARN_AT_ONCE: Final = 50
"""Match records that are read for the index in one go."""
_LEARNT: Final = (b'{"event":"match_opened"', b'{"event":"bot_ready"', b'{"event":"game_ended"')
"""The beginnings of the lines that are read for the index."""


class Watcher:
    """A run folder that is followed."""

    def __init__(self, folder: Path, delay_ms: int = 0) -> None:
        self.folder, self.delay_ms = folder, delay_ms
        self.run = RunFollower()
        self.matches: dict[str, WatchedMatch] = {}
        self.index = Index()
        self.overview = Channel(self._overview_snapshot, NEWS_KEPT)
        self._file = GrowingFile(folder, TOURNAMENT_RECORD)
        self._looked_at = -1e9
        self._failed_at: float | None = None
        self._told_at = self._table_told_at = self._table_seconds = 0.0
        self._is_table_due = False
        self._boards: dict[str, str] = {}
        self._snapshot = b""
        self._snapshot_at = 0.0

    @property
    def until_ms(self) -> int:
        """The time after which lines are held back."""
        return int(time.time() * 1000) - self.delay_ms if self.delay_ms else FOREVER_MS

    async def follow(self) -> None:
        """Look at the files for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._learn_for_ever)
            while True:
                is_watched = self.overview.viewers or any(
                    one.channel.viewers for one in self.matches.values()
                )
                await trio.sleep(LOOK_SECONDS if is_watched else IDLE_SECONDS)
                with survived("the records are looked at"):
                    self.look()

    def look(self) -> None:
        """Look at every file that somebody wants to know of, and tell viewers what is new.

        After a fault of ours everything is read again from the start.
        """
        self._looked_at = time.monotonic()
        try:
            if self._failed_at is not None:
                if self._looked_at - self._failed_at < AGAIN_SECONDS:
                    return
                self._begin_again()
                self._file, self._failed_at = GrowingFile(self.folder, TOURNAMENT_RECORD), None
            self._look()
        except Exception as error:  # noqa: BLE001 - it is told
            self._failed_at, self.run.broken = self._looked_at, self.run.broken or FAILED
            tell_fault("the run is followed", error)

    def _look(self) -> None:
        for lines, is_again in self._file.read_all():
            if is_again:
                self._begin_again()
            self.run.read(lines)
            facts = [fact for _, fact in self.run.advance(self.until_ms)]
            self._is_table_due = self._is_table_due or bool(facts)
            self.index.add(facts)
        shown = self._shown() if self.overview.viewers else []
        for fixture in {
            *shown,
            *(name for name, one in self.matches.items() if one.channel.viewers),
        }:
            self.watched(fixture).wanted_at = self._looked_at
        others = [
            fixture for fixture, one in self.matches.items() if one.wanted_at != self._looked_at
        ]
        others.sort(key=lambda fixture: self.matches[fixture].wanted_at, reverse=True)
        for number, fixture in enumerate(others):
            one = self.matches[fixture]
            keep_s = KEEP_SECONDS if one.is_page or fixture in self.run.running else 0
            if number >= MOST_KEPT or self._looked_at - one.wanted_at > keep_s:
                self.matches.pop(fixture).channel.close()
        if self.overview.viewers:
            self._tell_overview(shown)

    def refresh(self) -> None:
        """Look now, if nobody has looked for a while."""
        if time.monotonic() - self._looked_at > LOOK_SECONDS:
            self.look()

    def _begin_again(self) -> None:
        self.run = RunFollower()
        self.index.close()
        self.index = Index()
        self._boards.clear()
        self.overview.restart()

    # Matches

    def watched(self, fixture: str, *, is_page: bool = False) -> WatchedMatch:
        """The match, read as far as it is written; for its page with everything that a viewer who comes back needs."""
        one = self.matches.get(fixture)
        if one is None or (is_page and not one.is_page):
            if one is not None:
                one.channel.close()
            one = self.matches[fixture] = WatchedMatch(self.folder, fixture, is_page=is_page)
        one.wanted_at = time.monotonic()
        one.look(self.until_ms)
        return one

    # The overview

    def _shown(self) -> list[str]:
        return list(self.run.running)[-MOST_BOARDS:]

    def boards(self) -> list[SmallBoard]:
        """The matches that are being played, as far as they have begun."""
        found = []
        for fixture in self._shown():
            one = self.watched(fixture)
            if one.follower.book is not None:
                with survived(f"the board of {fixture}"):
                    found.append(one.follower.small_board())
        return found

    def overview_now(self) -> Overview:
        """The first page. Raises `RecordError` if the records give no standings."""
        boards = self.boards()
        return Overview(
            run=self.run.page(self.delay_ms),
            running=boards,
            more_running=max(0, len(self.run.running) - MOST_BOARDS),
            games=self.index.games(most=FIRST_GAMES, annulled=self.run.annulled()),
        )

    @property
    def why_not_begun(self) -> Said | str:
        """The reason why there is no run to show."""
        return (
            self._file.trouble
            or self.run.broken
            or "The run has not begun yet: its tournament record has no line."
        )

    def _overview_snapshot(self) -> bytes:
        now = time.monotonic()
        if not self._snapshot or now - self._snapshot_at > LOOK_SECONDS:
            self._snapshot_at = now
            try:
                if self.run.state:
                    self._snapshot = event("snapshot", self.overview_now())
                else:
                    self._snapshot = event("trouble", self.why_not_begun)
            except RecordError as error:
                self._snapshot = event("trouble", error.said)
        return self._snapshot

    def _tell_overview(self, shown: list[str]) -> None:
        now = time.monotonic()
        if now - self._told_at < max(2 * LOOK_SECONDS, self.overview.pace_seconds):
            return
        news: dict[str, object] = {}
        if (
            self._is_table_due
            and self.run.state
            and now - self._table_told_at >= 10 * self._table_seconds
        ):
            begun = time.monotonic()
            annulled: frozenset[str] = frozenset()
            try:
                news["run"] = self.run.page(self.delay_ms)
                annulled = self.run.annulled()
            except RecordError as error:
                news["trouble"] = error.said
            news["games"] = self.index.games(most=FIRST_GAMES, annulled=annulled)
            self._table_seconds = time.monotonic() - begun
            self._table_told_at, self._is_table_due = now, False
        boards = []
        for fixture in shown:
            one = self.matches[fixture]
            key = f"{one.follower.key} {one.follower.broken}"
            if one.follower.book is not None and self._boards.get(fixture) != key:
                self._boards[fixture] = key
                boards.append(one.follower.small_board())
        gone = [fixture for fixture in self._boards if fixture not in shown]
        for fixture in gone:
            del self._boards[fixture]
        if boards:
            news["boards"] = boards
        if gone:
            news["gone"] = gone
        if news:
            news["more_running"] = max(0, len(self.run.running) - MOST_BOARDS)
            self._snapshot = b""
            self.overview.publish("", event("news", news))
            self.overview.wake()
            self._told_at = now

    def close(self) -> None:
        """Give back the memory of the index."""
        self.index.close()

    async def _learn_for_ever(self) -> None:
        """Read match records for what only they say, a few at a time, in a thread of its own."""
        while True:
            wanted = []
            with survived("match records are read for the index"):
                wanted = self.index.unlearnt(LEARN_AT_ONCE)
                if wanted:
                    learnt = await trio.to_thread.run_sync(learnt_of_all, self.folder, wanted)
                    self.index.learn(learnt)  # which may be a new one by now
            await trio.sleep(LOOK_SECONDS if wanted else IDLE_SECONDS)


def learnt_of_all(folder: Path, wanted: Sequence[tuple[str, int]]) -> list[Learnt]:
    """Return what the match records say of each fixture's attempt."""
    return [learnt_of(folder, fixture, attempt) for fixture, attempt in wanted]


def learnt_of(folder: Path, fixture: str, attempt: int) -> Learnt:
    """Return what the record of a match says of an attempt.

    Reads only the lines that tell it; what cannot be read is left out, and `arena verify` says what
    is wrong.
    """
    turns: dict[int, int] = {}
    versions = ["", ""]
    is_it = False
    name = match_record(fixture)
    with suppress(OSError, RecordError):
        for line in read_inside(folder, name).split(b"\n"):
            if not line.startswith(_LEARNT):
                continue
            fact = match_lines.read_line(name, line)
            if isinstance(fact, MatchOpened):
                is_it = fact.attempt == attempt
            elif is_it and isinstance(fact, BotReady):
                versions[fact.seat - 1] = fact.entrant.version
            elif is_it and isinstance(fact, GameEnded):
                turns[fact.game] = fact.turns
    return Learnt(
        fixture=fixture, attempt=attempt, versions=(versions[0], versions[1]), turns=turns
    )

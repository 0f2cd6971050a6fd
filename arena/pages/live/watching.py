"""The watcher of a run: one task that looks at the files, and the messages for viewers of them.

It looks at the tournament record always, and at a match record while the overview or the match has
viewers. All viewers of a page share one follower and one channel (event_stream.py).
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import trio
from msgspec import UNSET
from msgspec.structs import replace

from arena.matches.facts import BotReady, GameEnded, MatchOpened
from arena.pages.contents import News, Overview, SmallBoard
from arena.pages.following import FOREVER_MS, MatchFollower, RunFollower
from arena.pages.growing_file import GrowingFile
from arena.pages.index import Learnt, index_in_memory
from arena.pages.live.chances import Chances
from arena.pages.live.run_table import RunTable
from arena.pages.live.watched import AGAIN_SECONDS, WatchedMatch
from arena.pages.serving.event_stream import Channel, event
from arena.pages.serving.faults import FAILED, survived, tell_fault
from arena.records.files import TOURNAMENT_RECORD, match_record
from arena.records.lines import RecordError, match_lines
from arena.server.io.disk import read_inside
from arena.words import Said

T = TypeVar("T")
NO_RUN: Final = "The run has not started yet: its tournament record has no line."
LOOK_SECONDS: Final = 0.05
"""Time between looks at the files while there are viewers."""
IDLE_SECONDS: Final = 1.0
"""The same without viewers."""
KEEP_SECONDS: Final = 30.0
"""A match without viewers is remembered for this time; without its page, only while it is
played."""
MOST_KEPT: Final = 64
"""Matches without viewers that are remembered: the latest."""
MOST_BOARDS: Final = 64
"""Boards of the overview: the matches that began last."""
FIRST_GAMES: Final = 25
NEWS_KEPT: Final = 100
"""Messages of the overview, for viewers that are slow; those that come back get a snapshot."""
LEARN_AT_ONCE: Final = 50
"""Match records that are read for the index in one go."""
_LEARNT: Final = (b'{"event":"match_opened"', b'{"event":"bot_ready"', b'{"event":"game_ended"')
"""The beginnings of the lines that are read for the index."""


class Watcher:
    """A run folder that is followed."""

    def __init__(self, folder: Path, delay_ms: int = 0) -> None:
        self.folder, self.delay_ms = folder, delay_ms
        self.run = RunFollower()
        self.table = RunTable(delay_ms)
        self.matches: dict[str, WatchedMatch] = {}
        self.index = index_in_memory()
        self.overview = Channel(self._overview_snapshot, NEWS_KEPT)
        self._file = GrowingFile(folder, TOURNAMENT_RECORD)
        self._looked_at = -1e9
        self._failed_at: float | None = None
        self._told_at = 0.0
        self._table_told = 0
        """The number of the standings that viewers have."""
        self._asking = trio.Lock()
        """Held while a thread asks about the run: no line is read meanwhile."""
        self._boards: dict[str, str] = {}
        self.chances = Chances()
        self._new_chances: dict[str, float] = {}
        """Chances that viewers were not told yet, by match."""
        self._snapshot = b""
        self._snapshot_at = 0.0

    @property
    def until_ms(self) -> int:
        """The time after which lines are held back."""
        if not self.delay_ms:
            return FOREVER_MS
        return int(time.time() * 1000) - self.delay_ms

    async def follow(self) -> None:
        """Look at the files for ever."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._learn_for_ever)
            nursery.start_soon(self._judge_boards)
            nursery.start_soon(self._compute_tables)
            while True:
                await trio.sleep(self._pause_seconds)
                with survived("the records are looked at"):
                    self.look()

    @property
    def _pause_seconds(self) -> float:
        """The time until the next look: short while the overview or a match has viewers."""
        channels = [self.overview, *(match.channel for match in self.matches.values())]
        if any(channel.viewers for channel in channels):
            return LOOK_SECONDS
        return IDLE_SECONDS

    def look(self) -> None:
        """Look at every file that viewers ask for, and tell them what is new.

        After a fault of ours everything is read again from the start.
        """
        self._looked_at = time.monotonic()
        try:
            if self._failed_at is not None:
                if self._asking.locked() or self._looked_at - self._failed_at < AGAIN_SECONDS:
                    return
                self._begin_again()
                self._file = GrowingFile(self.folder, TOURNAMENT_RECORD)
                self._failed_at = None
            self._read_new_lines()
            self._look_at_matches()
        except Exception as error:  # noqa: BLE001 - it is told
            self._failed_at = self._looked_at
            self.run.broken = self.run.broken or FAILED
            tell_fault("the run is followed", error)

    def _read_new_lines(self) -> None:
        """Read the new lines of the tournament record into the state and the index."""
        if self._asking.locked():
            return
        for lines, is_again in self._file.read_all():
            if is_again:
                self._begin_again()
            self.run.read(lines)
            facts = [fact for _, fact in self.run.advance(self.until_ms)]
            if facts:
                self.table.tell_change()
            self.index.add(facts)

    def _look_at_matches(self) -> None:
        """Look at the matches with viewers, forget those without, and tell the overview."""
        watched = {name for name, match in self.matches.items() if match.channel.viewers}
        shown: list[str] = []
        if self.overview.viewers:
            shown = self._shown()
        for fixture in watched.union(shown):
            self.watched(fixture).wanted_at = self._looked_at
        self._forget_matches()
        if self.overview.viewers:
            self._tell_overview(shown)

    def _forget_matches(self) -> None:
        """Forget matches that nothing has asked for of late, and all but the latest of them."""
        unwatched = [
            fixture for fixture, match in self.matches.items() if match.wanted_at != self._looked_at
        ]
        unwatched.sort(key=lambda fixture: self.matches[fixture].wanted_at, reverse=True)
        for number, fixture in enumerate(unwatched):
            match = self.matches[fixture]
            keep_s = 0.0
            if match.is_page or fixture in self.run.running:
                keep_s = KEEP_SECONDS
            if number >= MOST_KEPT or self._looked_at - match.wanted_at > keep_s:
                del self.matches[fixture]
                match.channel.close()

    def refresh(self) -> None:
        """Look now, if the last look was a while ago."""
        if time.monotonic() - self._looked_at > LOOK_SECONDS:
            self.look()

    def _begin_again(self) -> None:
        self.run = RunFollower()
        self.table = RunTable(self.delay_ms)
        self._table_told = 0
        self.index.close()
        self.index = index_in_memory()
        self._boards.clear()
        self.overview.restart()

    # Matches

    def watched(self, fixture: str, *, is_page: bool = False) -> WatchedMatch:
        """Return the match, read as far as it is written.

        For its page it keeps every change for viewers who come back.
        """
        match = self.matches.get(fixture)
        if match is not None and is_page and not match.is_page:
            match.channel.close()
            match = None
        if match is None:
            match = WatchedMatch(
                self.folder,
                fixture,
                is_page=is_page,
                best_game=self.run.best_game,
            )
            self.matches[fixture] = match
        match.wanted_at = time.monotonic()
        match.look(self.until_ms)
        return match

    # The overview

    def _shown(self) -> list[str]:
        return list(self.run.running)[-MOST_BOARDS:]

    def boards(self) -> list[SmallBoard]:
        """Return the boards of the matches that are being played, as far as they have started."""
        boards = []
        for fixture in self._shown():
            follower = self.watched(fixture).follower
            if follower.book is not None:
                with survived(f"the board of {fixture}"):
                    boards.append(self._board(fixture, follower))
        return boards

    def _board(self, fixture: str, follower: MatchFollower) -> SmallBoard:
        board = follower.small_board()
        return replace(board, chance=self.chances.of(fixture, board.game))

    def overview_now(self) -> Overview:
        """Return the first page. Raises `RecordError` if the records give no standings."""
        boards = self.boards()
        return Overview(
            run=self.table.page(self.run),
            running=boards,
            more_running=max(0, len(self.run.running) - MOST_BOARDS),
            has_chances=self.chances.are_possible,
            games=self.index.games(most=FIRST_GAMES, annulled=self.table.annulled(self.run)),
        )

    async def ask(self, question: Callable[[], T]) -> T:
        """Answer a question about the run, in a thread if its standings take long."""
        if self.table.is_quick:
            return question()
        async with self._asking:
            return await trio.to_thread.run_sync(question)

    async def _compute_tables(self) -> None:
        """Compute the standings of a run where they take long, for ever."""
        while True:
            await trio.sleep(self._pause_seconds)
            if self.run.state is not None and not self.table.is_quick and self.table.is_wanted:
                with survived("the standings are computed"):
                    await self.ask(lambda: self.table.compute(self.run))

    @property
    def why_not_started(self) -> Said | str:
        """The reason why there is no run to show."""
        return self._file.trouble or self.run.broken or NO_RUN

    def _overview_snapshot(self) -> bytes:
        """Return the overview as a message, or why there is none; it may be `LOOK_SECONDS` old."""
        now = time.monotonic()
        if not self._snapshot or now - self._snapshot_at > LOOK_SECONDS:
            self._snapshot_at = now
            try:
                if self.run.state:
                    self._snapshot = event("snapshot", self.overview_now())
                else:
                    self._snapshot = event("trouble", self.why_not_started)
            except RecordError as error:
                self._snapshot = event("trouble", error.said)
        return self._snapshot

    def _tell_overview(self, shown: list[str]) -> None:
        """Publish what is new on the overview, not too often: the table takes time to compute."""
        now = time.monotonic()
        if now - self._told_at < max(2 * LOOK_SECONDS, self.overview.pace_seconds):
            return
        nothing = news = News(more_running=max(0, len(self.run.running) - MOST_BOARDS))
        if self.run.state and self.table.is_quick and self.table.is_wanted:
            self.table.compute(self.run)
        if self.table.number != self._table_told:
            self._table_told = self.table.number
            news = self._with_table(news)
        news = replace(
            news,
            boards=self._changed_boards(shown) or UNSET,
            gone=self._forget_boards(shown) or UNSET,
            chances=self._new_chances or UNSET,
        )
        self._new_chances = {}
        if news != nothing:
            self._snapshot = b""
            self.overview.publish("", event("news", news))
            self.overview.wake()
            self._told_at = now

    def _with_table(self, news: News) -> News:
        """Return news with the standings or what is wrong with them, and the latest games."""
        annulled: frozenset[str] = frozenset()
        try:
            news = replace(news, run=self.table.page(self.run))
            annulled = self.table.annulled(self.run)
        except RecordError as error:
            news = replace(news, trouble=error.said)
        return replace(news, games=self.index.games(most=FIRST_GAMES, annulled=annulled))

    def _forget_boards(self, shown: list[str]) -> list[str]:
        """Forget the boards that are no longer shown; return their matches."""
        gone = [fixture for fixture in self._boards if fixture not in shown]
        for fixture in gone:
            del self._boards[fixture]
        return gone

    def _changed_boards(self, shown: list[str]) -> list[SmallBoard]:
        """Return the boards of these matches that have changed since they were told last."""
        boards = []
        for fixture in shown:
            follower = self.matches[fixture].follower
            key = f"{follower.key} {follower.broken}"
            if follower.book is not None and self._boards.get(fixture) != key:
                self._boards[fixture] = key
                boards.append(self._board(fixture, follower))
                self._new_chances.pop(fixture, None)  # it is on the board
        return boards

    async def _judge_boards(self) -> None:
        """Judge the boards while they have viewers, for ever or until that is not possible.

        A fault leaves out all chances from now on; viewers are told so with a snapshot.
        """
        while self.chances.are_possible:
            await trio.sleep(self.chances.pause_seconds)
            if self.overview.viewers:
                with survived("the chances of the boards are judged") as faults:
                    await self._judge_boards_once()
                if faults:
                    self.chances.are_possible = False
        with survived("viewers are told that chances are left out"):
            self._snapshot = b""
            self.overview.restart()

    async def _judge_boards_once(self) -> None:
        """Judge the boards that have changed."""
        shown = {}
        for fixture in self._shown():
            match = self.matches.get(fixture)
            if match is not None:
                shown[fixture] = match.follower.position_to_judge()
        news = await self.chances.judge(shown)
        self._new_chances |= news

    def close(self) -> None:
        """End the streams of all viewers, and give back the memory of the index."""
        for match in self.matches.values():
            match.channel.close()
        self.overview.close()
        self.index.close()

    async def _learn_for_ever(self) -> None:
        """Read match records for the index, a few at a time, in a thread of its own."""
        while True:
            wanted = []
            with survived("match records are read for the index"):
                wanted = self.index.unlearnt(LEARN_AT_ONCE)
                if wanted:
                    learnt = await trio.to_thread.run_sync(learnt_of_all, self.folder, wanted)
                    self.index.learn(learnt)  # the index may be a new one by now
            await trio.sleep(LOOK_SECONDS if wanted else IDLE_SECONDS)


def learnt_of_all(folder: Path, wanted: Sequence[tuple[str, int]]) -> list[Learnt]:
    """Return the facts for the index of each fixture's attempt."""
    return [learnt_of(folder, fixture, attempt) for fixture, attempt in wanted]


def learnt_of(folder: Path, fixture: str, attempt: int) -> Learnt:
    """Return the facts for the index of an attempt at a match.

    Reads only the lines that have them. Unreadable lines are left out; `arena verify` reports them.
    """
    turns: dict[int, int] = {}
    versions = ["", ""]
    is_wanted = False
    name = match_record(fixture)
    with suppress(OSError, RecordError):
        for line in read_inside(folder, name).split(b"\n"):
            if not line.startswith(_LEARNT):
                continue
            fact = match_lines.read_line(name, line)
            if isinstance(fact, MatchOpened):
                is_wanted = fact.attempt == attempt
            elif is_wanted and isinstance(fact, BotReady):
                versions[fact.seat - 1] = fact.entrant.version
            elif is_wanted and isinstance(fact, GameEnded):
                turns[fact.game] = fact.turns
    first, second = versions
    return Learnt(fixture=fixture, attempt=attempt, versions=(first, second), turns=turns)

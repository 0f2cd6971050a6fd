"""A match record followed while it grows: lines in, changes out; pure, without files or clocks.

A follower does not verify: the record is shown as it is written, and `arena verify` is the word on whether it is right.
Every line has a key, made of its number and of a checksum of all
lines up to it. So a viewer that comes back with a key goes on exactly there, also when the web process was started
again, and never after a record was changed. Of a duplicate pair it shows no step before both halves have it.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable
from typing import Any, Final

from arena.games import Game, GameError
from arena.matches.facts import BotReady, GameEnded, MatchEnded, MatchOpened, MatchVoided
from arena.pages.contents import MatchPage
from arena.pages.games import Change, ShownGame, ShownGames
from arena.pages.live.in_step import InStep
from arena.pages.match_page import MatchRows, page_of_book
from arena.records.facts import DiceRevealed, MatchLine, RecordClosed
from arena.records.lines import RecordError, match_lines
from arena.records.timeline import Timeline

GAMES_KEPT: Final = 64
"""How many games of a match that is played can be played through, the latest; all of them can once it is over."""

MOST_GAMES: Final = 1000
"""In the list of a match; earlier ones are left out."""


class MatchFollower:
    """The state of a match after the lines of its record so far."""

    def __init__(self, name: str) -> None:
        """`name` is that of the record, for messages: `matches/r1-anna-v-bo.jsonl`."""
        self._name = name
        self.lines = 0
        """How many lines were taken."""
        self._read = 0
        self._sum = 0
        self.key = "0-0"
        """Of the last line taken."""
        self._in_step = InStep()
        self._due: deque[tuple[str, MatchLine]] = deque()
        """Lines that viewers may know, and that were not taken yet."""
        self._book: Timeline | None = None
        self._shown: ShownGames | None = None
        self._rows = MatchRows()
        self.current = 0
        """The game that had the last turn, or began last."""
        self.at_ms = 0
        """When the last line was written."""
        self.broken = ""
        """Why the record cannot be followed any further; empty if it can."""

    @property
    def opened(self) -> MatchOpened | None:
        """The header of the present attempt."""
        return self._book.opened if self._book else None

    @property
    def rules(self) -> Game[Any] | None:
        """What is played."""
        return self._book.rules if self._book else None

    @property
    def games(self) -> dict[int, ShownGame]:
        """Those of the present attempt that are kept, by number."""
        return self._shown.games if self._shown else {}

    @property
    def score(self) -> tuple[int, int]:
        """Game points so far."""
        return self._book.score if self._book else (0, 0)

    @property
    def is_over(self) -> bool:
        """True once the attempt has ended."""
        return self._book is not None and self._book.end is not None

    def page(self) -> MatchPage:
        """The match, as it is being played; its header must have been read."""
        assert self._book is not None, "the header of the match was read"
        running = {number: game for number, game in self.games.items() if game.ended is None}
        shown = running or {self.current: self.games[self.current]} if self.current in self.games else running
        rows = self._rows.in_order
        return page_of_book(
            self._book,
            rows[-MOST_GAMES:],
            state="under way",
            is_last=True,
            attempts=self._book.opened.attempt,
            left_out=max(0, len(rows) - MOST_GAMES),
            shown=[game.replayed(number) for number, game in sorted(shown.items())],
            current=self.current,
            key=self.key,
            at_ms=self.at_ms,
            broken=self.broken,
        )

    def read(self, lines: Iterable[bytes]) -> None:
        """Take whole lines as they are in the file, each without its line feed; what cannot be read stops here."""
        if self.broken:
            return
        for line in lines:
            self._read += 1
            self._sum = zlib.crc32(line, self._sum)
            try:
                fact = match_lines.read_line(f"{self._name}:{self._read}", line)
            except RecordError as error:
                self.broken = str(error)
                return
            self._due += self._in_step.take(f"{self._read}-{self._sum:08x}", fact)

    def advance(self, until_ms: int | None = None) -> list[tuple[str, Change]]:
        """What changes by the lines that were read, each change with the key of its line.

        With `until_ms`, later lines are held back.
        """
        changes: list[tuple[str, Change]] = []
        while self._due:
            key, fact = self._due[0]
            if until_ms is not None and not isinstance(fact, RecordClosed) and fact.at_ms > until_ms:
                break
            self._due.popleft()
            try:
                changes += [(key, change) for change in self._take(fact)]
            except (RecordError, GameError) as error:
                self.broken = str(error)
                self._due.clear()
                break
            self.lines += 1
            self.key = key
        return changes

    def _take(self, fact: MatchLine) -> list[Change]:
        where = f"{self._name}:{self.lines + 1}"
        if isinstance(fact, MatchOpened):
            self._book = Timeline(fact, where)
            self._shown = ShownGames(self._book.rules)
            self._rows = MatchRows()
            self.current, self.at_ms = 0, fact.at_ms
            return [Change(kind="opened", at_ms=fact.at_ms)]
        if isinstance(fact, RecordClosed | DiceRevealed):
            return []
        if self._book is None or self._shown is None:
            raise RecordError(where, "a match record begins with match_opened")
        self.at_ms = fact.at_ms
        changes = self._shown.take(self._book.take(where, fact))
        if changes:
            self.current = changes[-1].game
        self._rows.take(fact)
        if isinstance(fact, GameEnded):
            self._forget()
        if isinstance(fact, BotReady):
            return [Change(kind="bot", versions=self._book.versions, at_ms=fact.at_ms)]
        if isinstance(fact, MatchEnded | MatchVoided):
            return [Change(kind="over", void=fact.reason if isinstance(fact, MatchVoided) else "", at_ms=fact.at_ms)]
        return changes

    def _forget(self) -> None:
        """Let go of the oldest games that are over, as far as there are too many."""
        over = [number for number, game in self.games.items() if game.ended]
        for number in over[: max(0, len(self.games) - GAMES_KEPT)]:
            del self.games[number]

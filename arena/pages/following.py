"""Records followed while they grow: lines in, changes or standings out; no files, no clocks.

A follower does not verify: the record is shown as it is written, and `arena verify` is the word on
whether it is right.
"""

import zlib
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import inf
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from arena.games import Game, GameError
from arena.games.result import Seat
from arena.matches import facts
from arena.matches.state import other, pair_of
from arena.pages.boards import board_of, on_bar, pips, room
from arena.pages.contents import (
    GameLine,
    LastTurn,
    MatchPage,
    PairingsPage,
    ReplayedGame,
    RunPage,
    SmallBoard,
)
from arena.pages.games import Change, ShownGames
from arena.pages.pairings import pairings_page
from arena.pages.run_page import match_outcome, page_of_book, run_page, update_rows
from arena.records import facts as recorded
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import (
    LineReader,
    RecordError,
    match_lines,
    rules_on_record,
    tournament_lines,
)
from arena.records.state import TournamentState
from arena.records.timeline import Timeline
from arena.tournaments import TournamentError
from arena.tournaments.crosstable import Crosstable, crosstable
from arena.tournaments.results import BestGame
from arena.tournaments.standings import Standings
from arena.words import Said

GAMES_KEPT: Final = 64
"""The latest games of a match under way that can be played through; after the match, all can."""

MOST_GAMES: Final = 1000
"""In the list of a match; earlier ones are left out."""

FOREVER_MS: Final = 2**62

Fact = TypeVar("Fact", bound=recorded.MatchLine | recorded.TournamentFact)
News = TypeVar("News")
"""What a line of a record changes for viewers."""


class Follower(ABC, Generic[Fact, News]):
    """A record as far as it is followed: whole lines, each read once, taken when it may be known.

    Every line has a key, made of its number and of a checksum of all lines up to it. So a viewer
    that comes back with a key goes on exactly there, also when the web process was started again.
    After a change of the record no key fits any more.
    """

    def __init__(self, name: str, reader: LineReader[Fact]) -> None:
        """Follow a record; messages name it by `name`, such as `matches/r1-anna-v-bo.jsonl`."""
        self._name, self._reader = name, reader
        self._read = self._sum = 0
        self._due: deque[tuple[str, Fact]] = deque()
        """Lines that may be known, and that were not taken yet."""
        self.key = "0-0"
        """The key of the last line taken."""
        self.lines = 0
        """The number of lines that were taken."""
        self.broken: Said | str = ""
        """The reason if the record cannot be followed any further."""

    def read(self, lines: Iterable[bytes]) -> None:
        """Read whole lines of the file, without line feeds; stop at one that cannot be read."""
        if self.broken:
            return
        for line in lines:
            self._read += 1
            self._sum = zlib.crc32(line, self._sum)
            try:
                fact = self._reader.read_line(f"{self._name}:{self._read}", line)
            except RecordError as error:
                self.broken = error.said
                return
            self._due += self._known(f"{self._read}-{self._sum:08x}", fact)

    def advance(self, until_ms: int = FOREVER_MS) -> list[tuple[str, News]]:
        """Apply the lines that were read; return what they change, each with the key of its line.

        With `until_ms`, later lines are held back.
        """
        changes: list[tuple[str, News]] = []
        while self._due:
            key, fact = self._due[0]
            if not isinstance(fact, recorded.RecordClosed) and fact.at_ms > until_ms:
                break
            self._due.popleft()
            try:
                changes += [(key, change) for change in self._apply(fact)]
            except (RecordError, GameError, TournamentError) as error:
                self.broken = error.said
                self._due.clear()
                break
            self.lines += 1
            self.key = key
        return changes

    @property
    def held_ms(self) -> int | None:
        """The time of the next line that is held back; None if none is."""
        if not self._due:
            return None
        _, fact = self._due[0]
        assert not isinstance(fact, recorded.RecordClosed), "it is never held back"
        return fact.at_ms

    @property
    def _where(self) -> str:
        return f"{self._name}:{self.lines + 1}"

    def _known(self, key: str, fact: Fact) -> Iterable[tuple[str, Fact]]:
        """Return the lines that may be known now that this one was read."""
        return [(key, fact)]

    @abstractmethod
    def _apply(self, fact: Fact) -> Iterable[News]: ...


class JudgedPosition(msgspec.Struct, frozen=True, kw_only=True):
    """A position that an evaluator may judge."""

    rules: Game[Any]
    game: int
    """The number of its game."""
    position: Any
    """As the side sees it that is to move."""
    to_move: Seat


class MatchFollower(Follower[recorded.MatchLine, Change]):
    """The state of a match after the lines of its record so far."""

    def __init__(self, name: str, best_game: BestGame = "value") -> None:
        """Follow a match of a tournament that compares won games in this way (M2)."""
        super().__init__(name, match_lines)
        self._best_game = best_game
        self._in_step = InStep()
        self.book: Timeline | None = None
        """The book of the present attempt."""
        self._shown: ShownGames | None = None
        self._rows: dict[int, GameLine] = {}
        self.current = 0
        """The game that had the last turn, or began last."""

    @property
    def games(self) -> dict[int, ReplayedGame]:
        """The games of the present attempt that are kept, by number."""
        if self._shown is None:
            return {}
        return self._shown.games

    def page(self) -> MatchPage:
        """Return the match, as it is being played; its header must have been read."""
        assert self.book is not None, "the header of the match was read"
        shown = [game for _, game in sorted(self.games.items()) if game.ended is None]
        if not shown and self.current in self.games:
            shown = [self.games[self.current]]
        return page_of_book(
            self.book,
            self._rows,
            most=MOST_GAMES,
            state="under way",
            is_last=True,
            attempts=self.book.opened.attempt,
            outcome=self._outcome(self.book),
            shown=shown,
            current=self.current,
            key=self.key,
            broken=self.broken,
        )

    def _outcome(self, book: Timeline) -> Said:
        return match_outcome(book, self._rows, "under way", None, self._best_game)

    def small_board(self) -> SmallBoard:
        """Return the match for the overview; its header must have been read."""
        assert self.book is not None, "the header of the match was read"
        opened = self.book.opened
        board = SmallBoard(
            fixture=opened.match,
            entrants=opened.entrants,
            game=self.current,
            games=opened.terms.games,
            score=self.book.score,
            starter=0,
            turn=0,
            position="",
            before="",
            last=None,
            is_over=self.book.end is not None,
            broken=self.broken,
        )
        game = self.games.get(self.current)
        if game is None:
            return board
        return replace(board, **self._card(self.book.rules, game))

    def _card(self, rules: Game[Any], game: ReplayedGame) -> dict[str, Any]:
        """Return the fields of a small board that show a game."""
        fields: dict[str, Any] = {
            "starter": game.starter,
            "turn": 1,
            "position": game.start,
            "before": game.start,
        }
        turns_back = (step for step in reversed(game.steps) if step.kind == "turn")
        latest = list(islice(turns_back, 2))
        if latest:
            last = latest[0]
            fields["last"] = LastTurn(last.seat, last.dice, last.text)
            fields["turn"] = int(last.at) + 1
            fields["position"] = last.position
        if len(latest) == 2:
            fields["before"] = latest[1].position
        board = board_of(rules)
        if board.kind == "tables":
            fields["pips"] = pips(fields["position"], board)
            if rules.ruleset["jan"]:
                fields["bar"] = on_bar(fields["position"])
                fields["room"] = room(fields["position"], board)
        return fields

    def position_to_judge(self) -> JudgedPosition | None:
        """Return the position of the game that is shown; None if none is being played."""
        if self.book is None:
            return None
        game = self.book.open.get(self.current)
        if game is None or game.started is None:
            return None
        to_move = game.started.starter
        if game.turn % 2 == 0:
            to_move = other(to_move)
        return JudgedPosition(
            rules=self.book.rules,
            game=self.current,
            position=game.position,
            to_move=to_move,
        )

    def _known(
        self, key: str, fact: recorded.MatchLine
    ) -> Iterator[tuple[str, recorded.MatchLine]]:
        return self._in_step.add(key, fact)

    def _apply(self, fact: recorded.MatchLine) -> list[Change]:
        """Apply a line of a match record; return what it changes on the page."""
        if isinstance(fact, facts.MatchOpened):
            self._begin_attempt(fact)
            return [Change(kind="opened")]
        if isinstance(fact, recorded.RecordClosed | recorded.DiceRevealed):
            return []
        if self.book is None or self._shown is None:
            raise RecordError(self._where, "a match record begins with match_opened")
        changes = self._shown.add(self.book.add(self._where, fact))
        if changes:
            self.current = changes[-1].game
        update_rows(self._rows, fact)
        if isinstance(fact, facts.GameEnded):
            self._forget_games()
            outcome = self._outcome(self.book)
            return [replace(change, outcome=outcome) for change in changes]
        if isinstance(fact, facts.BotReady):
            return [Change(kind="bot", versions=self.book.versions)]
        if isinstance(fact, facts.MatchEnded | facts.MatchVoided):
            return [self._end_match(self.book, fact)]
        return changes

    def _end_match(self, book: Timeline, end: facts.MatchEnded | facts.MatchVoided) -> Change:
        void: Said | str = ""
        if isinstance(end, facts.MatchVoided):
            void = end.reason
        return Change(kind="over", void=void, outcome=self._outcome(book))

    def _begin_attempt(self, opened: facts.MatchOpened) -> None:
        self.book = Timeline(opened, self._where)
        self._shown = ShownGames(self.book.rules)
        self._rows = {}
        self.current = 0

    def _forget_games(self) -> None:
        """Forget the earliest games that are over, as far as more than `GAMES_KEPT` are kept."""
        excess = max(0, len(self.games) - GAMES_KEPT)
        over = [number for number, game in self.games.items() if game.ended]
        for number in over[:excess]:
            del self.games[number]


class InStep:
    """The lines of a match record in their order, each as soon as viewers may know it.

    In a duplicate pair a fact of a step waits until the other half has finished this step, or is
    over, and later lines wait behind it. In a series nothing waits. Without this, a bot that thinks
    about a step of one half could look up on the pages what its opponent has played in the other
    half. The arena writes every line at once, and writes nothing later for this: the order follows
    from the lines alone.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[str, recorded.MatchLine]] = deque()
        self._is_pairs = False
        self._finished: dict[int, float] = {}
        """The last step that each half has finished; no end of steps once it is over."""

    def add(self, key: str, fact: recorded.MatchLine) -> Iterator[tuple[str, recorded.MatchLine]]:
        """Add the next line, with its key; yield every line that may be known now."""
        if isinstance(fact, facts.MatchOpened | facts.MatchEnded | facts.MatchVoided):
            yield from self._waiting  # the attempt is over
            self._waiting.clear()
            self._finished.clear()
            self._is_pairs = isinstance(fact, facts.MatchOpened) and fact.terms.form == "pairs"
        self._waiting.append((key, fact))
        self._note_finished(fact)
        while self._waiting:
            _, next_fact = self._waiting[0]
            if not self._may_be_known(next_fact):
                break
            yield self._waiting.popleft()

    def _note_finished(self, fact: recorded.MatchLine) -> None:
        """Note the step that a fact finishes, if it finishes one."""
        if isinstance(fact, facts.GameEnded):
            self._finished[fact.game] = inf
        elif isinstance(fact, facts.TurnPlayed | facts.DrawAgreed | facts.FlagFell) or (
            isinstance(fact, facts.TurnRejected) and fact.left < 0
        ):
            self._finished[fact.game] = fact.turn

    def _may_be_known(self, fact: recorded.MatchLine) -> bool:
        if not (self._is_pairs and isinstance(fact, facts.FactOfTurn)):
            return True
        first = 2 * pair_of(fact.game) - 1
        other_half = first if fact.game != first else first + 1
        return self._finished.get(other_half, 0) >= fact.turn


Hear: TypeAlias = Callable[[TournamentState, recorded.TournamentFact], None]
"""Hears each line of a tournament record, after the state has taken it."""


class RunFollower(Follower[recorded.TournamentFact, recorded.TournamentFact]):
    """The state of a run after the lines of its tournament record so far."""

    def __init__(self, hear: Hear | None = None) -> None:
        super().__init__(TOURNAMENT_RECORD, tournament_lines)
        self._hear = hear
        self.state: TournamentState | None = None
        self.running: dict[str, recorded.FixtureIssued] = {}
        """The matches that are issued and neither settled nor void."""
        self.settled: dict[str, recorded.FixtureSettled] = {}
        self.latest_ms = 0
        self._table: Standings | None = None
        self._moves: dict[str, int] | None = None

    def _apply(self, fact: recorded.TournamentFact) -> list[recorded.TournamentFact]:
        """Apply a line of the tournament record; it is itself the news."""
        if not isinstance(fact, recorded.RecordClosed):
            self.latest_ms = fact.at_ms
        if self.state is None:
            if not isinstance(fact, recorded.TournamentOpened):
                raise RecordError(self._where, "a tournament record begins with tournament_opened")
            rules_on_record(fact.ruleset, self._where)  # a game that is not known stops here
            self.state = TournamentState(fact)
        self.state.apply(fact)
        if self._hear is not None:
            self._hear(self.state, fact)
        if isinstance(fact, recorded.FixtureIssued):
            self.running[fact.fixture] = fact
        elif isinstance(fact, recorded.FixtureSettled | recorded.FixtureVoided):
            self.running.pop(fact.fixture, None)
            if isinstance(fact, recorded.FixtureSettled):
                self.settled[fact.fixture] = fact
        self._table = self._moves = None
        return [fact]

    @property
    def _known_state(self) -> TournamentState:
        assert self.state is not None, "nothing was read yet"
        return self.state

    @property
    def best_game(self) -> BestGame:
        """How the tournament compares won games (M2); before its first line, the usual way."""
        if self.state is None:
            return "value"
        return self.state.opened.best_game

    def table(self) -> Standings:
        """Return the standings after the lines so far. Raises `RecordError` if they give none."""
        if self._table is None:
            self._table = self._known_state.standings()
        return self._table

    def annulled(self) -> frozenset[str]:
        """Return the matches that count for neither side because an entrant was withdrawn (M5).

        Raises `RecordError`.
        """
        if not self._known_state.withdrawn:
            return frozenset()
        return self._known_state.annulled(self.table())

    def page(self, delay_ms: int = 0) -> RunPage:
        """Return the head of the run with its standings. Raises `RecordError`."""
        table = self.table()
        if self._moves is None:
            self._moves = self._known_state.moves(table)
        page = run_page(self._known_state, table, self.latest_ms, self._moves)
        return replace(page, delay_ms=delay_ms, broken=self.broken)

    def crosstable(self) -> Crosstable:
        """Return every meeting by row and column, in the order of the standings."""
        return crosstable(self.table(), self._known_state.results)

    def pairings(self) -> PairingsPage:
        """Return the pairings, for formats that show more than a cross-table."""
        return pairings_page(self._known_state, self.table())

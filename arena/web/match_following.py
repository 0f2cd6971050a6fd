"""A match record followed while it grows: lines in, changes out; pure, without files or clocks.

A follower does not verify: the record is shown as it is written, and `arena verify` is the word on whether it is right.
It judges each turn once, for the position after it. Every line has a key, made of its number and of a checksum of all
lines up to it. So a viewer that comes back with a key goes on exactly there, also when the web process was started
again, and never after a record was changed. Of a duplicate pair it shows no step before both halves have it.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import msgspec

from arena.games import Game, GameError
from arena.games.result import Result, Seat
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    DiceCalled,
    DrawAgreed,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchOpened,
    MatchResumed,
    MatchVoided,
    TurnPlayed,
    TurnRejected,
)
from arena.records.absence import absence_behind
from arena.records.facts import DiceRevealed, MatchLine, RecordClosed
from arena.records.lines import RecordError, match_lines
from arena.records.reading import Attempt, rules_on_record
from arena.records.reasons import why_ended
from arena.report.boards import board_of, position_text
from arena.report.contents import ReplayedGame, Step
from arena.report.steps import CollectedGame, Steps, absence_step
from arena.report.words import sentence
from arena.web.in_step import InStep

GAMES_KEPT: Final = 64
"""How many games of a match that is played can be played through, the latest; all of them can once it is over."""

_PLAYED = (TurnPlayed, TurnRejected, DiceCalled, DrawAgreed, FlagFell)
_ABSENCES = (BotLeft, BotMissing, BotReturned, MatchResumed)


@dataclass(slots=True)
class LiveGame(CollectedGame):
    """A game as far as it is played."""

    position: Any = None
    """As the rules have it, seen by the side to move."""
    shown: str = ""
    """The same as a short text, seen from seat 1."""
    before: str = ""
    """The text before the last turn."""
    left_ms: list[int] = field(default_factory=list)
    at_ms: int = 0


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one line of the record changed; pages apply it to what they show."""

    kind: Literal["opened", "bot", "game", "step", "ended", "over"]
    game: int = 0
    steps: list[Step] | msgspec.UnsetType = msgspec.UNSET
    """For `step`: what was added to the game, one step."""
    begun: ReplayedGame | msgspec.UnsetType = msgspec.UNSET
    """For `game`: the new game."""
    ended: GameEnded | msgspec.UnsetType = msgspec.UNSET
    """For `ended`: how the game ended."""
    why: str | msgspec.UnsetType = msgspec.UNSET
    versions: tuple[str, str] | msgspec.UnsetType = msgspec.UNSET
    """For `bot`: what the bots called themselves when they logged in."""
    void: str | msgspec.UnsetType = msgspec.UNSET
    """For `over`: why the attempt counts for neither side; empty if it counts."""
    at_ms: int = 0


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
        self.attempt: Attempt | None = None
        self.rules: Game[Any] | None = None
        self.versions = ("", "")
        self.games: dict[int, LiveGame] = {}
        """Those of the present attempt that are kept, by number."""
        self.results: dict[int, tuple[Result, int]] = {}
        """How every game of the attempt ended that is over, and in how many turns."""
        self.current = 0
        """The game that had the last turn, or began last."""
        self.is_over = False
        self.void = ""
        self.at_ms = 0
        """When the last line was written."""
        self.score = (0, 0)
        """Game points so far."""
        self.broken = ""
        """Why the record cannot be followed any further; empty if it can."""

    @property
    def opened(self) -> MatchOpened | None:
        """The header of the present attempt."""
        return self.attempt.opened if self.attempt else None

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
        if isinstance(fact, MatchOpened):
            return self._open(fact)
        if isinstance(fact, RecordClosed | DiceRevealed):
            return []
        if self.attempt is None or self.rules is None:
            raise RecordError(f"{self._name}:1", "a match record begins with match_opened")
        self.at_ms = fact.at_ms
        if isinstance(fact, (BotReady, GameEnded, *_ABSENCES)):
            self.attempt.facts.append(("", fact))  # from these follows why a bot was absent
        if isinstance(fact, BotReady):
            one, two = self.versions
            version = fact.entrant.version
            self.versions = (version, two) if fact.seat == 1 else (one, version)
            return [Change(kind="bot", versions=self.versions, at_ms=fact.at_ms)]
        if isinstance(fact, GameStarted):
            return self._start(fact)
        if isinstance(fact, _PLAYED):
            return self._play(fact)
        if isinstance(fact, GameEnded):
            return self._end(fact)
        if isinstance(fact, _ABSENCES):
            return self._note_absence(fact)
        if isinstance(fact, MatchEnded | MatchVoided):
            self.is_over = True
            self.void = fact.reason if isinstance(fact, MatchVoided) else ""
            return [Change(kind="over", void=self.void, at_ms=fact.at_ms)]
        return []

    def _open(self, fact: MatchOpened) -> list[Change]:
        self.rules = rules_on_record(fact.ruleset, f"{self._name}:{self.lines + 1}")
        self._board = board_of(self.rules)
        self._steps = Steps(self.rules)
        self.attempt = Attempt(opened=fact)
        self.versions = ("", "")
        self.games.clear()
        self.results.clear()
        self.current, self.is_over, self.void, self.at_ms, self.score = 0, False, "", fact.at_ms, (0, 0)
        return [Change(kind="opened", at_ms=fact.at_ms)]

    def _new_game(self, started: GameStarted | None, number: int, at_ms: int) -> LiveGame:
        assert self.rules is not None
        assert self.attempt is not None
        position = self.rules.start()
        starter: Seat = started.starter if started else 1
        text = position_text(self.rules, self._board, position, starter)
        bank = self.attempt.opened.terms.bank_ms
        self.games[number] = game = LiveGame(
            started, text, position=position, shown=text, before=text, left_ms=[bank, bank], at_ms=at_ms
        )
        self.current = number
        over = [known for known, one in self.games.items() if one.ended]
        for known in over[: max(0, len(self.games) - GAMES_KEPT)]:
            del self.games[known]
        return game

    def _start(self, fact: GameStarted) -> list[Change]:
        game = self._new_game(fact, fact.game, fact.at_ms)
        return [Change(kind="game", game=fact.game, begun=game.replayed(fact.game), at_ms=fact.at_ms)]

    def _game(self, number: int) -> LiveGame:
        game = self.games.get(number)
        if game is None or game.ended:
            where = f"{self._name}:{self.lines + 1}"
            raise RecordError(where, f"game {number} is not open here: it has not begun, or is over")
        return game

    def _play(self, fact: TurnPlayed | TurnRejected | DiceCalled | DrawAgreed | FlagFell) -> list[Change]:
        game, rules = self._game(fact.game), self.rules
        assert rules is not None
        position = notation = ""
        if isinstance(fact, TurnPlayed):
            verdict: Any = rules.judge(game.position, tuple(fact.dice), fact.moves)
            if not hasattr(verdict, "position"):
                where = f"{self._name}:{self.lines + 1}"
                raise RecordError(where, f"the record says this turn was played, but it is illegal: {verdict.message}")
            position = position_text(rules, self._board, verdict.position, fact.seat)
            notation = rules.format_turn(fact.moves, game.position, verdict.ending)
            game.position = rules.flip(verdict.position)
            game.before, game.shown = game.shown, position
            game.turn = fact.turn + 1
        if isinstance(fact, TurnPlayed | DrawAgreed):
            game.left_ms[fact.seat - 1] = fact.left_ms
        step = self._steps.step(fact, position, notation)
        return self._add(fact.game, game, step, fact.at_ms)

    def _add(self, number: int, game: LiveGame, step: Step, at_ms: int) -> list[Change]:
        game.steps.append(step)
        game.at_ms = at_ms
        self.current = number
        return [Change(kind="step", game=number, steps=[step], at_ms=at_ms)]

    def _note_absence(self, fact: BotLeft | BotMissing | BotReturned | MatchResumed) -> list[Change]:
        changes = []
        for number, game in self.games.items():
            if game.ended is None:
                changes += self._add(number, game, absence_step(fact, game.turn), fact.at_ms)
        return changes

    def _end(self, fact: GameEnded) -> list[Change]:
        assert self.attempt is not None
        game = self.games.get(fact.game) or self._new_game(None, fact.game, fact.at_ms)
        absence = absence_behind(self.attempt, fact)
        game.ended = fact
        game.why = sentence(why_ended(fact.result, self.attempt.opened.terms, absence))
        game.at_ms = fact.at_ms
        self.results[fact.game] = (fact.result, fact.turns)
        self.score = fact.score
        return [Change(kind="ended", game=fact.game, ended=fact, why=game.why, at_ms=fact.at_ms)]

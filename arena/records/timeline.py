"""The one book of a match: what a record tells, moment by moment.

A `Timeline` takes the facts of one attempt, whole or as its lines come, and gives a `Moment` for
each: the fact, and what follows from the facts up to it. Tables, stories, pages, exports and
analysis render moments.

It judges each turn once, for the position after it, and believes the rest. With a `Replay` beside
it, everything is computed again, and a record that contradicts itself ends there.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple, assert_never

import msgspec

from arena.games import Game, Illegal
from arena.games.interface import Ending
from arena.games.result import Result, Seat
from arena.matches import facts
from arena.matches.state import add, other
from arena.records.lines import (
    Attempt,
    RecordError,
    line_number,
    not_open,
    rules_on_record,
)
from arena.records.replay import Replay
from arena.words import Said

ABSENCES: Final = frozenset({"disconnect", "no_show", "no_reveal"})
"""The causes of a forfeit whose loser had time to come or to come back."""


class Place(NamedTuple):
    """Place of a moment on pages: in a game, after which turn."""

    game: int
    label: str
    """`17` is the turn, `17a` the first event before it, `end` the end of the game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Reason why a game ended: what `arena.records.reasons` puts into words."""

    result: Result
    terms: facts.Terms
    last: facts.TurnFact | None = None
    """The fact that the last answer of the game led to, or the lack of one."""
    left_ms: facts.Pair = (0, 0)
    """The banks of both seats before it."""
    absence: facts.BotLeft | facts.BotMissing | None = None
    """The absence of the loser, if it forfeited the game by that."""
    losses: int = 0
    """Number of connections that the loser has lost."""

    @property
    def code(self) -> str:
        """The ending, or the cause of a forfeit."""
        return self.result.cause or self.result.ending


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A fact, and what follows from the record up to it."""

    where: str
    """Its line: `matches/r1-anna-v-bo.jsonl:17`."""
    fact: facts.MatchFact
    places: Sequence[Place] = ()
    """In its game, or in all open ones; empty for what is about the match."""
    started: facts.GameStarted | None = None
    """The start of its game; None if that was forfeited before it began."""
    before: Any = None
    """The position, seen by the side to move; None in timelines without boards."""
    after: Any = None
    """Where a turn was played, the position after it, seen by the side that has moved."""
    ending: Ending | None = None
    called: int | None = None
    """The number of dice that were called for in this turn (B11.3)."""
    left_ms: facts.Pair = (0, 0)
    """The banks of both seats after it."""
    why: Why | None = None

    @property
    def line(self) -> int:
        """The number of its line in the file."""
        return line_number(self.where)


@dataclass(slots=True, kw_only=True)
class OpenGame:
    """A game as far as it is played."""

    started: facts.GameStarted | None
    position: Any
    left_ms: facts.Pair
    turn: int = 1
    """The number of the next turn."""
    called: int | None = None
    earlier_ms: int = 0
    """Time of the turn before its clock began to run: of a call, and before the arena was
    interrupted."""
    rejected_ms: int = 0
    """Time of the turn when its last answer was rejected."""
    pauses: int = 0
    """The number of events since the last turn."""
    last: facts.TurnFact | None = None
    """The fact that its last answer led to, or the lack of one."""

    def pause(self) -> str:
        """Count an event that is no turn; returns its label."""
        letter = self.pauses
        self.pauses += 1
        return f"{self.turn}{'z' * (letter // 26)}{chr(ord('a') + letter % 26)}"


class Timeline:
    """The book of one attempt, up to the last fact it has taken."""

    def __init__(
        self,
        opened: facts.MatchOpened,
        where: str,
        *,
        has_boards: bool = True,
        replay: Replay | None = None,
    ) -> None:
        """Without boards no turn is judged, which takes half of the time."""
        self.opened = opened
        self.replay = replay
        self._where = where
        self._has_boards = has_boards
        self.open: dict[int, OpenGame] = {}
        self.score: facts.Pair = (0, 0)
        self.versions = ("", "")
        """The versions that both bots gave when they logged in last."""
        self.end: facts.MatchEnded | facts.MatchVoided | None = None
        self._absent: list[facts.BotLeft | facts.BotMissing | None] = [None, None]
        self._losses: facts.Pair = (0, 0)

    @classmethod
    def of(
        cls, attempt: Attempt, *, has_boards: bool = True, is_replayed: bool = False
    ) -> "Timeline":
        """Open the book of a recorded attempt. Raises `RecordError` if it cannot be replayed."""
        replay = Replay.of(attempt) if is_replayed else None
        return cls(
            attempt.opened,
            attempt.where,
            has_boards=has_boards,
            replay=replay,
        )

    @cached_property
    def rules(self) -> Game[Any]:
        """The game that is played. Raises `RecordError` if its ruleset cannot be used."""
        if self.replay is not None:
            return self.replay.rules
        return rules_on_record(self.opened.ruleset, self._where)

    def tell(self, facts: Iterable[tuple[str, facts.MatchFact]]) -> Iterator[Moment]:
        """Add facts with their places, one by one.

        Raises `RecordError` at the first that cannot follow.
        """
        return (self.add(where, fact) for where, fact in facts)

    def add(self, where: str, fact: facts.MatchFact) -> Moment:
        """Add the next fact; return its moment. Raises `RecordError` where it cannot follow."""
        moment = self._moment_of(where, fact)
        if self.replay is not None:
            self.replay.check(fact, where)
        return moment

    def _moment_of(self, where: str, fact: facts.MatchFact) -> Moment:
        """Return the moment of a fact, and follow it in clocks, positions and absences."""
        # More than ten branches: it is a table of the facts.
        match fact:
            case facts.GameStarted():
                game = self._begin(fact)
                return self._moment(
                    where,
                    fact,
                    game,
                    "0",
                    before=game.position,
                )
            case facts.TurnPlayed():
                return self._play(where, fact)
            case facts.DrawAgreed() | facts.FlagFell():
                return self._end_turn(where, fact)
            case facts.DiceCalled() | facts.TurnRejected() | facts.ClockExtended():
                return self._go_on(where, fact)
            case facts.GameEnded():
                return self._finish(where, fact)
            case facts.BotLeft() | facts.BotMissing() | facts.BotReturned():
                return self._change_presence(where, fact)
            case facts.MatchResumed():
                self._absent = [None, None]
                for game in self.open.values():
                    game.earlier_ms = max(game.earlier_ms, game.rejected_ms)
                return self._pause_all(where, fact)
            case facts.BotReady():
                self._absent[fact.seat - 1] = None
                self.versions = _changed(self.versions, fact.seat, fact.entrant.version)
            case facts.MatchEnded() | facts.MatchVoided():
                self.end = fact
                self.open.clear()
            case (
                facts.EntropyRevealed()
                | facts.BreakEnded()
                | facts.ReceiptSigned()
                | facts.ReceiptDisputed()
            ):
                pass  # the fact says it all
            case facts.MatchOpened():
                raise RecordError(where, Said("record.new_attempt"))
            case _:
                assert_never(fact)
        return Moment(where=where, fact=fact)

    def _begin(self, fact: facts.GameStarted | facts.GameEnded) -> OpenGame:
        """Open a game; one that ends here without a start was forfeited before it began."""
        game = OpenGame(
            started=None,
            position=None,
            left_ms=self.opened.terms.clock.full,
        )
        if isinstance(fact, facts.GameStarted):
            game.started = fact
        if self._has_boards:
            game.position = self.rules.start()
        self.open[fact.game] = game
        return game

    def _game(self, where: str, number: int) -> OpenGame:
        if number not in self.open:
            raise not_open(where, number)
        return self.open[number]

    def _moment(self, where: str, fact: Any, game: OpenGame, label: str, **fields: Any) -> Moment:
        """Return a moment of one game, at the place with this label."""
        place = Place(fact.game, label)
        return Moment(
            where=where,
            fact=fact,
            places=(place,),
            started=game.started,
            left_ms=game.left_ms,
            **fields,
        )

    def _play(self, where: str, fact: facts.TurnPlayed) -> Moment:
        """Judge a turn, if there are boards, and make it the last of its game."""
        game = self._game(where, fact.game)
        before = game.position
        after = ending = None
        if self._has_boards:
            verdict = self.rules.judge(before, tuple(fact.dice), fact.moves)
            if isinstance(verdict, Illegal):
                why = {
                    "why": verdict.said,
                    "clause": verdict.clause,
                }
                raise RecordError(where, Said("record.illegal_turn", why))
            after = verdict.position
            ending = verdict.ending
            game.position = self.rules.flip(after)
        called = game.called
        game.last = fact
        game.turn = fact.turn + 1
        game.called = None
        game.pauses = 0
        game.earlier_ms = 0
        game.rejected_ms = 0
        game.left_ms = _changed(game.left_ms, fact.seat, fact.left_ms)
        return self._moment(
            where,
            fact,
            game,
            str(fact.turn),
            before=before,
            after=after,
            ending=ending,
            called=called,
        )

    def _end_turn(self, where: str, fact: facts.DrawAgreed | facts.FlagFell) -> Moment:
        """End the last turn of a game, which has no moves."""
        game = self._game(where, fact.game)
        called = game.called
        game.last = fact
        game.called = None
        if isinstance(fact, facts.DrawAgreed):
            game.left_ms = _changed(game.left_ms, fact.seat, fact.left_ms)
        label = str(fact.turn)
        return self._moment(
            where,
            fact,
            game,
            label,
            before=game.position,
            called=called,
        )

    def _go_on(
        self, where: str, fact: facts.DiceCalled | facts.TurnRejected | facts.ClockExtended
    ) -> Moment:
        """Note an event in a turn that goes on after it."""
        game = self._game(where, fact.game)
        match fact:
            case facts.DiceCalled():
                game.last = fact
                game.called = fact.dice
                game.earlier_ms = fact.spent_ms
            case facts.TurnRejected():
                game.last = fact
                game.rejected_ms = fact.spent_ms
            case facts.ClockExtended():
                spent_ms = fact.spent_ms - game.earlier_ms
                back_ms = max(0, fact.extended_ms - spent_ms)
                left_ms = game.left_ms[fact.seat - 1] + back_ms
                game.left_ms = _changed(game.left_ms, fact.seat, left_ms)
        return self._moment(
            where,
            fact,
            game,
            game.pause(),
            before=game.position,
        )

    def _change_presence(
        self, where: str, fact: facts.BotLeft | facts.BotMissing | facts.BotReturned
    ) -> Moment:
        """Note that a bot is gone, or back."""
        if isinstance(fact, facts.BotReturned):
            self._absent[fact.seat - 1] = None
        else:
            self._absent[fact.seat - 1] = fact
        if isinstance(fact, facts.BotLeft) and not fact.blameless:
            self._losses = add(self._losses, fact.seat, 1)
        return self._pause_all(where, fact)

    def _pause_all(self, where: str, fact: facts.MatchFact) -> Moment:
        """Count an event in all open games."""
        places = []
        for number, game in self.open.items():
            label = game.pause()
            places.append(Place(number, label))
        return Moment(
            where=where,
            fact=fact,
            places=places,
        )

    def _finish(self, where: str, fact: facts.GameEnded) -> Moment:
        """Return the moment at which a game ends, with the reason."""
        game = self.open.get(fact.game) or self._begin(fact)  # forfeited with the match
        del self.open[fact.game]
        self.score = fact.score
        why = Why(
            result=fact.result,
            terms=self.opened.terms,
            last=game.last,
            left_ms=game.left_ms,
        )
        if fact.result.cause in ABSENCES and fact.result.winner is not None:
            loser = other(fact.result.winner)
            why = replace(why, absence=self._absent[loser - 1], losses=self._losses[loser - 1])
        return self._moment(
            where,
            fact,
            game,
            "end",
            before=game.position,
            why=why,
        )


def _changed(pair: tuple[Any, Any], seat: Seat, part: Any) -> tuple[Any, Any]:
    """Return a pair with another part for one seat."""
    if seat == 1:
        return (part, pair[1])
    return (pair[0], part)


def end_of_game(attempt: Attempt, number: int) -> Moment | None:
    """Return the moment in which a game ended; None if it did not.

    Raises `RecordError` where a fact cannot follow.
    """
    for moment in Timeline.of(attempt, has_boards=False).tell(attempt.facts):
        if isinstance(moment.fact, facts.GameEnded) and moment.fact.game == number:
            return moment
    return None

"""The games of one attempt step by step, found by replaying its record."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from arena.games.result import Seat
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReturned,
    DiceCalled,
    DrawAgreed,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchFact,
    MatchResumed,
    TurnPlayed,
    TurnRejected,
)
from arena.records.absence import absence_behind
from arena.records.lines import RecordError
from arena.records.reading import Attempt
from arena.records.reasons import why_ended
from arena.records.replay import Replay
from arena.report.boards import board_of, position_text
from arena.report.contents import ReplayedGame
from arena.report.steps import CollectedGame, Steps, absence_step
from arena.report.words import sentence


@dataclass(frozen=True, slots=True)
class ReplayedAttempt:
    """The games of an attempt in the order of their numbers, and why it cannot be followed to its end, if so."""

    games: Sequence[ReplayedGame]
    broken: str


def replay_games(attempt: Attempt, wanted: Collection[int] | None = None) -> ReplayedAttempt:
    """Replay an attempt; returns the games with these numbers, or all.

    If the record contradicts itself, the games stop at the last step before.
    """
    try:
        replay = Replay.of(attempt)
    except RecordError as error:
        return ReplayedAttempt((), str(error))
    story = _Story(replay, attempt)
    broken = ""
    try:
        for where, fact in attempt.facts:
            story.take(where, fact)
    except RecordError as error:
        broken = str(error)
    games = [
        game.replayed(number) for number, game in sorted(story.games.items()) if wanted is None or number in wanted
    ]
    return ReplayedAttempt(games, broken)


class _Story:
    """Follows the facts of an attempt and collects the steps of its games."""

    def __init__(self, replay: Replay, attempt: Attempt) -> None:
        self._replay = replay
        self._attempt = attempt
        self._rules = replay.rules
        self._board = board_of(replay.rules)
        self._steps = Steps(replay.rules)
        self.games: dict[int, CollectedGame] = {}

    def take(self, where: str, fact: MatchFact) -> None:
        """The next fact; raises `RecordError` where it cannot follow."""
        position = notation = ""
        if isinstance(fact, TurnPlayed):
            position, notation = self._after(where, fact)
        self._replay.take(fact, where)
        if isinstance(fact, GameStarted):
            self.games[fact.game] = CollectedGame(fact, self._start(fact.starter))
        elif isinstance(fact, GameEnded):
            game = self.games.setdefault(fact.game, CollectedGame(None, self._start(1)))
            absence = absence_behind(self._attempt, fact)
            game.ended, game.why = fact, sentence(why_ended(fact.result, self._attempt.opened.terms, absence))
        elif isinstance(fact, TurnPlayed | TurnRejected | DiceCalled | DrawAgreed | FlagFell):
            game = self.games[fact.game]
            game.steps.append(self._steps.step(fact, position, notation))
            game.turn = fact.turn + isinstance(fact, TurnPlayed)
        elif isinstance(fact, BotLeft | BotMissing | BotReturned | MatchResumed):
            for game in self.games.values():
                if game.ended is None:
                    game.steps.append(absence_step(fact, game.turn))

    def _after(self, where: str, fact: TurnPlayed) -> tuple[str, str]:
        """The position after a turn that is not taken yet, and its moves for people."""
        game = self._replay.match.find(fact.game)
        if game is None:
            raise RecordError(where, f"this turn cannot follow here: game {fact.game} is not open")
        verdict: Any = self._rules.judge(game.position, tuple(fact.dice), fact.moves)
        if not hasattr(verdict, "position"):
            raise RecordError(where, f"the record says this turn was played, but it is illegal: {verdict.message}")
        text = position_text(self._rules, self._board, verdict.position, game.mover)
        return text, self._rules.format_turn(fact.moves, game.position, verdict.ending)

    def _start(self, starter: Seat) -> str:
        return position_text(self._rules, self._board, self._rules.start(), starter)

"""The games of one attempt step by step, found by replaying its record."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import UnsetType

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
from arena.report.contents import ReplayedGame, Step, StepKind
from arena.report.words import sentence

INFO_CHARS: Final = 400
"""How many characters are shown of a bot's remark, or of an unreadable answer."""


@dataclass(slots=True)
class _Open:
    """A game while its steps are collected."""

    started: GameStarted | None
    """None if it was forfeited before it began."""
    start: str
    steps: list[Step] = field(default_factory=list)
    ended: GameEnded | None = None
    why: str = ""
    turn: int = 1
    """The number of the next turn."""


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
        ReplayedGame(
            number=number,
            starter=game.started.starter if game.started else 0,
            opening=", ".join("-".join(map(str, throw)) for throw in game.started.opening) if game.started else "",
            start=game.start,
            steps=game.steps,
            ended=game.ended,
            why=game.why,
        )
        for number, game in sorted(story.games.items())
        if wanted is None or number in wanted
    ]
    return ReplayedAttempt(games, broken)


class _Story:
    """Follows the facts of an attempt and collects the steps of its games."""

    def __init__(self, replay: Replay, attempt: Attempt) -> None:
        self._replay = replay
        self._attempt = attempt
        self._rules = replay.rules
        self._board = board_of(replay.rules)
        self.games: dict[int, _Open] = {}

    def take(self, where: str, fact: MatchFact) -> None:
        """The next fact; raises `RecordError` where it cannot follow."""
        position = notation = ""
        if isinstance(fact, TurnPlayed):
            position, notation = self._after(where, fact)
        self._replay.take(fact, where)
        if isinstance(fact, GameStarted):
            self.games[fact.game] = _Open(fact, self._start(fact.starter))
        elif isinstance(fact, GameEnded):
            game = self.games.setdefault(fact.game, _Open(None, self._start(1)))
            absence = absence_behind(self._attempt, fact)
            game.ended, game.why = fact, sentence(why_ended(fact.result, self._attempt.opened.terms, absence))
        elif isinstance(fact, TurnPlayed | TurnRejected | DiceCalled | DrawAgreed | FlagFell):
            game = self.games[fact.game]
            game.steps.append(self._step(fact, position, notation))
            game.turn = fact.turn + isinstance(fact, TurnPlayed)
        elif isinstance(fact, BotLeft | BotMissing | BotReturned | MatchResumed):
            for game in self.games.values():
                if game.ended is None:
                    game.steps.append(_absence(fact, game.turn))

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

    def _step(
        self, fact: TurnPlayed | TurnRejected | DiceCalled | DrawAgreed | FlagFell, position: str, notation: str
    ) -> Step:
        dice = () if isinstance(fact, DiceCalled | DrawAgreed) else fact.dice
        more: dict[str, Any] = {}
        kind: StepKind
        if not isinstance(fact, FlagFell) and not isinstance(fact.lag_ms, UnsetType):
            more["lag_ms"] = fact.lag_ms
        if isinstance(fact, TurnPlayed | DrawAgreed) and fact.info is not None:
            more["info"] = _shortened(fact.info)
        match fact:
            case TurnPlayed():
                kind, text, left_ms = "turn", notation, fact.left_ms
                if fact.draw_offered is True:
                    more["draw"] = "offer"
            case TurnRejected():
                kind, text, left_ms = "rejected", self._said(fact), -1
                more |= {
                    "code": fact.code,
                    "clause": fact.clause,
                    "message": fact.message,
                    "left": fact.left,
                }
            case DiceCalled():
                kind, text, left_ms = "call", str(fact.dice), -1
            case DrawAgreed():
                kind, text, left_ms = "draw", "", fact.left_ms
            case FlagFell():
                kind, text, left_ms = "flag", "", -1
        return Step(
            kind=kind,
            turn=fact.turn,
            seat=fact.seat,
            dice="".join(map(str, dice)),
            text=text,
            spent_ms=fact.spent_ms,
            left_ms=left_ms,
            position=position,
            more=more or None,
        )

    def _said(self, fact: TurnRejected) -> str:
        """The rejected answer of a bot: as moves if it has their form, else as it came."""
        if isinstance(fact.call, int):
            return f"a call for {fact.call}"
        if fact.draw == "accept":
            return "accepts a draw"
        if isinstance(fact.choice, int):
            return f"choice {fact.choice}"
        try:
            return _cut(self._rules.format_turn(fact.moves))
        except (TypeError, ValueError, KeyError, IndexError):  # a bot may send anything
            return _shortened(fact.moves)


def _absence(fact: BotLeft | BotMissing | BotReturned | MatchResumed, turn: int) -> Step:
    """A step about the table, not the board."""
    match fact:
        case BotLeft():
            return Step("left", turn, fact.seat, "", fact.reason, 0, -1, "", {"grace_ms": fact.grace_ms})
        case BotMissing():
            return Step("missing", turn, fact.seat, "", fact.reason, 0, -1, "")
        case BotReturned():
            return Step("returned", turn, fact.seat, "", "", 0, -1, "")
        case MatchResumed():
            return Step("resumed", turn, 0, "", "", 0, -1, "")


def _shortened(said: Any) -> str:
    """Anything a bot sent, as JSON that is short enough for a page."""
    return _cut(json.dumps(said, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= INFO_CHARS else text[: INFO_CHARS - 1] + "…"

"""The steps of a game as pages show them, each made from one fact of the record."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import UnsetType

from arena.games import Game
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReturned,
    DiceCalled,
    DrawAgreed,
    FlagFell,
    GameEnded,
    GameStarted,
    MatchResumed,
    TurnPlayed,
    TurnRejected,
)
from arena.report.contents import ReplayedGame, Step, StepKind

INFO_CHARS: Final = 400
"""How many characters are shown of a bot's remark, or of an unreadable answer."""

AbsenceFact = BotLeft | BotMissing | BotReturned | MatchResumed
"""Facts about the table, not the board."""


@dataclass(slots=True)
class CollectedGame:
    """A game while its steps are collected."""

    started: GameStarted | None
    """None if it was forfeited before it began."""
    start: str
    """The position in which it began."""
    steps: list[Step] = field(default_factory=list)
    ended: GameEnded | None = None
    why: str = ""
    turn: int = 1
    """The number of the next turn."""

    def replayed(self, number: int) -> ReplayedGame:
        """The game as pages show it."""
        return ReplayedGame(
            number=number,
            starter=self.started.starter if self.started else 0,
            opening=opening_text(self.started),
            start=self.start,
            steps=self.steps,
            ended=self.ended,
            why=self.why,
        )


class Steps:
    """Makes the steps of games by one ruleset."""

    def __init__(self, rules: Game[Any]) -> None:
        self._rules = rules

    def step(
        self, fact: TurnPlayed | TurnRejected | DiceCalled | DrawAgreed | FlagFell, position: str, notation: str
    ) -> Step:
        """The step of a fact; a turn has the position after it, and its moves for people."""
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


def opening_text(started: GameStarted | None) -> str:
    """The throws for the start, seat 1 first: `3-3, 2-5`; empty if there were none."""
    return ", ".join("-".join(map(str, throw)) for throw in started.opening) if started else ""


def absence_step(fact: AbsenceFact, turn: int) -> Step:
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

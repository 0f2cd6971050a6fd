"""The games of an attempt step by step, as pages show them: all at once, or as its record grows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.games import Game
from arena.games.result import Seat
from arena.matches import facts
from arena.pages.boards import board_of, position_text
from arena.pages.contents import GameAnalysis, JudgedCall, JudgedTurn, ReplayedGame, Step, StepKind
from arena.records.lines import Attempt, event_of
from arena.records.reasons import reason
from arena.records.replay import Replayed, replay_attempt
from arena.records.timeline import Moment, Place, Timeline
from arena.words import Said

if TYPE_CHECKING:
    from arena.records.analysed import Analysis
    from arena.records.rows import DecisionRow, RollRow

INFO_CHARS: Final = 400
"""The most of a bot's remark, or of an unreadable answer."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Change made by one line of the record; live pages apply it to what they show."""

    kind: Literal["opened", "bot", "game", "step", "ended", "over"]
    game: int = 0
    steps: list[Step] | UnsetType = UNSET
    """For `step`: what was added to the game, one step."""
    begun: ReplayedGame | UnsetType = UNSET
    ended: facts.GameEnded | UnsetType = UNSET
    why: Said | str | UnsetType = UNSET
    versions: tuple[str, str] | UnsetType = UNSET
    """For `bot`: what the bots called themselves when they logged in."""
    void: Said | str | UnsetType = UNSET
    """For `over`: why the attempt counts for neither side; empty if it counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """An attempt that was followed to its last line."""

    book: Timeline
    moments: Sequence[Moment]
    games: Sequence[ReplayedGame]
    """Those to play through; they stop where the record differs from the replay."""
    replayed: Replayed | None
    """None if it was followed without a replay."""

    @property
    def broken(self) -> Said | str:
        """The first difference, if there is one."""
        return self.replayed.problem.said if self.replayed and self.replayed.problem else ""


def follow(
    attempt: Attempt,
    wanted: Collection[int] | None = None,
    analysis: Analysis | None = None,
    *,
    is_audited: bool = False,
) -> Followed:
    """Follow an attempt, by one replay if it is audited, or if games with the wanted numbers, or all, are shown."""
    is_shown = wanted is None or bool(wanted)
    replayed = None
    book, moments = Timeline.of(attempt, has_boards=is_shown), list[Moment]()
    if is_shown or is_audited:
        replayed = replay_attempt(
            attempt, lambda where, fact: moments.append(book.take(where, fact))
        )
    games = _games_of(book, moments, wanted) if is_shown and moments else []
    if replayed is None or replayed.problem is not None:
        book = Timeline.of(attempt, has_boards=False)
        moments = list(book.tell(attempt.facts))
    if analysis is not None and games:
        judged = _judged_games(analysis, attempt.opened.attempt)
        games = [replace(game, analysis=judged.get(game.number)) for game in games]
    return Followed(book=book, moments=moments, games=games, replayed=replayed)


def _games_of(
    book: Timeline, moments: Iterable[Moment], wanted: Collection[int] | None
) -> list[ReplayedGame]:
    shown = ShownGames(book.rules)
    for moment in moments:
        shown.take(moment)
    return [
        game for number, game in sorted(shown.games.items()) if wanted is None or number in wanted
    ]


class ShownGames:
    """The games of an attempt, up to the last moment taken."""

    def __init__(self, rules: Game[Any]) -> None:
        self._rules = rules
        self._board = board_of(rules)
        self.games: dict[int, ReplayedGame] = {}

    def take(self, moment: Moment) -> list[Change]:
        """Take the next moment; returns what it changes."""
        fact = moment.fact
        if isinstance(fact, facts.GameStarted):
            begun = replace(
                self._begin(fact.game, fact), steps=[]
            )  # as it is now: a change stays what it was
            return [Change(kind="game", game=fact.game, begun=begun)]
        if isinstance(fact, facts.GameEnded):
            game = self.games.get(fact.game) or self._begin(fact.game, None)
            game.ended = fact
            game.why = (moment.why and reason(moment.why)) or ""
            return [Change(kind="ended", game=fact.game, ended=fact, why=game.why)]
        return [self._add(moment, place) for place in moment.places]

    def _begin(self, number: int, started: facts.GameStarted | None) -> ReplayedGame:
        starter: Seat = started.starter if started else 1
        throws = started.opening if started else ()
        self.games[number] = game = ReplayedGame(
            number=number,
            starter=started.starter if started else 0,
            opening=", ".join("-".join(map(str, throw)) for throw in throws),
            start=self._text(self._rules.start(), starter),
            steps=[],
        )
        return game

    def _add(self, moment: Moment, place: Place) -> Change:
        fact = moment.fact
        position = self._text(moment.after, fact.seat) if isinstance(fact, facts.TurnPlayed) else ""
        step = self._step(moment, place.label, position)
        self.games[place.game].steps.append(step)
        return Change(kind="step", game=place.game, steps=[step])

    def _text(self, position: Any, viewer: Seat) -> str:
        return position_text(self._rules, self._board, position, viewer)

    def _step(self, moment: Moment, label: str, position: str) -> Step:
        """A moment as a step of a game, with the position after it if that has changed."""
        kind: StepKind = "event"
        left_ms, more = -1, dict[str, Any]()
        text: Said | str = ""
        match moment.fact:
            case facts.TurnPlayed() as fact:
                kind, left_ms = "turn", fact.left_ms
                text = self._rules.format_turn(fact.moves, moment.before, moment.ending)
                if fact.draw_offered is True:
                    more["draw"] = "offer"
            case facts.TurnRejected() as fact:
                kind, text = "rejected", self._said(fact)
                more |= {
                    "code": fact.code,
                    "clause": fact.clause,
                    "message": fact.said,
                    "left": fact.left,
                }
            case facts.DiceCalled() as fact:
                kind, text = "call", str(fact.dice)
            case facts.DrawAgreed() as fact:
                kind, left_ms = "draw", fact.left_ms
            case facts.FlagFell():
                kind = "flag"
            case facts.ClockExtended() as fact:
                kind, text = "extended", str(fact.extended_ms)
            case facts.BotLeft() as fact:
                kind, text, more = "left", fact.reason, {"grace_ms": fact.grace_ms}
            case facts.BotMissing() as fact:
                kind, text = "missing", fact.reason
            case facts.BotReturned():
                kind = "returned"
            case facts.MatchResumed():
                kind = "resumed"
            case fact:
                text = event_of(fact).replace("_", " ")
        said = moment.fact
        if isinstance(said, facts.FactOfAnswer) and not isinstance(said.lag_ms, UnsetType):
            more["lag_ms"] = said.lag_ms
        if isinstance(said, facts.TurnPlayed | facts.DrawAgreed) and said.info is not None:
            more["info"] = _shortened(said.info)
        dice = (
            said.dice
            if isinstance(said, facts.TurnPlayed | facts.TurnRejected | facts.FlagFell)
            else ()
        )
        return Step(
            kind=kind,
            at=label,
            seat=getattr(said, "seat", 0),
            dice="".join(map(str, dice)),
            text=text,
            spent_ms=getattr(said, "spent_ms", 0),
            left_ms=left_ms,
            position=position,
            more=more or None,
        )

    def _said(self, fact: facts.TurnRejected) -> Said | str:
        """The rejected answer of a bot: as moves if it has their form, else as it came."""
        if isinstance(fact.call, int):
            return Said("answer.call", {"dice": fact.call})
        if fact.draw == "accept":
            return Said("answer.accepts_draw")
        if isinstance(fact.choice, int):
            return Said("answer.choice", {"choice": fact.choice})
        try:
            return _cut(self._rules.format_turn(fact.moves))
        except (TypeError, ValueError, KeyError, IndexError):  # a bot may send anything
            return _shortened(fact.moves)


def _shortened(said: Any) -> str:
    """Anything a bot sent, as JSON that is short enough for a page."""
    return _cut(json.dumps(said, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= INFO_CHARS else text[: INFO_CHARS - 1] + "…"


def _judged_games(analysis: Analysis, attempt: int) -> dict[int, GameAnalysis]:
    """The games of an attempt, by number, as far as they are analysed."""
    rolls: dict[int, dict[int, RollRow]] = defaultdict(dict)
    turns: dict[int, list[JudgedTurn]] = defaultdict(list)
    calls: dict[int, list[JudgedCall]] = defaultdict(list)
    for roll in analysis.rolls:
        if roll.attempt == attempt:
            rolls[roll.game][roll.turn] = roll
    for one in analysis.decisions:
        best = "" if one.best == one.played else one.best
        if one.attempt == attempt and one.kind == "turn" and one.turn in rolls[one.game]:
            turns[one.game].append(
                JudgedTurn(
                    turn=one.turn,
                    value=_for_seat_1(one.value, one),
                    loss=one.loss,
                    mark=one.mark or "",
                    best=best,
                    best_value=_for_seat_1(one.best_value, one),
                    luck=round(rolls[one.game][one.turn].luck, 3),
                    choices=one.choices,
                )
            )
        elif one.attempt == attempt and one.kind == "call":
            calls[one.game].append(JudgedCall(one.turn, one.loss, one.mark or "", best))
    return {
        game: GameAnalysis(
            start=_for_seat_1(first.mean, first), turns=turns[game], calls=calls[game]
        )
        for game, found in rolls.items()
        for first in [found[min(found)]]
    }


def _for_seat_1(points: float, row: DecisionRow | RollRow) -> float:
    """Points of the side that plays, as those of seat 1."""
    return round(points if row.seat == 1 else -points, 3)

"""The games of an attempt step by step, as pages show them: all at once, or as its record grows."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from arena.games import Game
from arena.games.result import Seat
from arena.matches import facts
from arena.pages.boards import board_of, position_text
from arena.pages.contents import (
    GameAnalysis,
    JudgedCall,
    JudgedTurn,
    ReplayedGame,
    ShownStep,
    StepKind,
)
from arena.records.lines import Attempt, event_of
from arena.records.reasons import explain_end
from arena.records.replay import Replayed, replay_attempt
from arena.records.timeline import Moment, Place, Timeline
from arena.words import Said

if TYPE_CHECKING:
    from arena.records.analysed import Analysis
    from arena.records.rows import DecisionRow, RollRow

INFO_CHARS: Final = 400
"""The most of a bot's remark, or of an unreadable answer."""
_KINDS: Final[Mapping[type, StepKind]] = {
    facts.TurnPlayed: "turn",
    facts.TurnRejected: "rejected",
    facts.DiceCalled: "call",
    facts.DrawAgreed: "draw",
    facts.FlagFell: "flag",
    facts.ClockExtended: "extended",
    facts.BotLeft: "left",
    facts.BotMissing: "missing",
    facts.BotReturned: "returned",
    facts.MatchResumed: "resumed",
}


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Change made by one line of the record; live pages apply it to what they show."""

    kind: Literal["opened", "bot", "game", "step", "ended", "over"]
    game: int = 0
    steps: list[ShownStep] | UnsetType = UNSET
    """For `step`: what was added to the game, one step."""
    started: ReplayedGame | UnsetType = UNSET
    ended: facts.GameEnded | UnsetType = UNSET
    why: Said | str | UnsetType = UNSET
    outcome: Said | UnsetType = UNSET
    """For `ended` and `over`: the outcome of the match, as in `MatchPage`."""
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
        if self.replayed is None or self.replayed.problem is None:
            return ""
        return self.replayed.problem.said


def follow(
    attempt: Attempt,
    wanted: Collection[int] | None = None,
    analysis: Analysis | None = None,
    *,
    is_audited: bool = False,
) -> Followed:
    """Follow an attempt, and show the games with the wanted numbers, or all.

    It is replayed once if it is audited, or if games are shown.
    """
    is_shown = wanted is None or bool(wanted)
    book = Timeline.of(attempt, has_boards=is_shown)
    moments: list[Moment] = []

    def add_moment(where: str, fact: facts.MatchFact) -> None:
        moments.append(book.add(where, fact))

    replayed = None
    if is_shown or is_audited:
        replayed = replay_attempt(attempt, add_moment)
    games: list[ReplayedGame] = []
    if is_shown and moments:
        games = _games_of(book, moments, wanted, analysis)
    if replayed is None or replayed.problem is not None:
        book = Timeline.of(attempt, has_boards=False)
        moments = list(book.tell(attempt.facts))
    return Followed(book=book, moments=moments, games=games, replayed=replayed)


def _games_of(
    book: Timeline,
    moments: Iterable[Moment],
    wanted: Collection[int] | None,
    analysis: Analysis | None,
) -> list[ReplayedGame]:
    """Return the wanted games, or all, in the order of their numbers."""
    shown = ShownGames(book.rules)
    for moment in moments:
        shown.add(moment)
    numbers = sorted(shown.games)
    if wanted is not None:
        numbers = [number for number in numbers if number in wanted]
    games = [shown.games[number] for number in numbers]
    if analysis is None or not games:
        return games
    judged = _judged_games(analysis, book.opened.attempt)
    return [replace(game, analysis=judged.get(game.number)) for game in games]


class ShownGames:
    """The games of an attempt, up to the last moment added."""

    def __init__(self, rules: Game[Any]) -> None:
        self._rules = rules
        self._board = board_of(rules)
        self.games: dict[int, ReplayedGame] = {}

    def add(self, moment: Moment) -> list[Change]:
        """Add the next moment; return what it changes."""
        fact = moment.fact
        if isinstance(fact, facts.GameStarted):
            game = self._begin(fact.game, fact)
            # a copy as it is now: the change stays what it was while the game goes on
            return [
                Change(
                    kind="game",
                    game=fact.game,
                    started=replace(game, steps=[]),
                )
            ]
        if isinstance(fact, facts.GameEnded):
            game = self.games.get(fact.game) or self._begin(fact.game, None)
            game.ended = fact
            if moment.why:
                game.why = explain_end(moment.why) or ""
            return [
                Change(
                    kind="ended",
                    game=fact.game,
                    ended=fact,
                    why=game.why,
                )
            ]
        return [self._add(moment, place) for place in moment.places]

    def _begin(self, number: int, started: facts.GameStarted | None) -> ReplayedGame:
        """Begin a game; `started` is None if it was forfeited before it started."""
        starter = 0
        opening = ""
        viewer: Seat = 1
        if started is not None:
            starter = viewer = started.starter
            opening = ", ".join("-".join(map(str, throw)) for throw in started.opening)
        game = ReplayedGame(
            number=number,
            starter=starter,
            opening=opening,
            start=self._text(self._rules.start(), viewer),
            steps=[],
        )
        self.games[number] = game
        return game

    def _add(self, moment: Moment, place: Place) -> Change:
        """Add a step to a game; return what it changes."""
        position = ""
        if isinstance(moment.fact, facts.TurnPlayed):
            position = self._text(moment.after, moment.fact.seat)
        step = self._step(moment, place.label, position)
        self.games[place.game].steps.append(step)
        return Change(kind="step", game=place.game, steps=[step])

    def _text(self, position: Any, viewer: Seat) -> str:
        return position_text(self._rules, self._board, position, viewer)

    def _step(self, moment: Moment, label: str, position: str) -> ShownStep:
        """Return a moment as a step of a game, with the position after it if that has changed."""
        fact = moment.fact
        dice: Sequence[int] = ()
        if isinstance(fact, facts.TurnPlayed | facts.TurnRejected | facts.FlagFell):
            dice = fact.dice
        left_ms = -1
        if isinstance(fact, facts.TurnPlayed | facts.DrawAgreed):
            left_ms = fact.left_ms
        return ShownStep(
            kind=_KINDS.get(type(fact), "event"),
            at=label,
            seat=getattr(fact, "seat", 0),
            dice="".join(map(str, dice)),
            text=self._words(moment),
            spent_ms=getattr(fact, "spent_ms", 0),
            left_ms=left_ms,
            position=position,
            more=_more(fact) or None,
        )

    def _words(self, moment: Moment) -> Said | str:
        """Return the moves of a turn, else the reason or the number that its fact has."""
        match moment.fact:
            case facts.TurnPlayed() as fact:
                return self._rules.format_turn(fact.moves, moment.before, moment.ending)
            case facts.TurnRejected() as fact:
                return self._answer(fact)
            case facts.DiceCalled() as fact:
                return str(fact.dice)
            case facts.ClockExtended() as fact:
                return str(fact.extended_ms)
            case facts.BotLeft() | facts.BotMissing() as fact:
                return fact.reason
            case fact if type(fact) in _KINDS:
                return ""
            case fact:
                return event_of(fact).replace("_", " ")

    def _answer(self, fact: facts.TurnRejected) -> Said | str:
        """Return the rejected answer of a bot: as moves if it has their form, else as it came."""
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


def _more(fact: facts.MatchFact) -> dict[str, Any]:
    """Return the parts of a step that only some facts have, by name."""
    more: dict[str, Any] = {}
    if isinstance(fact, facts.TurnPlayed) and fact.draw_offered is True:
        more["draw"] = "offer"
    if isinstance(fact, facts.TurnRejected):
        more["code"] = fact.code
        more["clause"] = fact.clause
        more["message"] = fact.said
        more["left"] = fact.left
    if isinstance(fact, facts.BotLeft):
        more["grace_ms"] = fact.grace_ms
    if isinstance(fact, facts.FactOfAnswer) and not isinstance(fact.lag_ms, UnsetType):
        more["lag_ms"] = fact.lag_ms
    if isinstance(fact, facts.TurnPlayed | facts.DrawAgreed) and fact.info is not None:
        more["info"] = _shortened(fact.info)
    return more


def _shortened(remark: Any) -> str:
    """Return anything a bot sent as JSON that is short enough for a page."""
    return _cut(json.dumps(remark, ensure_ascii=False))


def _cut(text: str) -> str:
    if len(text) <= INFO_CHARS:
        return text
    return text[: INFO_CHARS - 1] + "…"


def _judged_games(analysis: Analysis, attempt: int) -> dict[int, GameAnalysis]:
    """Return the games of an attempt, by number, as far as they are analysed."""
    rolls: dict[int, dict[int, RollRow]] = defaultdict(dict)
    for roll in analysis.rolls:
        if roll.attempt == attempt:
            rolls[roll.game][roll.turn] = roll
    turns: dict[int, list[JudgedTurn]] = defaultdict(list)
    calls: dict[int, list[JudgedCall]] = defaultdict(list)
    for decision in analysis.decisions:
        if decision.attempt != attempt:
            continue
        game = decision.game
        if decision.kind == "call":
            calls[game].append(_judged_call(decision))
        elif decision.turn in rolls[game]:
            turns[game].append(_judged_turn(decision, rolls[game][decision.turn]))
    judged: dict[int, GameAnalysis] = {}
    for game, rolls_of_game in rolls.items():
        first = rolls_of_game[min(rolls_of_game)]
        start = _for_seat_1(first.mean, first)
        judged[game] = GameAnalysis(
            start=start,
            turns=turns[game],
            calls=calls[game],
        )
    return judged


def _judged_turn(decision: DecisionRow, roll: RollRow) -> JudgedTurn:
    """Return how good a turn was, seen from seat 1, and the luck of its roll."""
    return JudgedTurn(
        turn=decision.turn,
        value=_for_seat_1(decision.value, decision),
        loss=decision.loss,
        mark=decision.mark or "",
        best=_better(decision),
        best_value=_for_seat_1(decision.best_value, decision),
        luck=round(roll.luck, 3),
        choices=decision.choices,
    )


def _judged_call(decision: DecisionRow) -> JudgedCall:
    return JudgedCall(
        turn=decision.turn,
        loss=decision.loss,
        mark=decision.mark or "",
        best=_better(decision),
    )


def _better(decision: DecisionRow) -> str:
    """Return the best answer; empty if it was played."""
    if decision.best == decision.played:
        return ""
    return decision.best


def _for_seat_1(points: float, row: DecisionRow | RollRow) -> float:
    """Return points of the side that plays as those of seat 1."""
    if row.seat != 1:
        points = -points
    return round(points, 3)

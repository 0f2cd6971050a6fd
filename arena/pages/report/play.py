"""Findings of `arena analyse`, for the page: of each game, and of the run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from heapq import nlargest
from typing import Final

from arena.pages.contents import GameAnalysis, JudgedCall, JudgedTurn
from arena.pages.findings import (
    EntrantWithoutLuck,
    LossSummary,
    LuckTakenOut,
    MatchWithoutLuck,
    Moment,
    PlayAnalysis,
)
from arena.records.analysed import MARKS, PHASES, Analysis, Losses
from arena.records.luck import LuckStatistics
from arena.records.rows import DecisionRow, RollRow

COSTLIEST: Final = 5
"""How many turns the page names."""


def judged_games(analysis: Analysis, attempt: int) -> dict[int, GameAnalysis]:
    """The games of an attempt, by number, as far as they are analysed."""
    rolls: dict[int, dict[int, RollRow]] = defaultdict(dict)
    turns: dict[int, list[JudgedTurn]] = defaultdict(list)
    calls: dict[int, list[JudgedCall]] = defaultdict(list)
    for roll in analysis.rolls:
        if roll.attempt == attempt:
            rolls[roll.game][roll.turn] = roll
    for one in analysis.decisions:
        if one.attempt == attempt and one.kind == "turn" and one.turn in rolls[one.game]:
            turns[one.game].append(_turn(one, rolls[one.game][one.turn]))
        elif one.attempt == attempt and one.kind == "call":
            best = "" if one.best == one.played else one.best
            calls[one.game].append(JudgedCall(one.turn, one.loss, one.mark or "", best))
    return {
        game: GameAnalysis(start=_for_seat_1(first.mean, first), turns=turns[game], calls=calls[game])
        for game, found in rolls.items()
        for first in [found[min(found)]]
    }


def _turn(one: DecisionRow, roll: RollRow) -> JudgedTurn:
    return JudgedTurn(
        turn=one.turn,
        value=_for_seat_1(one.value, one),
        loss=one.loss,
        mark=one.mark or "",
        best="" if one.best == one.played else one.best,
        best_value=_for_seat_1(one.best_value, one),
        luck=round(roll.luck, 3),
        choices=one.choices,
    )


def _for_seat_1(points: float, row: DecisionRow | RollRow) -> float:
    """Points of the side that plays, as those of seat 1."""
    return round(points if row.seat == 1 else -points, 3)


class Play:
    """Goes through the analyses of a run match by match, and keeps what the page needs."""

    def __init__(self) -> None:
        self._analysed = 0
        self._evaluators: dict[str, None] = {}
        self._plies: set[int] = set()
        self._losses = Losses()
        self._costliest: list[Moment] = []
        self._luckiest: list[Moment] = []

    def take(self, analysis: Analysis, links: Mapping[int, str]) -> None:
        """The next match, with the link of each of its attempts."""
        self._analysed += 1
        self._evaluators[analysis.head.evaluator] = None
        self._plies.add(analysis.head.plies)
        self._losses.take(analysis)
        decisions, rolls = analysis.counted
        costly = nlargest(COSTLIEST, (one for one in decisions if one.loss > 0), key=lambda one: one.loss)
        lucky = nlargest(1, rolls, key=lambda one: one.luck)
        self._costliest = self._most(COSTLIEST, self._costliest, [self._moment(one, links) for one in costly])
        self._luckiest = self._most(1, self._luckiest, [self._moment(one, links) for one in lucky])

    def figures(self, matches: int, luck: LuckStatistics | None = None) -> PlayAnalysis | None:
        """Return what was found in all, of so many matches; None if no match is analysed."""
        if not self._analysed:
            return None
        return PlayAnalysis(
            evaluator=", ".join(self._evaluators),
            plies=sorted(self._plies),
            analysed=self._analysed,
            matches=matches,
            losses=[
                LossSummary(
                    entrant=bot.bot,
                    games=bot.games,
                    decisions=bot.decisions.total(),
                    means=(bot.mean_loss(), bot.mean_loss(PHASES[0]), bot.mean_loss(PHASES[1])),
                    marks=(bot.marks[MARKS[0]], bot.marks[MARKS[1]], bot.marks[MARKS[2]]),
                    luck=bot.luck,
                    luck_per_game=bot.luck_per_game,
                )
                for bot in self._losses.ranked()
            ],
            costliest=self._costliest,
            luckiest=self._luckiest[0] if self._luckiest else None,
            luck=None if luck is None else self._without_luck(luck),
        )

    def _without_luck(self, luck: LuckStatistics) -> LuckTakenOut:
        ranked = sorted(luck.entrants.items(), key=lambda each: (-round(each[1].adjusted.mean, 9), each[0]))
        return LuckTakenOut(
            source=luck.source,
            entrants=[
                EntrantWithoutLuck(
                    entrant=name,
                    given=one.given,
                    raw=one.raw.mean,
                    raw_margin=one.raw.margin,
                    adjusted=one.adjusted.mean,
                    adjusted_margin=one.adjusted.margin,
                    times=one.times,
                )
                for name, one in ranked
            ],
            matches=[
                MatchWithoutLuck(
                    fixture=one.fixture,
                    first=one.first,
                    second=one.second,
                    raw=one.raw,
                    adjusted=round(one.adjusted, 3),
                )
                for one in luck.matches
            ],
            notes=luck.notes,
        )

    @staticmethod
    def _most(number: int, before: list[Moment], new: list[Moment]) -> list[Moment]:
        return nlargest(number, [*before, *new], key=lambda one: one.points)

    def _moment(self, one: DecisionRow | RollRow, links: Mapping[int, str]) -> Moment:
        return Moment(
            link=links.get(one.attempt, one.match),
            game=one.game,
            at=str(one.turn),
            entrant=one.bot,
            dice="".join(map(str, one.dice)),
            points=round(one.loss / 1000, 4) if isinstance(one, DecisionRow) else round(one.luck, 4),
            played=one.played if isinstance(one, DecisionRow) else "",
            best=one.best if isinstance(one, DecisionRow) else "",
            mark=(one.mark or "") if isinstance(one, DecisionRow) else "",
        )

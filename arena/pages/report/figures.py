"""The figures of a report: strength with errors, endings, thinking times, the audit of the dice, the analysis."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Final

from msgspec.structs import asdict

from arena.pages import findings
from arena.pages.contents import TableRow
from arena.records.analysed import MARKS, PHASES, Analysis, Losses
from arena.records.dice_figures import figures_of
from arena.records.files import Files
from arena.records.lines import RecordError
from arena.records.luck import LuckStatistics
from arena.records.replay import Replayed
from arena.records.rows import DecisionRow, RollRow
from arena.records.statistics import CAUSES, Conduct, EndingKind, Field, RunStatistics
from arena.records.verify import Contradictions, verify_run
from arena.words import Said, joined

TIME_LIMITS_MS: Final = (
    0,
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1000,
    2000,
    5000,
    10_000,
    20_000,
    60_000,
)
"""The beginnings of the classes of thinking times; the last has no end."""
COSTLIEST: Final = 5


def entrant_summary(
    row: TableRow, found: RunStatistics, version: str, kinds: Sequence[EndingKind]
) -> findings.EntrantSummary:
    """Return a row of the standings with what the statistics say of the entrant."""
    points = found.points[row.id]
    number, field = _field_of(found.fields, row.id)
    ratings = field.ratings if field else None
    return findings.EntrantSummary(
        **asdict(row),
        version=version,
        mean=points.mean if points else None,
        margin=points.margin if points else None,
        elo=ratings.elo[ratings.entrants.index(row.id)] if ratings else None,
        strength=ratings.entrants.index(row.id) if ratings else 0,
        interval=ratings.interval(row.id) if ratings else None,
        field=number,
        conduct=_conduct_summary(found.conduct[row.id], kinds),
    )


def _field_of(fields: Sequence[Field], name: str) -> tuple[int, Field | None]:
    """The field in which an entrant is rated, with its number; None if it has not played."""
    return next(
        ((number, field) for number, field in enumerate(fields) if name in field.ratings.entrants),
        (0, None),
    )


def _conduct_summary(conduct: Conduct, kinds: Sequence[EndingKind]) -> findings.ConductSummary:
    times = [0] * len(TIME_LIMITS_MS)
    for ms, count in conduct.spent_ms.items():
        times[bisect_right(TIME_LIMITS_MS, ms) - 1] += count
    return findings.ConductSummary(
        games=conduct.games,
        forfeits=[conduct.forfeits[cause] for cause in CAUSES],
        rejections=conduct.rejections,
        lost_connections=conduct.lost_connections,
        turns=conduct.turns,
        mean_ms=conduct.mean_ms,
        median_ms=conduct.percentile_ms(50),
        p99_ms=conduct.percentile_ms(99),
        longest_ms=conduct.percentile_ms(100),
        times=times,
        won=[conduct.won[kind] for kind in kinds],
        drawn=[conduct.drawn[kind] for kind in kinds],
        lost=[conduct.lost[kind] for kind in kinds],
    )


def superiority(names: Sequence[str], fields: Sequence[Field]) -> list[list[float | None]]:
    """Return the probability that the entrant of a row is stronger than that of a column; None in different fields."""
    places = {name: _field_of(fields, name)[1] for name in names}

    def probability(one: str, other: str) -> float | None:
        field = places[one]
        if one == other or field is None or field is not places[other]:
            return None
        order = field.ratings.entrants
        return field.order.superior[order.index(one)][order.index(other)]

    return [[probability(one, other) for other in names] for one in names]


def audit_of(
    files: Files,
    broken: Sequence[RecordError],
    replayed: Mapping[str, Sequence[Replayed]] | None,
    *,
    contradictions: Contradictions | None = None,
) -> findings.Audit:
    """Verify the whole run, whose attempts are replayed, and test its dice; None leaves that out.

    `broken` are match records that could not be read.
    """
    if broken:
        left_out = Said("audit.left_out", {"problems": joined([error.said for error in broken])})
        return findings.Audit(state="not in order", sentence=left_out)
    if replayed is None:
        return findings.Audit(state="left out", sentence=Said("audit.not_checked"))
    try:
        verified = verify_run(files, contradictions=contradictions, replayed=replayed)
    except RecordError as error:
        return findings.Audit(state="not in order", sentence=error.said)
    figures = figures_of(verified.dealt)
    counts = {
        "matches": Said("count.settled_matches", {"count": verified.fixtures}),
        "games": Said("count.games", {"count": verified.games}),
        "turns": Said("count.turns", {"count": verified.turns}),
    }
    return findings.Audit(
        state="in order",
        sentence=Said("audit.in_order", counts),
        faces=figures.faces,
        rolls=figures.rolls,
        doubles=figures.doubles,
        tests=[
            (
                test.name,
                test.statistic if math.isfinite(test.statistic) else None,
                test.freedom,
                test.p,
            )
            for test in figures.tests
        ],
        verdict=figures.sentence if figures.dice else Said("dice_figures.none"),
    )


class Play:
    """Goes through the analyses of a run match by match, and keeps what the page needs."""

    def __init__(self) -> None:
        self._analysed = 0
        self._evaluators: dict[str, None] = {}
        self._plies: set[int] = set()
        self._losses = Losses()
        self._costliest: list[findings.Moment] = []
        self._luckiest: list[findings.Moment] = []

    def take(self, analysis: Analysis, links: Mapping[int, str], *, is_annulled: bool) -> None:
        """The next match, with the link of each of its attempts."""
        self._analysed += 1
        self._evaluators[analysis.head.evaluator] = None
        self._plies.add(analysis.head.plies)
        self._losses.take(analysis, is_annulled=is_annulled)
        if is_annulled:
            return
        decisions, rolls = analysis.counted
        costliest = nlargest(
            COSTLIEST, (one for one in decisions if one.loss > 0), key=lambda one: one.loss
        )
        luckiest = nlargest(1, rolls, key=lambda one: one.luck)
        costly = [
            _moment(one, links, one.loss / 1000, played=one.played, best=one.best)
            for one in costliest
        ]
        lucky = [_moment(one, links, one.luck) for one in luckiest]
        self._costliest = nlargest(
            COSTLIEST, [*self._costliest, *costly], key=lambda one: one.points
        )
        self._luckiest = nlargest(1, [*self._luckiest, *lucky], key=lambda one: one.points)

    def figures(
        self, matches: int, luck: LuckStatistics | None = None
    ) -> findings.PlayAnalysis | None:
        """Return what was found in all, of so many matches; None if no match is analysed."""
        if not self._analysed:
            return None
        taken_out = None
        if luck is not None:
            ranked = sorted(
                luck.entrants.items(), key=lambda each: (-round(each[1].adjusted.mean, 9), each[0])
            )
            entrants = [(name, one, one.times) for name, one in ranked]
            taken_out = findings.LuckTakenOut(
                source=luck.source, entrants=entrants, matches=luck.matches, notes=luck.notes
            )
        return findings.PlayAnalysis(
            evaluator=", ".join(self._evaluators),
            plies=sorted(self._plies),
            analysed=self._analysed,
            matches=matches,
            losses=[
                findings.LossSummary(
                    entrant=bot.bot,
                    games=bot.games,
                    decisions=bot.decisions.total(),
                    means=[bot.mean_loss(), *map(bot.mean_loss, PHASES)],
                    marks=[bot.marks[mark] for mark in MARKS],
                    luck=bot.luck,
                    luck_per_game=bot.luck_per_game,
                )
                for bot in self._losses.ranked()
            ],
            costliest=self._costliest,
            luckiest=self._luckiest[0] if self._luckiest else None,
            luck=taken_out,
        )


def _moment(
    row: DecisionRow | RollRow, links: Mapping[int, str], points: float, **turn: str
) -> findings.Moment:
    return findings.Moment(
        link=links.get(row.attempt, row.match),
        game=row.game,
        at=str(row.turn),
        entrant=row.bot,
        dice="".join(map(str, row.dice)),
        points=round(points, 4),
        **turn,
    )

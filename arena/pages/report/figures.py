"""The figures of a report: strength with errors, endings, thinking times, audit, analysis."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Final

from msgspec.structs import asdict

from arena.pages import findings
from arena.pages.contents import TableRow
from arena.records.analysed import MARKS, PHASES, Analysis, BotLosses, Losses
from arena.records.dice_figures import figures_of
from arena.records.file_check import Contradictions
from arena.records.files import Files
from arena.records.lines import RecordError
from arena.records.luck import LuckStatistics
from arena.records.replay import Replayed
from arena.records.rows import DecisionRow, RollRow
from arena.records.statistics import CAUSES, Conduct, EndingKind, Field, RunStatistics
from arena.records.verify import verify_run
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
"""Turns that the report lists as the costliest."""


def entrant_summary(
    row: TableRow, statistics: RunStatistics, version: str, kinds: Sequence[EndingKind]
) -> findings.EntrantSummary:
    """Return a row of the standings with the statistics of the entrant."""
    mean = margin = None
    points = statistics.points[row.id]
    if points is not None:
        mean = points.mean
        margin = points.margin
    elo = interval = None
    strength = 0
    number, field = _field_of(statistics.fields, row.id)
    if field is not None:
        ratings = field.ratings
        strength = ratings.entrants.index(row.id)
        elo = ratings.elo[strength]
        interval = ratings.interval(row.id)
    return findings.EntrantSummary(
        **asdict(row),
        version=version,
        mean=mean,
        margin=margin,
        elo=elo,
        strength=strength,
        interval=interval,
        field=number,
        conduct=_conduct_summary(statistics.conduct[row.id], kinds),
    )


def _field_of(fields: Sequence[Field], name: str) -> tuple[int, Field | None]:
    """Return the number and the field in which an entrant is rated; None if it has not played."""
    for number, field in enumerate(fields):
        if name in field.ratings.entrants:
            return number, field
    return 0, None


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
    """Return the probability that the entrant of a row is stronger than that of a column.

    It is None for entrants in different fields.
    """
    rows = []
    for name in names:
        _, field = _field_of(fields, name)
        rows.append([_probability(field, name, opponent) for opponent in names])
    return rows


def _probability(
    field: Field | None,
    stronger: str,
    weaker: str,
) -> float | None:
    """Return the chance that the one is really stronger than the other; None if it is not known."""
    if field is None or stronger == weaker:
        return None
    order = field.ratings.entrants
    if weaker not in order:
        return None
    chances = field.order.superior[order.index(stronger)]
    return chances[order.index(weaker)]


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
        problems = joined([error.said for error in broken])
        left_out = Said("audit.left_out", {"problems": problems})
        return findings.Audit(state="not in order", sentence=left_out)
    if replayed is None:
        return findings.Audit(state="left out", sentence=Said("audit.not_checked"))
    try:
        verified = verify_run(files, contradictions=contradictions, replayed=replayed)
    except RecordError as error:
        return findings.Audit(state="not in order", sentence=error.said)
    counts = {
        "matches": Said("count.settled_matches", {"count": verified.fixtures}),
        "games": Said("count.games", {"count": verified.games}),
        "turns": Said("count.turns", {"count": verified.turns}),
    }
    figures = figures_of(verified.dealt)
    tests = []
    for test in figures.tests:
        statistic = test.statistic if math.isfinite(test.statistic) else None
        tests.append((test.name, statistic, test.freedom, test.p))
    verdict = Said("dice_figures.none")
    if figures.dice:
        verdict = figures.sentence
    return findings.Audit(
        state="in order",
        sentence=Said("audit.in_order", counts),
        faces=figures.faces,
        rolls=figures.rolls,
        doubles=figures.doubles,
        tests=tests,
        verdict=verdict,
    )


class PlayFigures:
    """Goes through the analyses of a run match by match, and keeps the figures for the page."""

    def __init__(self) -> None:
        self._analysed = 0
        self._evaluators: dict[str, None] = {}
        self._plies: set[int] = set()
        self._losses = Losses()
        self._costliest: list[findings.RemarkableMoment] = []
        self._luckiest: findings.RemarkableMoment | None = None

    def add(
        self,
        analysis: Analysis,
        links: Mapping[int, str],
        *,
        is_annulled: bool,
    ) -> None:
        """Add the next match, with the link of each of its attempts."""
        self._analysed += 1
        self._evaluators[analysis.head.evaluator] = None
        self._plies.add(analysis.head.plies)
        self._losses.add(analysis, is_annulled=is_annulled)
        if is_annulled:
            return
        decisions, rolls = analysis.counted
        costly = [decision for decision in decisions if decision.loss > 0]
        costliest = list(self._costliest)
        for decision in nlargest(COSTLIEST, costly, key=lambda decision: decision.loss):
            moment = _moment(
                decision,
                links,
                decision.loss / 1000,
                played=decision.played,
                best=decision.best,
            )
            costliest.append(moment)
        self._costliest = nlargest(COSTLIEST, costliest, key=lambda moment: moment.points)
        if rolls:
            roll = max(rolls, key=lambda roll: roll.luck)
            lucky = _moment(roll, links, roll.luck)
            if self._luckiest is None or lucky.points > self._luckiest.points:
                self._luckiest = lucky

    def figures(
        self, matches: int, luck: LuckStatistics | None = None
    ) -> findings.PlayAnalysis | None:
        """Return the figures of all matches, `matches` in number; None if none is analysed."""
        if not self._analysed:
            return None
        taken_out = None
        if luck is not None:
            taken_out = _luck_taken_out(luck)
        return findings.PlayAnalysis(
            evaluator=", ".join(self._evaluators),
            plies=sorted(self._plies),
            analysed=self._analysed,
            matches=matches,
            losses=[_loss_summary(bot) for bot in self._losses.ranked()],
            costliest=self._costliest,
            luckiest=self._luckiest,
            luck=taken_out,
        )


def _luck_taken_out(luck: LuckStatistics) -> findings.LuckTakenOut:
    """Return the results without luck, the best entrant first."""

    def rank(name: str) -> tuple[float, str]:
        return -round(luck.entrants[name].adjusted.mean, 9), name

    entrants = []
    for name in sorted(luck.entrants, key=rank):
        entrant = luck.entrants[name]
        entrants.append((name, entrant, entrant.times))
    return findings.LuckTakenOut(
        source=luck.source,
        entrants=entrants,
        matches=luck.matches,
        notes=luck.notes,
    )


def _loss_summary(bot: BotLosses) -> findings.LossSummary:
    return findings.LossSummary(
        entrant=bot.bot,
        games=bot.games,
        decisions=bot.decisions.total(),
        means=[bot.mean_loss(), *map(bot.mean_loss, PHASES)],
        marks=[bot.marks[mark] for mark in MARKS],
        luck=bot.luck,
        luck_per_game=bot.luck_per_game,
    )


def _moment(
    row: DecisionRow | RollRow, links: Mapping[int, str], points: float, **turn: str
) -> findings.RemarkableMoment:
    """Return a turn or roll that the report links to."""
    return findings.RemarkableMoment(
        link=links.get(row.attempt, row.match),
        game=row.game,
        at=str(row.turn),
        entrant=row.bot,
        dice="".join(map(str, row.dice)),
        points=round(points, 4),
        **turn,
    )

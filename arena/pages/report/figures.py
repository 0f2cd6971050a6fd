"""The figures of a report: strength with errors, endings, thinking times, the audit of the dice."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import asdict

from arena.pages.contents import TableRow
from arena.pages.findings import Audit, ConductSummary, EntrantSummary
from arena.records.dice_figures import DiceTest, figures_of
from arena.records.lines import RecordError
from arena.records.statistics import CAUSES, Conduct, EndingKind, Field, RunStatistics
from arena.records.verify import verify_run
from arena.words import Said

TIME_LIMITS_MS: Final = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000)
"""Where the classes of thinking times begin; the last has no end."""


def entrant_summaries(
    rows: Sequence[TableRow], found: RunStatistics, versions: Mapping[str, str], kinds: Sequence[EndingKind]
) -> list[EntrantSummary]:
    """Every row of the standings, with what the statistics say of the entrant."""
    return [_entrant_summary(row, found, versions.get(row.id, ""), kinds) for row in rows]


def _entrant_summary(row: TableRow, found: RunStatistics, version: str, kinds: Sequence[EndingKind]) -> EntrantSummary:
    points = found.points[row.id]
    number, field = _field_of(found.fields, row.id)
    ratings = field.ratings if field else None
    return EntrantSummary(
        **asdict(row),
        version=version,
        mean=points.mean if points else None,
        margin=points.margin if points else None,
        elo=ratings.elo[ratings.entrants.index(row.id)] if ratings else None,
        strength=ratings.entrants.index(row.id) if ratings else 0,
        interval=ratings.interval(row.id) if ratings else None,
        field=number,
        conduct=conduct_summary(found.conduct[row.id], kinds),
    )


def _field_of(fields: Sequence[Field], name: str) -> tuple[int, Field | None]:
    """The field in which an entrant is rated, with its number; None if it has not played."""
    return next(((number, field) for number, field in enumerate(fields) if name in field.ratings.entrants), (0, None))


def conduct_summary(conduct: Conduct, kinds: Sequence[EndingKind]) -> ConductSummary:
    """An entrant's conduct as the page has it."""
    times = [0] * len(TIME_LIMITS_MS)
    for ms, count in conduct.spent_ms.items():
        times[bisect_right(TIME_LIMITS_MS, ms) - 1] += count
    return ConductSummary(
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
    """The probability that the entrant of a row is stronger than that of a column; None if they cannot be compared."""
    places = [_field_of(fields, name) for name in names]

    def probability(row: int, column: int) -> float | None:
        (_, field), (_, other) = places[row], places[column]
        if row == column or field is None or field is not other:
            return None
        order = field.ratings.entrants
        return field.order.superior[order.index(names[row])][order.index(names[column])]

    return [[probability(row, column) for column in range(len(names))] for row in range(len(names))]


def audit_of(files: Mapping[str, bytes], broken: Sequence[RecordError], *, is_audited: bool) -> Audit:
    """Verify the whole run, and test its dice; `broken` are match records that could not be read."""
    if broken:
        left_out = Said("audit.left_out", {"problems": "; ".join(map(str, broken))})
        return Audit(state="not in order", sentence=left_out)
    if not is_audited:
        return Audit(state="left out", sentence=Said("audit.not_checked"))
    try:
        verified = verify_run(files)
    except RecordError as error:
        return Audit(state="not in order", sentence=str(error))
    figures = figures_of(verified.dealt)
    counts = {
        "matches": Said("count.settled_matches", {"count": verified.fixtures}),
        "games": Said("count.games", {"count": verified.games}),
        "turns": Said("count.turns", {"count": verified.turns}),
    }
    return Audit(
        state="in order",
        sentence=Said("audit.in_order", counts),
        faces=figures.faces,
        rolls=figures.rolls,
        doubles=figures.doubles,
        tests=[(test.name, _finite(test), test.freedom, test.p) for test in figures.tests],
        verdict=figures.sentence if figures.dice else Said("dice_figures.none"),
    )


def _finite(test: DiceTest) -> float | None:
    return test.statistic if math.isfinite(test.statistic) else None

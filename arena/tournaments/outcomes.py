"""The standings in a sentence: who is first and by what, and who can still be first."""

from collections.abc import Mapping
from typing import Final

from arena.tournaments.results import format_points
from arena.tournaments.standings import Standing, Standings
from arena.tournaments.tie_breaks import TieBreak, TieStep
from arena.words import Said

MOST_NAMES: Final = 4
"""The most entrants to be named as possible winners; with more there is no sentence."""


def who_is_first(table: Standings, *, is_over: bool) -> list[Said]:
    """Say who is first, and by which step of M4."""
    rows = _rows_with_place(table)
    if len(rows) == 1 and is_over:
        return [Said("outcome.alone", {"name": table.name(rows[0].entrant)})]
    if len(rows) < 2 or not table.counted:
        return [Said("outcome.nobody")] if is_over else []
    first, second = rows[0], rows[1]
    shared = _top_tie(table, is_shared=True)
    if shared is not None:
        return [_shared_lead(table, shared, is_over=is_over)]
    broken = _top_tie(table, is_shared=False)
    if broken is not None:
        return [_lead_by_tie_break(table, first, broken, is_over=is_over)]
    points = {
        "mine": format_points(first.match_points),
        "theirs": format_points(second.match_points),
    }
    lead = {
        "name": table.name(first.entrant),
        "why": Said("step.match_points", points),
    }
    code = "outcome.won" if is_over else "outcome.leads"
    return [Said(code, lead)]


def _top_tie(table: Standings, *, is_shared: bool) -> TieBreak | None:
    for tie in table.tie_breaks:
        if tie.place == 1 and (tie.step is TieStep.SHARED) == is_shared:
            return tie
    return None


def _shared_lead(table: Standings, shared: TieBreak, *, is_over: bool) -> Said:
    if is_over:
        return shared.sentence
    names = table.display_names(shared.above)
    return Said("outcome.share_lead", {"names": names})


def _lead_by_tie_break(
    table: Standings,
    first: Standing,
    broken: TieBreak,
    *,
    is_over: bool,
) -> Said:
    others = [entrant for entrant in broken.group if entrant != first.entrant]
    lead = {
        "name": table.name(first.entrant),
        "why": broken.sentence.values["why"],
        "points": format_points(first.match_points),
        "others": table.display_names(others),
    }
    code = "outcome.won_level" if is_over else "outcome.leads_level"
    return Said(code, lead)


def who_can_win(table: Standings, unplayed: Mapping[str, int]) -> list[Said]:
    """Say which entrants can still come first, if they are few.

    `unplayed` counts the remaining matches of each. The other entrants get fewer match points than
    the best has already, even if they win all their matches. A withdrawal may change that, since it
    may annul results (M5).
    """
    rows = _rows_with_place(table)
    most = max((row.match_points for row in rows), default=0)
    names = []
    for row in rows:
        reachable = row.match_points + unplayed[row.entrant]
        if reachable >= most:
            names.append(table.name(row.entrant))
    if len(names) > MOST_NAMES or len(names) >= len(rows):
        return []
    return [Said("open.can_win", {"names": names})]


def _rows_with_place(table: Standings) -> list[Standing]:
    return [row for row in table.rows if row.place is not None]

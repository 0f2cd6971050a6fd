"""The standings in a sentence: who is first and by what, and who can still be."""

from collections.abc import Mapping
from typing import Final

from arena.tournaments.results import format_points
from arena.tournaments.standings import Standings
from arena.tournaments.tie_breaks import TieStep
from arena.words import Said

MOST_NAMES: Final = 4
"""How many entrants are named of those that can still win; of more nothing is said."""


def who_is_first(table: Standings, *, is_over: bool) -> list[Said]:
    """Say who is first, and by which step of M4."""
    rows = [row for row in table.rows if row.place is not None]
    if len(rows) == 1 and is_over:
        return [Said("outcome.alone", {"name": table.name(rows[0].entrant)})]
    if len(rows) < 2 or not table.counted:
        return [Said("outcome.nobody")] if is_over else []
    first = rows[0]
    name = table.name(first.entrant)
    ties = {tie.step is TieStep.SHARED: tie for tie in table.tie_breaks if tie.place == 1}
    if True in ties:
        names = [table.name(one) for one in ties[True].above]
        return [ties[True].sentence if is_over else Said("outcome.share_lead", {"names": names})]
    points, theirs = (format_points(row.match_points) for row in rows[:2])
    if False in ties:
        tie = ties[False]
        values = {"name": name, "why": tie.sentence.values["why"], "points": points}
        level = {
            **values,
            "others": [table.name(other) for other in tie.group if other != first.entrant],
        }
        return [Said("outcome.won_level" if is_over else "outcome.leads_level", level)]
    why = Said("step.match_points", {"mine": points, "theirs": theirs})
    return [Said("outcome.won" if is_over else "outcome.leads", {"name": name, "why": why})]


def who_can_win(table: Standings, left: Mapping[str, int]) -> list[Said]:
    """Say which entrants can still come first, if they are few; `left` counts the matches of each.

    The others get fewer match points than the best has already, even if they win all their matches.
    A withdrawal may change that, since it may annul results (M5).
    """
    rows = [row for row in table.rows if row.place is not None]
    most = max((row.match_points for row in rows), default=0)
    able = [table.name(row.entrant) for row in rows if row.match_points + left[row.entrant] >= most]
    return (
        [Said("open.can_win", {"names": able})]
        if len(able) <= MOST_NAMES and len(able) < len(rows)
        else []
    )

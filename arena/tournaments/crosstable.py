"""The cross-table: all entrants against all others, in the order of the standings."""

from collections.abc import Iterable
from typing import (
    Literal,
    NamedTuple,
    TypeAlias,
)

from arena.tournaments.results import (
    FixtureResult,
    by_round,
    decide_match,
)
from arena.tournaments.standings import Standings

Outcome = Literal["won", "drawn", "lost", "void", "annulled"]
"""The outcome of a match for the entrant of the row; void and annulled ones do not count (M5)."""


class Meeting(NamedTuple):
    """One match for the entrant of the row: its game points, the opponent's, and the outcome."""

    points_for: int
    points_against: int
    outcome: Outcome


Crosstable: TypeAlias = list[list[list[Meeting]]]
"""By row and column, in the order of the standings, the meetings of two entrants, the earliest
first."""


def crosstable(
    standings: Standings,
    results: Iterable[FixtureResult],
) -> Crosstable:
    """Arrange the results behind the standings for each ordered pair of entrants."""
    places = {row.entrant: place for place, row in enumerate(standings.rows)}
    cells: Crosstable = []
    for _ in places:
        empty_row: list[list[Meeting]] = [[] for _ in places]
        cells.append(empty_row)
    for match in by_round(results):
        for entrant in (match.first, match.second):
            opponent = match.opponent_of(entrant)
            meeting = Meeting(
                match.points_of(entrant),
                match.points_of(opponent),
                _outcome(standings, match, entrant),
            )
            cells[places[entrant]][places[opponent]].append(meeting)
    return cells


def _outcome(
    standings: Standings,
    match: FixtureResult,
    entrant: str,
) -> Outcome:
    if match.voided:
        return "void"
    if match.fixture not in standings.counted:
        return "annulled"
    winner = decide_match(match, standings.best_game).winner
    if winner is None:
        return "drawn"
    return "won" if winner == entrant else "lost"

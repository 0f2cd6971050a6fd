"""The cross-table: every entrant against every other, in the order of the standings."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from arena.tournaments.results import FixtureResult, decide_match
from arena.tournaments.standings import Standings

Outcome = Literal["won", "drawn", "lost", "void", "annulled"]
"""The outcome of a match for the entrant of the row; void and annulled matches count for nobody
(M5)."""


class Meeting(NamedTuple):
    """One match from the view of the row's entrant: its game points, the opponent's, and the outcome."""

    points_for: int
    points_against: int
    outcome: Outcome


Crosstable: TypeAlias = list[list[list[Meeting]]]
"""By row and column, in the order of the standings, the meetings of two entrants, the earliest
first."""


def crosstable(standings: Standings, results: Iterable[FixtureResult]) -> Crosstable:
    """Arrange the results behind the standings for each ordered pair of entrants."""
    places = {row.entrant: place for place, row in enumerate(standings.rows)}
    cells: Crosstable = [[[] for _ in places] for _ in places]
    for result in sorted(results, key=lambda result: (result.round, result.fixture)):
        winner = None if result.voided else decide_match(result, standings.best_game).winner
        for entrant, opponent in ((result.first, result.second), (result.second, result.first)):
            outcome: Outcome = "won" if winner == entrant else "lost"
            if result.voided:
                outcome = "void"
            elif result.fixture not in standings.counted:
                outcome = "annulled"
            elif winner is None:
                outcome = "drawn"
            meeting = Meeting(result.points_of(entrant), result.points_of(opponent), outcome)
            cells[places[entrant]][places[opponent]].append(meeting)
    return cells

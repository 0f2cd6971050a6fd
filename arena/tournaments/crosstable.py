"""The cross-table: every entrant against every other, in the order of the standings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from arena.tournaments.results import FixtureResult, decide_match
from arena.tournaments.standings import Standings


class Outcome(StrEnum):
    """The outcome of a match for the entrant of the row; void and annulled matches count for nobody (M5)."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"
    VOID = "void"
    ANNULLED = "annulled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One match from the view of the row's entrant: its game points, the opponent's, and the outcome."""

    fixture: str
    round: int
    seat: int
    points_for: int
    points_against: int
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Crosstable:
    """A square of meetings: `cells[i][j]` are those of `entrants[i]` with `entrants[j]`, the earliest first.

    The entrants are in the order of the standings; the diagonal is empty.
    """

    entrants: tuple[str, ...]
    cells: tuple[tuple[tuple[Meeting, ...], ...], ...]

    def meetings(self, entrant: str, opponent: str) -> tuple[Meeting, ...]:
        """Look up the meetings of an ordered pair. Raises ValueError if a name is not in the table."""
        return self.cells[self.entrants.index(entrant)][self.entrants.index(opponent)]


def crosstable(standings: Standings, results: Iterable[FixtureResult]) -> Crosstable:
    """Arrange the results behind the standings for each ordered pair of entrants."""
    entrants = tuple(row.entrant for row in standings.rows)
    cells: dict[tuple[str, str], list[Meeting]] = {(one, other): [] for one in entrants for other in entrants}
    for result in sorted(results, key=lambda result: (result.round, result.fixture)):
        winner = None if result.voided else decide_match(result, standings.best_game).winner
        for seat, (entrant, opponent) in enumerate(((result.first, result.second), (result.second, result.first)), 1):
            if result.voided:
                outcome = Outcome.VOID
            elif result.fixture not in standings.counted:
                outcome = Outcome.ANNULLED
            elif winner is None:
                outcome = Outcome.DRAWN
            else:
                outcome = Outcome.WON if winner == entrant else Outcome.LOST
            meeting = Meeting(
                fixture=result.fixture,
                round=result.round,
                seat=seat,
                points_for=result.points_of(entrant),
                points_against=result.points_of(opponent),
                outcome=outcome,
            )
            cells[entrant, opponent].append(meeting)
    return Crosstable(
        entrants=entrants,
        cells=tuple(tuple(tuple(cells[one, other]) for other in entrants) for one in entrants),
    )

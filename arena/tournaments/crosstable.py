"""The cross-table: every entrant against every other, in the order of the standings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from arena.tournaments import TournamentError
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
    """Arrange the results behind the standings for each ordered pair of entrants.

    Raises TournamentError if a result names an entrant that is not in the standings.
    """
    entrants = tuple(row.entrant for row in standings.rows)
    cells: dict[tuple[str, str], list[Meeting]] = {(one, other): [] for one in entrants for other in entrants}
    found = []
    for result in sorted(results, key=lambda result: (result.round, result.fixture)):
        if (result.first, result.second) not in cells:
            found.append(f"fixture {result.fixture}: {result.first} or {result.second} is not in the standings")
            continue
        cells[result.first, result.second].append(_meeting(standings, result, result.first, 1))
        cells[result.second, result.first].append(_meeting(standings, result, result.second, 2))
    if found:
        raise TournamentError(found)
    return Crosstable(
        entrants=entrants,
        cells=tuple(tuple(tuple(cells[one, other]) for other in entrants) for one in entrants),
    )


def _meeting(standings: Standings, result: FixtureResult, entrant: str, seat: int) -> Meeting:
    return Meeting(
        fixture=result.fixture,
        round=result.round,
        seat=seat,
        points_for=result.points_of(entrant),
        points_against=result.points_of(result.opponent_of(entrant)),
        outcome=_outcome(standings, result, entrant),
    )


def _outcome(standings: Standings, result: FixtureResult, entrant: str) -> Outcome:
    if result.voided:
        return Outcome.VOID
    if result.fixture not in standings.counted:
        return Outcome.ANNULLED
    winner = decide_match(result, standings.best_game).winner
    if winner is None:
        return Outcome.DRAWN
    return Outcome.WON if winner == entrant else Outcome.LOST

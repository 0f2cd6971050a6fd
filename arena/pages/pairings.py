"""The pairings of a run, as its pages show them: drawn rounds, the bracket of a knock-out, or challengers' boards."""

from collections.abc import Sequence
from itertools import pairwise

from arena.pages.contents import (
    ChallengerBoard,
    OpponentRow,
    Pairing,
    PairingsPage,
    PairingState,
    RoundOfPairings,
)
from arena.records.state import TournamentState
from arena.tournaments.formats.interface import Slots
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Fixture, Round
from arena.tournaments.standings import Standings


def pairings_page(state: TournamentState, table: Standings) -> PairingsPage:
    """Return the pairings of a run in the shape that its format gives them; empty if it has a cross-table."""
    book = _Book(state, table)
    rounds = book.bracket(state.format.slots(state.so_far)) or [
        book.round(each) for each in state.rounds
    ]
    return PairingsPage(rounds=rounds, boards=[book.board(name) for name in state.format.boards])


class _Book:
    """Every match with its result."""

    def __init__(self, state: TournamentState, table: Standings) -> None:
        self._state, self._table = state, table
        self._results = {result.fixture: result for result in state.results}

    def round(self, drawn: Round) -> RoundOfPairings:
        """A drawn round: its matches in the order of play, then its byes."""
        byes = [Pairing(state="bye", entrants=(name, ""), winner=1) for name in drawn.byes]
        matches = [self._pairing(fixture, fixture.first) for fixture in drawn.fixtures]
        return RoundOfPairings(number=drawn.number, pairings=[*matches, *byes])

    def bracket(self, slots: Sequence[Slots]) -> list[RoundOfPairings]:
        """Every round of a bracket from top to bottom, drawn or not; the winner is the one that goes on."""
        found = []
        for number, (places, winners) in enumerate(pairwise(slots), 1):
            drawn = self._state.rounds[number - 1] if number <= len(self._state.rounds) else None
            pairs = zip(places[::2], places[1::2], winners, strict=True)
            pairings = [
                self._slot(drawn, upper or "", lower or "", winner)
                for upper, lower, winner in pairs
            ]
            found.append(RoundOfPairings(number=number, pairings=pairings))
        return found

    def board(self, challenger: str) -> ChallengerBoard:
        """A challenger against each opponent, in the order of the standings, and against all."""
        own = [
            fixture for fixture in self._state.fixtures.values() if challenger in fixture.entrants
        ]
        met = [
            self._pairing(fixture, challenger)
            for fixture in sorted(own, key=lambda fixture: fixture.round)
        ]
        opponents = [row.entrant for row in self._table.rows]
        rows = [
            _row(name, mine)
            for name in opponents
            if (mine := [one for one in met if one.entrants[1] == name])
        ]
        return ChallengerBoard(challenger=challenger, rows=[*rows, _row("", met)])

    def _slot(self, drawn: Round | None, upper: str, lower: str, winner: str | None) -> Pairing:
        if drawn is None:
            return Pairing(state="undrawn", entrants=(upper, lower))
        met = next((one for one in drawn.fixtures if one.entrants == {upper, lower}), None)
        place = (upper, lower).index(winner) + 1 if winner else 0
        if met is None:
            return Pairing(state="bye", entrants=(upper, lower), winner=place)
        return self._pairing(met, upper, place)

    def _pairing(self, fixture: Fixture, upper: str, winner: int | None = None) -> Pairing:
        """A match with this entrant above; without a `winner` it is the one of the match."""
        result = self._results.get(fixture.id)
        entrants = (upper, fixture.second if upper == fixture.first else fixture.first)
        state: PairingState = "played"
        if result is None:
            is_begun = self._state.attempts[fixture.id] > 0
            state = (
                "dropped" if self._state.is_barred(fixture) else "under way" if is_begun else "open"
            )
            return Pairing(fixture=fixture.id, state=state, entrants=entrants, winner=winner or 0)
        if result.voided:
            state = "void"
        elif fixture.id not in self._table.counted:
            state = "annulled"
        if winner is None:
            won = decide_match(result, self._table.best_game).winner
            winner = entrants.index(won) + 1 if won else 0
        one, other = entrants
        return Pairing(
            fixture=fixture.id,
            state=state,
            entrants=entrants,
            games=(len(result.won_by(one)), len(result.won_by(other))),
            points=(result.points_of(one), result.points_of(other)),
            played=len(result.games),
            winner=winner,
        )


def _row(opponent: str, met: Sequence[Pairing]) -> OpponentRow:
    counted = [one for one in met if one.state == "played"]
    mine, theirs = (sum(one.points[seat] for one in counted) for seat in (0, 1))
    games = sum(one.played for one in counted)
    return OpponentRow(
        opponent=opponent,
        matches=met if opponent else (),
        points=(mine, theirs),
        mean=(mine - theirs) / games if games else None,
        left=sum(one.state in ("open", "under way") for one in met),
    )

"""The pairings of a run on its pages: drawn rounds, a knock-out's bracket, challengers' boards."""

from collections import defaultdict
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
from arena.tournaments.formats.interface import BracketRound
from arena.tournaments.results import FixtureResult, decide_match
from arena.tournaments.schedule import Fixture, Round
from arena.tournaments.standings import Standings


def pairings_page(state: TournamentState, table: Standings) -> PairingsPage:
    """Return the pairings of a run as its format shows them; empty if it has a cross-table."""
    book = _Book(state, table)
    rounds = book.bracket(state.format.bracket(state.so_far))
    if not rounds:
        rounds = [book.round(drawn) for drawn in state.rounds]
    boards = [book.board(challenger) for challenger in state.format.boards]
    return PairingsPage(rounds=rounds, boards=boards)


class _Book:
    """Every match with its result."""

    def __init__(self, state: TournamentState, table: Standings) -> None:
        self._state, self._table = state, table
        self._results = {played.fixture: played for played in state.results}

    def round(self, drawn: Round) -> RoundOfPairings:
        """Return a drawn round: its matches in the order of play, then its byes."""
        matches = [self._pairing(fixture, fixture.first) for fixture in drawn.fixtures]
        byes = [
            Pairing(
                state="bye",
                entrants=(name, ""),
                winner=1,
            )
            for name in drawn.byes
        ]
        return RoundOfPairings(number=drawn.number, pairings=[*matches, *byes])

    def bracket(self, slots: Sequence[BracketRound]) -> list[RoundOfPairings]:
        """Return every round of a bracket, drawn or not, each from top to bottom.

        The winner of a pairing is the entrant that goes on.
        """
        rounds = []
        for number, (places, winners) in enumerate(pairwise(slots), 1):
            drawn: Round | None = None
            if number <= len(self._state.rounds):
                drawn = self._state.rounds[number - 1]
            pairings = []
            for upper, lower, winner in zip(places[::2], places[1::2], winners, strict=True):
                pairings.append(self._slot(drawn, upper or "", lower or "", winner))
            rounds.append(RoundOfPairings(number=number, pairings=pairings))
        return rounds

    def board(self, challenger: str) -> ChallengerBoard:
        """Return a challenger's results against each opponent, in the order of the standings.

        The last row is against all of them.
        """
        fixtures = [
            fixture for fixture in self._state.fixtures.values() if challenger in fixture.entrants
        ]
        fixtures.sort(key=lambda fixture: fixture.round)
        pairings = [self._pairing(fixture, challenger) for fixture in fixtures]
        against: dict[str, list[Pairing]] = defaultdict(list)
        for pairing in pairings:
            _, opponent = pairing.entrants
            against[opponent].append(pairing)
        rows = []
        for row in self._table.rows:
            matches = against[row.entrant]
            if matches:
                rows.append(_row(row.entrant, matches))
        return ChallengerBoard(challenger=challenger, rows=[*rows, _row("", pairings)])

    def _slot(
        self,
        drawn: Round | None,
        upper: str,
        lower: str,
        winner: str | None,
    ) -> Pairing:
        """Return a place of the bracket: a match, a bye, or one that is not drawn yet."""
        entrants = (upper, lower)
        if drawn is None:
            return Pairing(state="undrawn", entrants=entrants)
        place = 0
        if winner:
            place = entrants.index(winner) + 1
        for fixture in drawn.fixtures:
            if fixture.entrants == set(entrants):
                return self._pairing(fixture, upper, place)
        return Pairing(state="bye", entrants=entrants, winner=place)

    def _pairing(
        self,
        fixture: Fixture,
        upper: str,
        winner: int | None = None,
    ) -> Pairing:
        """Return a match with this entrant above; without a `winner` it is the one of the match."""
        lower = fixture.second if upper == fixture.first else fixture.first
        entrants = (upper, lower)
        played = self._results.get(fixture.id)
        if played is None:
            state = self._state_of_unplayed(fixture)
            return Pairing(
                fixture=fixture.id,
                state=state,
                entrants=entrants,
                winner=winner or 0,
            )
        if winner is None:
            match_winner = decide_match(played, self._table.best_game).winner
            winner = entrants.index(match_winner) + 1 if match_winner else 0
        return Pairing(
            fixture=fixture.id,
            state=self._state_of_played(played),
            entrants=entrants,
            games=(len(played.won_by(upper)), len(played.won_by(lower))),
            points=(played.points_of(upper), played.points_of(lower)),
            played=len(played.games),
            winner=winner,
        )

    def _state_of_unplayed(self, fixture: Fixture) -> PairingState:
        if self._state.is_barred(fixture):
            return "dropped"
        if self._state.attempts[fixture.id] > 0:
            return "under way"
        return "open"

    def _state_of_played(self, played: FixtureResult) -> PairingState:
        if played.voided:
            return "void"
        if played.fixture not in self._table.counted:
            return "annulled"
        return "played"


def _row(opponent: str, pairings: Sequence[Pairing]) -> OpponentRow:
    """Return a challenger's results in these pairings; without an opponent, against all."""
    points = points_against = games = to_play = 0
    for pairing in pairings:
        if pairing.state == "played":
            mine, theirs = pairing.points
            points += mine
            points_against += theirs
            games += pairing.played
        elif pairing.state in ("open", "under way"):
            to_play += 1
    return OpponentRow(
        opponent=opponent,
        matches=pairings if opponent else (),
        points=(points, points_against),
        mean=(points - points_against) / games if games else None,
        left=to_play,
    )

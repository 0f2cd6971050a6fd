"""Lines of the tournament record that follow from play.

The arena writes them, and verification expects them.
"""

from collections.abc import Mapping, Sequence

from msgspec import UNSET, UnsetType

from arena.games.result import Result
from arena.matches.facts import MatchEnded, MatchVoided
from arena.records import facts
from arena.records.state import TournamentState
from arena.tournaments.formats.interface import Rated
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Round
from arena.tournaments.standings import Standing, Standings


def settled_fact(
    state: TournamentState,
    fixture: str,
    attempt: int,
    games: Sequence[Result],
    end: MatchEnded,
    *,
    record_sha256: str,
    now_ms: int,
) -> facts.FixtureSettled:
    """Return the line that settles a fixture: the winner of the match, and the reason (M1, M2)."""
    decision = decide_match(facts.result_of(fixture, games), state.opened.best_game, state.names)
    return facts.FixtureSettled(
        at_ms=now_ms,
        fixture=fixture,
        attempt=attempt,
        games=games,
        score=end.score,
        winner=decision.winner,
        decision=decision.reason,
        violations=end.violations,
        record_sha256=record_sha256,
    )


def voided_fact(
    state: TournamentState,
    fixture: str,
    attempt: int,
    end: MatchVoided,
    *,
    record_sha256: str,
    now_ms: int,
) -> facts.FixtureVoided:
    """Return the line of a void attempt; it depends on the state of the tournament before it."""
    return facts.FixtureVoided(
        at_ms=now_ms,
        fixture=fixture,
        attempt=attempt,
        reason=end.reason,
        violations=end.violations,
        is_last=state.is_last_void(fixture, end.reason),
        record_sha256=record_sha256,
    )


def withdrawal_facts(state: TournamentState, now_ms: int) -> list[facts.EntrantWithdrawn]:
    """Return the lines that withdraw every entrant with more violations than allowed (M5)."""
    withdrawals = []
    for name in state.in_violation():
        violations = state.violations[name]
        fact = facts.EntrantWithdrawn(
            at_ms=now_ms,
            entrant=name,
            violations=violations,
        )
        withdrawals.append(fact)
    return withdrawals


def drawn_fact(drawn: Round, now_ms: int) -> facts.RoundDrawn:
    """Return the line of a drawn round."""
    return facts.RoundDrawn(
        at_ms=now_ms,
        round=drawn.number,
        fixtures=[fixture.id for fixture in drawn.fixtures],
        byes=drawn.byes,
    )


def ended_fact(
    table: Standings,
    now_ms: int,
    rated: Mapping[str, Rated] | None = None,
) -> facts.TournamentEnded:
    """Return the line that ends a tournament record; `rated` are the ratings of a ladder."""
    rated = rated or {}
    return facts.TournamentEnded(
        at_ms=now_ms,
        standings=[_standing_row(row, rated.get(row.entrant)) for row in table.rows],
        tie_breaks=[tie.sentence for tie in table.tie_breaks],
        notes=table.notes,
    )


def _standing_row(row: Standing, rated: Rated | None) -> facts.StandingRow:
    rating: float | UnsetType = UNSET
    error: float | UnsetType = UNSET
    if rated is not None:
        rating = rated.elo
        error = rated.error
    return facts.StandingRow(
        place=row.place,
        entrant=row.entrant,
        match_points=float(row.match_points),
        points=row.points_for,
        rating=rating,
        error=error,
    )

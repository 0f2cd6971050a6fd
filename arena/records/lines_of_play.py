"""The lines of the tournament record that follow from play: the arena writes them, and verification expects them."""

from collections.abc import Sequence

from arena.games.result import Result
from arena.matches.facts import MatchEnded, MatchVoided
from arena.records import facts
from arena.records.state import TournamentState
from arena.tournaments.results import decide_match
from arena.tournaments.schedule import Round
from arena.tournaments.standings import Standings


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
    """The line that settles a fixture: who won the match, and by what (M1, M2)."""
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
    """The line of a void attempt, which depends on the state of the tournament before it."""
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
    """The lines that withdraw every entrant with more violations than allowed (M5)."""
    return [
        facts.EntrantWithdrawn(at_ms=now_ms, entrant=name, violations=state.violations[name])
        for name in state.in_violation()
    ]


def drawn_fact(drawn: Round, now_ms: int) -> facts.RoundDrawn:
    """The line of a drawn round."""
    fixtures = [fixture.id for fixture in drawn.fixtures]
    return facts.RoundDrawn(at_ms=now_ms, round=drawn.number, fixtures=fixtures, byes=drawn.byes)


def ended_fact(table: Standings, now_ms: int) -> facts.TournamentEnded:
    """The line that ends a tournament record."""
    rows = [
        facts.StandingRow(
            place=row.place,
            entrant=row.entrant,
            match_points=float(row.match_points),
            points=row.points_for,
        )
        for row in table.rows
    ]
    tie_breaks = [tie.sentence for tie in table.tie_breaks]
    return facts.TournamentEnded(
        at_ms=now_ms, standings=rows, tie_breaks=tie_breaks, notes=table.notes
    )

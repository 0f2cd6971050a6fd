"""The pages of a run and of its matches: from its record, from books of matches, or without."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Protocol

from arena.matches.facts import GameEnded, GameStarted, MatchFact, MatchVoided
from arena.pages.boards import board_of
from arena.pages.contents import GameLine, MatchPage, MatchState, ReplayedGame, RunPage, TableRow
from arena.records.columns import page_columns
from arena.records.facts import FixtureSettled, result_of
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import Attempt, rules_on_record
from arena.records.state import TournamentState
from arena.records.timeline import Timeline
from arena.tournaments.results import BestGame, decide_match, result_problems
from arena.tournaments.schedule import parse_fixture
from arena.tournaments.standings import Standings
from arena.words import Said

NO_MOVES: Final[Mapping[str, int]] = MappingProxyType({})
"""Of a report: it shows a run that is over."""


def run_page(
    state: TournamentState,
    table: Standings,
    latest_ms: int,
    moves: Mapping[str, int] = NO_MOVES,
) -> RunPage:
    """Return the head of a run with these standings; `latest_ms` is the time of its last event.

    `moves` are the places that each entrant went up, as `TournamentState.moves` counts them.
    """
    opened = state.opened
    columns = page_columns(table, state.pairs(table))
    entrants = []
    for row in table.rows:
        entrant = TableRow(
            id=row.entrant,
            name=state.names[row.entrant],
            place=row.place,
            is_shared=row.is_shared,
            moved=moves.get(row.entrant, 0),
            withdrawal=row.withdrawal.value,
            cells=[column.cell(row) for column in columns],
        )
        entrants.append(entrant)
    return RunPage(
        name=opened.name,
        ruleset=str(opened.ruleset["name"]),
        format=state.format.name,
        terms=opened.terms,
        board=board_of(rules_on_record(opened.ruleset, f"{TOURNAMENT_RECORD}:1")),
        counted=len(table.counted),
        scheduled=state.scheduled,
        settled=sum(not match.voided for match in state.results),
        is_finished=state.is_finished,
        outcome=state.outcome(table),
        shape=state.format.shape,
        started_ms=opened.at_ms,
        latest_ms=latest_ms,
        names=dict(state.names),
        columns=[(column.key, column.heading) for column in columns],
        tie_breaks=[tie.sentence for tie in table.tie_breaks],
        notes=table.notes,
        contained=state.containment(),
        entrants=entrants,
    )


def update_rows(rows: dict[int, GameLine], fact: MatchFact) -> None:
    """Note in the rows of an attempt, by game, the start or the end of a game."""
    if isinstance(fact, GameStarted):
        rows[fact.game] = GameLine(game=fact.game)
    elif isinstance(fact, GameEnded):
        rows[fact.game] = GameLine(
            game=fact.game,
            result=fact.result,
            turns=fact.turns,
        )


class Settlement(Protocol):
    """What is known of a settled match: by its line in the record, or by the index."""

    @property
    def attempt(self) -> int:
        """The attempt that counts."""

    @property
    def decision(self) -> Said:
        """What decided the match."""


def page_of_attempt(
    attempt: Attempt,
    book: Timeline,
    attempts: int,
    settled: Settlement | None,
    *,
    is_counted: bool,
    best_game: BestGame,
    **more: Any,
) -> MatchPage:
    """Return the page of an attempt from its book; the match has this number of attempts.

    `settled` is None as long as the match is not settled. `best_game` is that of the tournament.
    """
    rows: dict[int, GameLine] = {}
    for _, fact in attempt.facts:
        update_rows(rows, fact)
    number = attempt.opened.attempt
    state: MatchState = "under way"
    decision: Said | None = None
    latest = attempts
    if settled is not None:
        latest = settled.attempt
        state = "void"
        if number == latest:
            state = "settled" if is_counted else "annulled"
            decision = settled.decision
    elif isinstance(book.end, MatchVoided) and attempt.is_closed:
        state = "void"
    return page_of_book(
        book,
        rows,
        state=state,
        is_last=number == latest,
        attempts=attempts,
        outcome=match_outcome(book, rows, state, decision, best_game),
        seed=(attempt.seed or b"").hex(),
        **more,
    )


def match_outcome(
    book: Timeline,
    rows: Mapping[int, GameLine],
    state: MatchState,
    decision: Said | None,
    best_game: BestGame,
) -> Said:
    """Say who won the match and by what, or why it does not count; while it is played, who leads.

    `decision` is what the record of the tournament says, or None before the match is settled.
    """
    if isinstance(book.end, MatchVoided):
        return Said("match_result.void", {"reason": book.end.reason})
    if state == "void":
        return Said("match_result.played_again")
    opened = book.opened
    if decision is None and book.end is not None:
        games = [row.result for _, row in sorted(rows.items()) if row.result is not None]
        played = result_of(opened.match, games)
        if not result_problems(played, best_game):
            names = dict(zip(opened.entrants, opened.shown, strict=True))
            decision = decide_match(played, best_game, names).reason
    if decision is None:
        return _score_said(opened.shown, book.score)
    if state == "annulled":
        return Said("match_result.annulled", {"decision": decision})
    return decision


def _score_said(names: tuple[str, str], score: tuple[int, int]) -> Said:
    """Say who leads a match that is being played."""
    theirs, points = sorted(score)
    if theirs == points:
        return Said("match_result.level", {"count": points})
    lead = {
        "name": names[score.index(points)],
        "points": points,
        "theirs": theirs,
    }
    return Said("match_result.leads", lead)


def page_of_book(
    book: Timeline,
    rows: Mapping[int, GameLine],
    *,
    most: int | None = None,
    state: MatchState,
    is_last: bool,
    attempts: int,
    seed: str = "",
    shown: Sequence[ReplayedGame] = (),
    **more: Any,
) -> MatchPage:
    """Return the page of an attempt from its book, with the latest games, at most `most`, listed.

    `is_last` is true if no later attempt takes its place.
    """
    opened = book.opened
    link = opened.match
    if not is_last:
        link += f"~{opened.attempt}"
    void: Said | str = ""
    if isinstance(book.end, MatchVoided):
        void = book.end.reason
    games = [row for _, row in sorted(rows.items())]  # the second half of a pair may end first
    left_out = 0
    if most is not None:
        left_out = max(0, len(games) - most)
    return MatchPage(
        link=link,
        fixture=opened.match,
        attempt=opened.attempt,
        attempts=attempts,
        entrants=opened.entrants,
        versions=book.versions,
        state=state,
        is_over=book.end is not None,
        void=void,
        score=book.score,
        games=games[left_out:],
        left_out=left_out,
        shown=shown,
        commitment=opened.dice_commitment,
        seed=seed,
        **more,
    )


def page_without_record(
    fixture: str, settled: FixtureSettled | None, *, is_counted: bool
) -> MatchPage:
    """Return the page of a match without a readable record, from the tournament record alone."""
    played = parse_fixture(fixture)
    state: MatchState = "under way"
    attempt = 1
    score = (0, 0)
    outcome = Said("match_result.level", {"count": 0})
    games: list[GameLine] = []
    if settled is not None:
        state = "settled"
        outcome = settled.decision
        if not is_counted:
            state = "annulled"
            outcome = Said("match_result.annulled", {"decision": settled.decision})
        attempt = settled.attempt
        score = settled.score
        games = [GameLine(game=game, result=ended) for game, ended in enumerate(settled.games, 1)]
    return MatchPage(
        link=fixture,
        fixture=fixture,
        attempt=attempt,
        attempts=0,
        entrants=(played.first, played.second),
        versions=("", ""),
        state=state,
        is_over=settled is not None,
        score=score,
        outcome=outcome,
        games=games,
        shown=(),
        commitment="",
        seed="",
    )

"""The pages of a run and of its matches: from its record, from books of matches, or without."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.matches.facts import GameEnded, GameStarted, MatchFact, MatchVoided
from arena.pages.boards import board_of
from arena.pages.contents import GameLine, MatchPage, MatchState, ReplayedGame, RunPage, TableRow
from arena.records.columns import page_columns
from arena.records.facts import FixtureSettled
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import Attempt, rules_on_record
from arena.records.state import TournamentState
from arena.records.timeline import Timeline
from arena.tournaments.schedule import parse_fixture
from arena.tournaments.standings import Standings
from arena.words import Said


def run_page(state: TournamentState, table: Standings, latest_ms: int) -> RunPage:
    """Return the head of a run with these standings; `latest_ms` is the time of its last event."""
    opened = state.opened
    columns = page_columns(table, state.pairs(table))
    entrants = []
    for row in table.rows:
        entrant = TableRow(
            id=row.entrant,
            name=state.names[row.entrant],
            place=row.place,
            is_shared=row.is_shared,
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
        begun_ms=opened.at_ms,
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


def page_of_attempt(
    attempt: Attempt,
    book: Timeline,
    attempts: int,
    settled: FixtureSettled | None,
    *,
    is_counted: bool,
    **more: Any,
) -> MatchPage:
    """Return the page of an attempt from its book; the match has this number of attempts.

    `settled` is None as long as the match is not settled.
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
        decision=decision,
        seed=(attempt.seed or b"").hex(),
        **more,
    )


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
    decision: Said | None = None
    games: list[GameLine] = []
    if settled is not None:
        state = "settled" if is_counted else "annulled"
        attempt = settled.attempt
        score = settled.score
        decision = settled.decision
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
        decision=decision,
        games=games,
        shown=(),
        commitment="",
        seed="",
    )

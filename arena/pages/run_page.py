"""The pages of a run and of its matches, from the state of its record, from books of matches, or without a record."""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.matches.facts import GameEnded, GameStarted, MatchFact, MatchVoided
from arena.pages.boards import board_of
from arena.pages.contents import GameRow, MatchPage, MatchState, ReplayedGame, RunPage, TableRow
from arena.records.columns import page_columns
from arena.records.facts import FixtureSettled
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import Attempt, rules_on_record
from arena.records.state import TournamentState
from arena.records.timeline import Timeline
from arena.tournaments.schedule import parse_fixture
from arena.tournaments.standings import Standings


def run_page(state: TournamentState, table: Standings, latest_ms: int) -> RunPage:
    """Return the head of a run with these standings; `latest_ms` is when the last of it happened."""
    opened = state.opened
    columns = page_columns(table, state.pairs(table))
    return RunPage(
        name=opened.name,
        ruleset=str(opened.ruleset["name"]),
        format=state.format.name,
        terms=opened.terms,
        board=board_of(rules_on_record(opened.ruleset, f"{TOURNAMENT_RECORD}:1")),
        counted=len(table.counted),
        scheduled=state.scheduled,
        settled=sum(not one.voided for one in state.results),
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
        entrants=[
            TableRow(
                id=row.entrant,
                name=state.names[row.entrant],
                place=row.place,
                is_shared=row.is_shared,
                withdrawal=row.withdrawal.value,
                cells=[column.cell(row) for column in columns],
            )
            for row in table.rows
        ],
    )


def take_row(rows: dict[int, GameRow], fact: MatchFact) -> None:
    """Note in the rows of an attempt, by game, what its next fact says."""
    if isinstance(fact, GameStarted):
        rows[fact.game] = GameRow(game=fact.game)
    elif isinstance(fact, GameEnded):
        rows[fact.game] = GameRow(game=fact.game, result=fact.result, turns=fact.turns)


def page_of_attempt(
    attempt: Attempt,
    book: Timeline,
    attempts: int,
    settled: FixtureSettled | None,
    *,
    is_counted: bool,
    **more: Any,
) -> MatchPage:
    """Return the page of an attempt, one of so many, from its book.

    `settled` is None as long as the match is not settled.
    """
    rows: dict[int, GameRow] = {}
    for _, fact in attempt.facts:
        take_row(rows, fact)
    number = attempt.opened.attempt
    state: MatchState = "under way"
    if settled is not None and settled.attempt == number:
        state = "settled" if is_counted else "annulled"
    elif settled is not None or (isinstance(book.end, MatchVoided) and attempt.is_closed):
        state = "void"
    return page_of_book(
        book,
        rows,
        state=state,
        is_last=number == (settled.attempt if settled else attempts),
        attempts=attempts,
        decision=settled.decision if settled and state != "void" else None,
        seed=attempt.seed.hex() if attempt.seed else "",
        **more,
    )


def page_of_book(
    book: Timeline,
    rows: Mapping[int, GameRow],
    *,
    most: int | None = None,
    state: MatchState,
    is_last: bool,
    attempts: int,
    seed: str = "",
    shown: Sequence[ReplayedGame] = (),
    **more: Any,
) -> MatchPage:
    """Return the page of an attempt from its book, with at most so many games in its list, the latest.

    `is_last` is true if no later attempt takes its place.
    """
    opened, end = book.opened, book.end
    games = [row for _, row in sorted(rows.items())]  # the second half of a pair may end first
    left_out = 0 if most is None else max(0, len(games) - most)
    return MatchPage(
        link=opened.match if is_last else f"{opened.match}~{opened.attempt}",
        fixture=opened.match,
        attempt=opened.attempt,
        attempts=attempts,
        entrants=opened.entrants,
        versions=book.versions,
        state=state,
        is_over=end is not None,
        void=end.reason if isinstance(end, MatchVoided) else "",
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
    """Return the page of a match whose record cannot be read: only what the tournament record says of it."""
    played = parse_fixture(fixture)
    state: MatchState = "settled" if is_counted else "annulled"
    return MatchPage(
        link=fixture,
        fixture=fixture,
        attempt=settled.attempt if settled else 1,
        attempts=0,
        entrants=(played.first, played.second),
        versions=("", ""),
        state=state if settled else "under way",
        is_over=settled is not None,
        score=settled.score if settled else (0, 0),
        decision=settled.decision if settled else None,
        games=[
            GameRow(game=game, result=result)
            for game, result in enumerate(settled.games if settled else (), 1)
        ],
        shown=(),
        commitment="",
        seed="",
    )

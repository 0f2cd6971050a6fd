"""From records to rows: match by match, so that only one record is in memory."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from msgspec import UNSET

from arena.games import Game
from arena.games.result import Result
from arena.matches import facts
from arena.records import rows
from arena.records.facts import (
    EntrantsAdded,
    EntrantWithdrawn,
    FixtureSettled,
    TournamentFact,
    TournamentOpened,
)
from arena.records.files import (
    TOURNAMENT_RECORD,
    Files,
    match_records,
)
from arena.records.lines import (
    Attempt,
    RecordError,
    event_of,
    line_number,
    opened_in,
    read_attempts,
    read_tournament,
    rules_on_record,
    whole_lines,
)
from arena.records.state import names_of, state_of
from arena.records.timeline import Moment, Timeline
from arena.tournaments import TournamentError
from arena.tournaments.schedule import parse_fixture

AnyRow = TypeVar("AnyRow", bound=rows.Row)


def names_in(files: Files) -> dict[str, str]:
    """Return the names on screens by id.

    Raises `RecordError`, or `TournamentError` for names that belong to no entrant.
    """
    names: dict[str, str] = {}
    for fact in _tournament_in(files):
        if isinstance(fact, TournamentOpened | EntrantsAdded):
            names |= names_of(fact)
    if names:
        return names
    for record in match_records(files):
        for attempt in read_attempts(record, whole_lines(files[record])):
            names |= zip(attempt.opened.entrants, attempt.opened.shown, strict=True)
    return names


def tournament_name(files: Files) -> str:
    """Return the name of the tournament; empty for a record by itself. Raises `RecordError`."""
    for fact in _tournament_in(files):
        if isinstance(fact, TournamentOpened):
            return fact.name
    return ""


def first_rules(files: Files) -> Game[Any] | None:
    """Return the rules of the first recorded match, which are those of all; None without a match.

    Raises `RecordError`.
    """
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name])):
            return rules_on_record(attempt.opened.ruleset, attempt.where)
    return None


def rows_of_run(
    files: Files, *, tables: Container[str], with_positions: bool
) -> Iterator[rows.Row]:
    """Yield the rows of some tables of a whole run, match by match, in the order of its lines.

    Incomplete last lines are left out. Positions and what follows from them (`FOLLOWED`) are
    computed only on request: that takes as long as everything else. Raises `RecordError` at the
    first record that cannot be read, or recorded turn that is not legal.
    """
    settled: dict[str, FixtureSettled] = {}
    for fact in _tournament_in(files):
        if isinstance(fact, FixtureSettled):
            settled[fact.fixture] = fact
    annulled = annulled_in(files)
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name])):
            match = attempt.opened.match
            book = Timeline.of(attempt, has_boards=with_positions)
            maker = _Rows(
                name,
                attempt,
                book.rules,
                is_annulled=match in annulled,
                with_positions=with_positions,
            )
            if "matches" in tables:
                yield maker.match_row(settled.get(match))
            for moment in book.tell(attempt.facts):
                row = maker.of(moment)
                if row is not None and rows.TABLE_OF[type(row)] in tables:
                    yield row


def annulled_in(files: Files) -> frozenset[str]:
    """Return the fixtures of a run that do not count because an entrant withdrew (M5).

    Raises `RecordError`.
    """
    facts = _tournament_in(files)
    if not any(isinstance(fact, EntrantWithdrawn) for fact in facts):
        return frozenset()
    state = state_of(opened_in(facts), facts)
    return state.annulled(state.standings())


def result_cells(result: Result, entrants: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a `GameRow` that tell the result of a game."""
    winner = loser = None
    seat = result.winner
    if seat is not None:
        winner = entrants[seat - 1]
        loser = entrants[2 - seat]
    return asdict(result) | {"winner": winner, "loser": loser}


def _tournament_in(files: Files) -> list[TournamentFact]:
    record = whole_lines(files.get(TOURNAMENT_RECORD, b""))
    return [fact for _, fact in read_tournament(TOURNAMENT_RECORD, record)]


class _Rows:
    """Makes the rows of one attempt."""

    def __init__(
        self,
        name: str,
        attempt: Attempt,
        rules: Game[Any],
        *,
        is_annulled: bool,
        with_positions: bool,
    ) -> None:
        opened = attempt.opened
        self._rules = rules
        self._attempt = attempt
        self._entrants = opened.entrants
        self._names = dict(zip(opened.entrants, opened.shown, strict=True))
        self._is_annulled = is_annulled
        self._has_positions = with_positions
        self._place = {
            "file": name,
            "match": opened.match,
            "attempt": opened.attempt,
            "ruleset": opened.ruleset["name"],
        }

    def _row(self, kind: type[AnyRow], moment: Moment, /, **cells: Any) -> AnyRow:
        """Make a row of a moment.

        Its cells are these `cells`, its place and its side; each other cell is a field of its fact.
        """
        fact: Any = moment.fact
        cells_by_name = self._place | {"line": moment.line, "at_ms": fact.at_ms}
        if isinstance(fact, facts.FactOfTurn | facts.FactOfSeat):
            cells_by_name["bot"] = self._entrants[fact.seat - 1]
            cells_by_name["opponent"] = self._entrants[2 - fact.seat]
        cells_by_name |= cells
        row: dict[str, Any] = {}
        for name in kind.__struct_fields__:
            cell = cells_by_name.get(name, UNSET)
            if cell is UNSET:
                cell = getattr(fact, name, None)
            if cell is UNSET:
                cell = None
            row[name] = cell
        return kind(**row)

    def _position(self, position: Any) -> rows.Position | None:
        if not self._has_positions:
            return None
        return self._rules.to_plain(position)

    def match_row(self, settled: FixtureSettled | None) -> rows.MatchRow:
        """Return the row of the match, as far as it is played."""
        opened = self._attempt.opened
        end = self._attempt.end
        try:
            fixture = parse_fixture(opened.match)
        except TournamentError as error:
            raise RecordError(self._attempt.where, error.said) from error
        state: rows.State = "open"
        ended_ms = winner = decision = void_reason = None
        if end is not None:
            state = "over"
            ended_ms = end.at_ms
        if isinstance(end, facts.MatchVoided):
            state = "void"
            void_reason = end.reason
        if settled is not None and settled.attempt == opened.attempt:
            winner = settled.winner
            decision = settled.decision
        score = self._score()
        return rows.MatchRow(
            **self._place,
            line=line_number(self._attempt.where),
            at_ms=opened.at_ms,
            round=fixture.round,
            form=opened.terms.form,
            games=opened.terms.games,
            seat_1=self._entrants[0],
            seat_2=self._entrants[1],
            name_1=opened.shown[0],
            name_2=opened.shown[1],
            state=state,
            annulled=self._is_annulled,
            ended_ms=ended_ms,
            score_1=score[0],
            score_2=score[1],
            winner=winner,
            decision=decision,
            void_reason=void_reason,
        )

    def _score(self) -> facts.Pair:
        """Return the score after the last game that is over."""
        for _, fact in reversed(self._attempt.facts):
            if isinstance(fact, facts.GameEnded | facts.MatchEnded):
                return fact.score
        return (0, 0)

    def of(self, moment: Moment) -> rows.Row | None:
        """Return the row of a moment; None if it has no row."""
        match moment.fact:
            case facts.TurnPlayed() | facts.DrawAgreed() | facts.FlagFell() as fact:
                return self._turn_row(moment, fact)
            case facts.TurnRejected() as fact:
                return self._row(
                    rows.RejectionRow,
                    moment,
                    message=fact.said,
                    lag_ms=fact.lag_ms or 0,
                    position=self._position(moment.before),
                )
            case facts.GameEnded() as fact:
                return self._game_row(moment, fact)
            case facts.BotLeft() | facts.BotMissing() | facts.BotReturned() as fact:
                return self._row(rows.AbsenceRow, moment, event=event_of(fact))
            case facts.BotReady(entrant=bot):
                return self._row(
                    rows.BotRow,
                    moment,
                    bot=bot.name,
                    name=self._names[bot.name],
                    version=bot.version,
                    fingerprint=bot.fingerprint,
                    kind=bot.kind or "",
                )
            case _:
                return None

    def _turn_row(
        self, moment: Moment, fact: facts.TurnPlayed | facts.DrawAgreed | facts.FlagFell
    ) -> rows.TurnRow:
        """Return the row of a turn; without positions some cells are empty."""
        dice: Sequence[int] = []
        lag_ms = 0
        is_draw_offered = False
        notation = hits = strikes = after = None
        if not isinstance(fact, facts.DrawAgreed):
            dice = fact.dice
        if not isinstance(fact, facts.FlagFell):
            lag_ms = fact.lag_ms or 0
        if isinstance(fact, facts.TurnPlayed):
            is_draw_offered = fact.draw_offered is True
            if self._has_positions:
                notation = self._rules.format_turn(fact.moves, moment.before, moment.ending)
                hits, strikes = self._rules.count_hits(moment.before, fact.moves)
                after = self._position(self._rules.flip(moment.after))
        return self._row(
            rows.TurnRow,
            moment,
            event=event_of(fact),
            called=moment.called,
            dice=dice,
            notation=notation,
            hits=hits,
            strikes=strikes,
            lag_ms=lag_ms,
            draw_offered=is_draw_offered,
            position=self._position(moment.before),
            position_after=after,
        )

    def _game_row(self, moment: Moment, fact: facts.GameEnded) -> rows.GameRow:
        """Return the row of a game that ended."""
        first, second = self._entrants
        score_1, score_2 = fact.score
        starter = duration_ms = None
        started = moment.started
        if started is not None:
            starter = self._entrants[started.starter - 1]
            duration_ms = fact.at_ms - started.at_ms
        return self._row(
            rows.GameRow,
            moment,
            **result_cells(fact.result, self._entrants),
            annulled=self._is_annulled,
            seat_1=first,
            seat_2=second,
            starter=starter,
            duration_ms=duration_ms,
            score_1=score_1,
            score_2=score_2,
        )

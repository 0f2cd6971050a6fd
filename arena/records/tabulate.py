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
from arena.records.files import TOURNAMENT_RECORD, Files, match_records
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
    """Names on screens by id; raises `RecordError`, or `TournamentError` for names of nobody."""
    names: dict[str, str] = {}
    for fact in _tournament_in(files):
        if isinstance(fact, TournamentOpened | EntrantsAdded):
            names |= names_of(fact)
    for record in match_records(files) if not names else ():
        for attempt in read_attempts(record, whole_lines(files[record])):
            names |= zip(attempt.opened.entrants, attempt.opened.shown, strict=True)
    return names


def tournament_name(files: Files) -> str:
    """Return the name of the tournament; empty for a record by itself. Raises `RecordError`."""
    return next(
        (fact.name for fact in _tournament_in(files) if isinstance(fact, TournamentOpened)), ""
    )


def first_rules(files: Files) -> Game[Any] | None:
    """The rules of the first recorded match, which are those of all; None without a match.

    Raises `RecordError`.
    """
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name])):
            return rules_on_record(attempt.opened.ruleset, attempt.where)
    return None


def rows_of_run(
    files: Files, *, tables: Container[str], with_positions: bool
) -> Iterator[rows.Row]:
    """The rows of some tables of a whole run, match by match, in the order of its lines.

    Incomplete last lines are left out. Positions and what follows from them (`FOLLOWED`) are
    computed only on request: that takes as long as everything else. Raises `RecordError` at the
    first record that cannot be read, or recorded turn that is not legal.
    """
    settled = {
        fact.fixture: fact for fact in _tournament_in(files) if isinstance(fact, FixtureSettled)
    }
    annulled = annulled_in(files)
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name])):
            book = Timeline.of(attempt, has_boards=with_positions)
            is_annulled = attempt.opened.match in annulled
            told = _Rows(
                name, attempt, book.rules, is_annulled=is_annulled, with_positions=with_positions
            )
            if "matches" in tables:
                yield told.match_row(settled.get(attempt.opened.match))
            for moment in book.tell(attempt.facts):
                row = told.of(moment)
                if row is not None and rows.TABLE_OF[type(row)] in tables:
                    yield row


def annulled_in(files: Files) -> frozenset[str]:
    """The fixtures of a run that count for nobody because an entrant withdrew (M5); raises `RecordError`."""
    facts = _tournament_in(files)
    if not any(isinstance(fact, EntrantWithdrawn) for fact in facts):
        return frozenset()
    state = state_of(opened_in(facts), facts)
    return state.annulled(state.standings())


def result_cells(result: Result, entrants: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a `GameRow` that tell the result of a game."""
    seat = result.winner
    winner, loser = (None, None) if seat is None else (entrants[seat - 1], entrants[2 - seat])
    return asdict(result) | {"winner": winner, "loser": loser}


def _tournament_in(files: Files) -> list[TournamentFact]:
    data = whole_lines(files.get(TOURNAMENT_RECORD, b""))
    return [fact for _, fact in read_tournament(TOURNAMENT_RECORD, data)]


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

    def _row(self, kind: type[AnyRow], moment: Moment, **cells: Any) -> AnyRow:
        """Make a row of a moment from these cells, its place and its side; every other cell is a field of its fact."""
        fact: Any = moment.fact
        known = self._place | {"line": moment.line, "at_ms": fact.at_ms}
        if isinstance(fact, facts.FactOfTurn | facts.FactOfSeat):
            known |= {
                "bot": self._entrants[fact.seat - 1],
                "opponent": self._entrants[2 - fact.seat],
            }
        known |= cells
        found: dict[str, Any] = {}
        for name in kind.__struct_fields__:
            cell = known[name] if name in known else getattr(fact, name, None)
            found[name] = None if cell is UNSET else cell
        return kind(**found)

    def _position(self, position: Any) -> rows.Position | None:
        return self._rules.to_plain(position) if self._has_positions else None

    def match_row(self, settled: FixtureSettled | None) -> rows.MatchRow:
        """The row of the match, as far as it is played."""
        opened, end = self._attempt.opened, self._attempt.end
        if settled is not None and settled.attempt != opened.attempt:
            settled = None
        try:
            fixture = parse_fixture(opened.match)
        except TournamentError as error:
            raise RecordError(self._attempt.where, error.said) from error
        scores = [
            fact.score
            for _, fact in self._attempt.facts
            if isinstance(fact, facts.GameEnded | facts.MatchEnded)
        ]
        score: facts.Pair = scores[-1] if scores else (0, 0)
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
            state="open"
            if end is None
            else "void"
            if isinstance(end, facts.MatchVoided)
            else "over",
            annulled=self._is_annulled,
            ended_ms=None if end is None else end.at_ms,
            score_1=score[0],
            score_2=score[1],
            winner=None if settled is None else settled.winner,
            decision=None if settled is None else settled.decision,
            void_reason=end.reason if isinstance(end, facts.MatchVoided) else None,
        )

    def of(self, moment: Moment) -> rows.Row | None:
        """The row of a moment; None where nothing is told of it by itself."""
        match moment.fact:
            case facts.TurnPlayed() | facts.DrawAgreed() | facts.FlagFell() as fact:
                return self._turn_row(moment, fact)
            case facts.TurnRejected() as fact:
                position, lag_ms = self._position(moment.before), fact.lag_ms or 0
                return self._row(
                    rows.RejectionRow, moment, message=fact.said, lag_ms=lag_ms, position=position
                )
            case facts.GameEnded() as fact:
                return self._game_row(moment, fact)
            case facts.BotLeft() | facts.BotMissing() | facts.BotReturned() as fact:
                return self._row(rows.AbsenceRow, moment, event=event_of(fact))
            case facts.BotReady(entrant=bot):
                known = {
                    "name": self._names[bot.name],
                    "version": bot.version,
                    "fingerprint": bot.fingerprint,
                }
                return self._row(rows.BotRow, moment, bot=bot.name, **known)
            case _:
                return None

    def _turn_row(
        self, moment: Moment, fact: facts.TurnPlayed | facts.DrawAgreed | facts.FlagFell
    ) -> rows.TurnRow:
        notation = hits = strikes = after = None
        if isinstance(fact, facts.TurnPlayed) and self._has_positions:
            notation = self._rules.format_turn(fact.moves, moment.before, moment.ending)
            hits, strikes = self._rules.count_hits(moment.before, fact.moves)
            after = self._position(self._rules.flip(moment.after))
        return self._row(
            rows.TurnRow,
            moment,
            event=event_of(fact),
            called=moment.called,
            dice=[] if isinstance(fact, facts.DrawAgreed) else fact.dice,
            notation=notation,
            hits=hits,
            strikes=strikes,
            lag_ms=0 if isinstance(fact, facts.FlagFell) else fact.lag_ms or 0,
            draw_offered=isinstance(fact, facts.TurnPlayed) and fact.draw_offered is True,
            position=self._position(moment.before),
            position_after=after,
        )

    def _game_row(self, moment: Moment, fact: facts.GameEnded) -> rows.GameRow:
        started, names = moment.started, self._entrants
        return self._row(
            rows.GameRow,
            moment,
            **result_cells(fact.result, names),
            annulled=self._is_annulled,
            seat_1=names[0],
            seat_2=names[1],
            starter=None if started is None else names[started.starter - 1],
            duration_ms=None if started is None else fact.at_ms - started.at_ms,
            score_1=fact.score[0],
            score_2=fact.score[1],
        )

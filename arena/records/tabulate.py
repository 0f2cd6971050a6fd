"""From records to rows: match by match, so that only one record is in memory."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from msgspec import UnsetType

from arena.games import Game
from arena.games.result import Result, Seat
from arena.matches import facts
from arena.records.facts import EntrantsAdded, FixtureSettled, TournamentOpened
from arena.records.files import TOURNAMENT_RECORD, match_records
from arena.records.lines import (
    Attempt,
    RecordError,
    event_of,
    read_attempts,
    read_tournament,
    rules_on_record,
    whole_lines,
)
from arena.records.rows import AbsenceRow, BotRow, GameRow, MatchRow, Position, RejectionRow, Row, TurnRow
from arena.records.state import names_of
from arena.records.timeline import Moment, Timeline
from arena.tournaments import TournamentError
from arena.tournaments.schedule import parse_fixture

Settled = Mapping[str, FixtureSettled]
"""The settled fixtures of the tournament record."""


def settled_in(files: Mapping[str, bytes]) -> Settled:
    """Every settled fixture of a run, if `files` has a tournament record. Raises `RecordError`."""
    facts = read_tournament(TOURNAMENT_RECORD, whole_lines(files.get(TOURNAMENT_RECORD, b"")))
    return {fact.fixture: fact for _, fact in facts if isinstance(fact, FixtureSettled)}


def names_in(files: Mapping[str, bytes]) -> dict[str, str]:
    """What every entrant is called on screens, by id; of a match record by itself those two.

    Raises `RecordError`, or `TournamentError` for names of nobody.
    """
    names: dict[str, str] = {}
    for _, fact in read_tournament(TOURNAMENT_RECORD, whole_lines(files.get(TOURNAMENT_RECORD, b""))):
        if isinstance(fact, TournamentOpened | EntrantsAdded):
            names |= names_of(fact)
    for record in match_records(files) if not names else ():
        for attempt in read_attempts(record, whole_lines(files[record])):
            names |= zip(attempt.opened.entrants, attempt.opened.shown, strict=True)
    return names


def first_rules(files: Mapping[str, bytes]) -> Game[Any] | None:
    """The rules of the first recorded match, which are those of all; None without a match. Raises `RecordError`."""
    for name in match_records(files):
        for attempt in read_attempts(name, whole_lines(files[name])):
            return rules_on_record(attempt.opened.ruleset, attempt.where)
    return None


def rows_of_run(files: Mapping[str, bytes], *, tables: Container[str], with_positions: bool) -> Iterator[Row]:
    """The rows of some tables of a whole run, match by match; raises `RecordError` at the first broken record."""
    settled = settled_in(files)
    for name in match_records(files):
        yield from rows_of_record(name, files[name], settled, tables=tables, with_positions=with_positions)


def rows_of_record(
    name: str, data: bytes, settled: Settled, *, tables: Container[str], with_positions: bool
) -> Iterator[Row]:
    """The rows of some tables of one match record, in the order of its lines; an incomplete last line is left out.

    Positions and what follows from them (`FOLLOWED`) are computed only on request: that takes as long as everything
    else. Raises `RecordError` if the record cannot be read, or a recorded turn is not legal.
    """
    for attempt in read_attempts(name, whole_lines(data)):
        book = Timeline.of(attempt, has_boards=with_positions)
        rows = _Rows(name, attempt, book.rules, with_positions=with_positions)
        if "matches" in tables:
            yield rows.match_row(settled.get(attempt.opened.match))
        for moment in book.tell(attempt.facts):
            found = rows.of(moment)
            if found is not None and found[0] in tables:
                yield found[1]


def result_cells(result: Result, entrants: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a `GameRow` that tell the result of a game."""
    winner = result.winner
    return {
        "winner": None if winner is None else entrants[winner - 1],
        "loser": None if winner is None else entrants[2 - winner],
        "ending": result.ending,
        "clause": result.clause,
        "monk": result.monk,
        "rank": result.rank,
        "points": result.points,
        "cause": result.cause,
    }


class _Rows:
    """Makes the rows of one attempt."""

    def __init__(self, name: str, attempt: Attempt, rules: Game[Any], *, with_positions: bool) -> None:
        opened = attempt.opened
        self._rules = rules
        self._attempt = attempt
        self._entrants = opened.entrants
        self._names = dict(zip(opened.entrants, opened.shown, strict=True))
        self._has_positions = with_positions
        self._place = {
            "file": name,
            "match": opened.match,
            "attempt": opened.attempt,
            "ruleset": opened.ruleset["name"],
        }

    def _at(self, moment: Moment) -> dict[str, Any]:
        return {**self._place, "line": moment.line, "at_ms": moment.fact.at_ms}

    def _sides(self, seat: Seat) -> dict[str, Any]:
        return {"seat": seat, "bot": self._entrants[seat - 1], "opponent": self._entrants[2 - seat]}

    def _position(self, position: Any) -> Position | None:
        return self._rules.to_plain(position) if self._has_positions else None

    def match_row(self, settled: FixtureSettled | None) -> MatchRow:
        """The row of the match, as far as it is played."""
        opened, end = self._attempt.opened, self._attempt.end
        if settled is not None and settled.attempt != opened.attempt:
            settled = None
        try:
            fixture = parse_fixture(opened.match)
        except TournamentError as error:
            raise RecordError(self._attempt.where, str(error)) from error
        scores = [fact.score for _, fact in self._attempt.facts if isinstance(fact, facts.GameEnded | facts.MatchEnded)]
        score: facts.Pair = scores[-1] if scores else (0, 0)
        return MatchRow(
            **self._place,
            line=int(self._attempt.where.rpartition(":")[2]),
            at_ms=opened.at_ms,
            round=fixture.round,
            form=opened.terms.form,
            games=opened.terms.games,
            seat_1=self._entrants[0],
            seat_2=self._entrants[1],
            name_1=opened.shown[0],
            name_2=opened.shown[1],
            state="open" if end is None else "void" if isinstance(end, facts.MatchVoided) else "over",
            ended_ms=None if end is None else end.at_ms,
            score_1=score[0],
            score_2=score[1],
            winner=None if settled is None else settled.winner,
            decision=None if settled is None else settled.decision,
            void_reason=end.reason if isinstance(end, facts.MatchVoided) else None,
        )

    def of(self, moment: Moment) -> tuple[str, Row] | None:
        """The row of a moment and the table it belongs to; None where nothing is told of it by itself."""
        match moment.fact:
            case facts.TurnPlayed() | facts.DrawAgreed() | facts.FlagFell() as fact:
                return "turns", self._turn_row(moment, fact)
            case facts.TurnRejected() as fact:
                return "rejections", self._rejection_row(moment, fact)
            case facts.GameEnded() as fact:
                return "games", self._game_row(moment, fact)
            case facts.BotLeft() | facts.BotMissing() | facts.BotReturned() as fact:
                return "absences", self._absence_row(moment, fact)
            case facts.BotReady() as fact:
                return "bots", BotRow(
                    **self._at(moment),
                    seat=fact.seat,
                    bot=fact.entrant.name,
                    name=self._names[fact.entrant.name],
                    version=fact.entrant.version,
                    fingerprint=fact.entrant.fingerprint,
                )
            case _:
                return None

    def _turn_row(self, moment: Moment, fact: facts.TurnPlayed | facts.DrawAgreed | facts.FlagFell) -> TurnRow:
        played = fact if isinstance(fact, facts.TurnPlayed) else None
        notation = hits = strikes = None
        if played is not None and self._has_positions:
            notation = self._rules.format_turn(played.moves, moment.before, moment.ending)
            hits, strikes = self._rules.count_hits(moment.before, played.moves)
        after = None if moment.after is None else self._position(self._rules.flip(moment.after))
        return TurnRow(
            **self._at(moment),
            game=fact.game,
            turn=fact.turn,
            **self._sides(fact.seat),
            event=event_of(fact),
            called=moment.called,
            dice=[] if isinstance(fact, facts.DrawAgreed) else list(fact.dice),
            moves=None if played is None else list(played.moves),
            notation=notation,
            hits=hits,
            strikes=strikes,
            spent_ms=fact.spent_ms,
            left_ms=None if isinstance(fact, facts.FlagFell) else fact.left_ms,
            lag_ms=0 if isinstance(fact, facts.FlagFell) else fact.lag_ms or 0,
            draw_offered=played is not None and played.draw_offered is True,
            info=None if isinstance(fact, facts.FlagFell) else fact.info,
            position=self._position(moment.before),
            position_after=after,
        )

    def _rejection_row(self, moment: Moment, fact: facts.TurnRejected) -> RejectionRow:
        return RejectionRow(
            **self._at(moment),
            game=fact.game,
            turn=fact.turn,
            **self._sides(fact.seat),
            dice=list(fact.dice),
            moves=fact.moves,
            code=fact.code,
            clause=fact.clause,
            message=fact.said,
            spent_ms=fact.spent_ms,
            lag_ms=fact.lag_ms or 0,
            legal_turns=fact.legal_turns,
            left=fact.left,
            draw=None if isinstance(fact.draw, UnsetType) else fact.draw,
            call=None if isinstance(fact.call, UnsetType) else fact.call,
            choice=None if isinstance(fact.choice, UnsetType) else fact.choice,
            position=self._position(moment.before),
        )

    def _game_row(self, moment: Moment, fact: facts.GameEnded) -> GameRow:
        started, names = moment.started, self._entrants
        return GameRow(
            **self._at(moment),
            game=fact.game,
            seat_1=names[0],
            seat_2=names[1],
            starter=None if started is None else names[started.starter - 1],
            **result_cells(fact.result, names),
            turns=fact.turns,
            duration_ms=None if started is None else fact.at_ms - started.at_ms,
            score_1=fact.score[0],
            score_2=fact.score[1],
        )

    def _absence_row(self, moment: Moment, fact: facts.BotLeft | facts.BotMissing | facts.BotReturned) -> AbsenceRow:
        return AbsenceRow(
            **self._at(moment),
            **self._sides(fact.seat),
            event=event_of(fact),
            reason=None if isinstance(fact, facts.BotReturned) else fact.reason,
            grace_ms=fact.grace_ms if isinstance(fact, facts.BotLeft) else None,
        )

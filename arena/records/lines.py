"""The lines of records: a fact as one JSON object in exactly one form, so that bytes can be compared, and back.

A match record is read as its attempts.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar, get_args

import msgspec

from arena.games import Game, GameError, game_of_record
from arena.games.result import Result
from arena.matches.facts import (
    FactOfTurn,
    GameEnded,
    GameStarted,
    MatchEnded,
    MatchFact,
    MatchOpened,
    MatchVoided,
)
from arena.nearest import meant
from arena.records.facts import (
    DiceRevealed,
    MatchLine,
    RecordClosed,
    TournamentFact,
    TournamentOpened,
)
from arena.records.files import TOURNAMENT_RECORD
from arena.records.json_reasons import json_reason
from arena.tournaments import TournamentError
from arena.tournaments.formats import format_named
from arena.words import Said, SaidError, joined, quoted, say

LONGEST_NAME: Final = 60
"""Characters that are shown of a name that is not known."""

UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not the JSON it wants: no JSON, no UTF-8, too deep."""

T = TypeVar("T")


class RecordError(SaidError):
    """A record is wrong: says where, what was found and what was expected."""

    def __init__(self, where: str, problem: Said | str) -> None:
        """A problem that is text is English in every language: only `arena verify` finds it."""
        self.where = where
        self.problem = quoted(problem)
        super().__init__(Said("record.at", {"where": where, "problem": self.problem}))

    @property
    def message(self) -> str:
        """What is wrong there, in English."""
        return say(self.problem)


encode_line: Callable[[msgspec.Struct], bytes] = msgspec.json.Encoder().encode
"""One fact as JSON without the newline; fields in the order of the schema."""


def event_of(fact: msgspec.Struct) -> str:
    """The value of `event` in a line of this fact."""
    return str(type(fact).__struct_config__.tag)


def line_number(where: str) -> int:
    """Return the number of the line at a place: 17 in `matches/r1-anna-v-bo.jsonl:17`."""
    return int(where.rpartition(":")[2])


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def closing_line(before: bytes) -> bytes:
    """The closing line for a file whose bytes so far are `before`."""
    return encode_line(RecordClosed(sha256=digest_of(before)))


class LineReader(Generic[T]):
    """Reads the lines of one kind of record, strictly."""

    def __init__(self, kind: Any) -> None:
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(kind)
        self._kinds = {str(one.__struct_config__.tag): one for one in get_args(kind)}

    def read(self, name: str, data: bytes) -> Iterator[tuple[str, T]]:
        """Every fact of a file with its place.

        Raises `RecordError` at the first line that is cut short, unreadable or not in the canonical
        form, or is a closing line that does not match the bytes before it.
        """
        start = 0
        for number, line in enumerate(data.split(b"\n"), start=1):
            where = f"{name}:{number}"
            if start + len(line) == len(data):
                if line:
                    raise RecordError(where, Said("record.incomplete"))
                return
            fact = self.read_line(where, line)
            if isinstance(fact, RecordClosed) and closing_line(data[:start]) != line:
                raise RecordError(where, Said("record.closing"))
            yield where, fact
            start += len(line) + 1

    def read_line(self, where: str, line: bytes) -> T:
        """One fact; raises `RecordError`."""
        try:
            fact = self._decoder.decode(line)
        except UNREADABLE as error:
            reason = self._unknown(line) or Said("record.not_a_line", {"error": json_reason(error)})
            raise RecordError(where, reason) from error
        if encode_line(fact) != line:  # type: ignore[arg-type]  # every kind of line is a struct
            raise RecordError(where, Said("record.not_canonical"))
        if (b"\\" in line or not line.isascii()) and not _is_printable(msgspec.to_builtins(fact)):
            raise RecordError(where, Said("record.control_character"))
        return fact

    def _unknown(self, line: bytes) -> Said | None:
        """Return what is unknown in a line of another version, and what is known; None if nothing is."""
        try:
            fields = msgspec.json.decode(line, type=dict[str, Any])
        except UNREADABLE:
            return None
        event = fields.get("event")
        if not isinstance(event, str):
            return None
        event = event[:LONGEST_NAME]
        if event not in self._kinds:
            values = {
                "event": repr(event),
                "known": ", ".join(self._kinds),
                "meant": meant(event, self._kinds),
            }
            return Said("record.unknown_event", values)
        known = {field.name: field.default for field in msgspec.structs.fields(self._kinds[event])}
        for name, code in (("v", "record.unknown_version"), ("format", "record.unknown_format")):
            if name in known and fields.get(name) != known[name]:
                found = repr(str(fields.get(name))[:LONGEST_NAME])
                return Said(code, {"found": found, "known": repr(known[name])})
        if isinstance(schedule := fields.get("schedule"), dict):
            try:
                format_named(schedule.get("name"))
            except TournamentError as error:
                return joined(error.problems)
        return None


def _is_printable(value: object) -> bool:
    """True if no text in a line could steer a terminal; `moves` and `info` are data of bots, and shown as such."""
    if isinstance(value, dict):
        return all(
            _is_printable(one) for name, one in value.items() if name not in ("moves", "info")
        )
    if isinstance(value, list | tuple):
        return all(map(_is_printable, value))
    return not isinstance(value, str) or value.isprintable()


match_lines: LineReader[MatchLine] = LineReader(MatchLine)
tournament_lines: LineReader[TournamentFact] = LineReader(TournamentFact)


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One attempt at a fixture: every fact after its header, with its place in the file."""

    opened: MatchOpened
    where: str = ""
    """The place of its header, in the form used for every fact: `matches/r2-anna-v-bo.jsonl:1`."""
    facts: list[tuple[str, MatchFact]] = field(default_factory=list)
    seed: bytes | None = None
    is_closed: bool = False
    size_bytes: int = 0
    """Length of the file up to the end of this attempt."""
    sha256: str = ""
    """Of the file up to there, in hexadecimal; empty until the attempt is closed."""

    @property
    def ended(self) -> list[GameEnded]:
        """The games that are over, in the order of their numbers; the second half of a pair may end first."""
        ended = [fact for _, fact in self.facts if isinstance(fact, GameEnded)]
        return sorted(ended, key=lambda fact: fact.game)

    @property
    def games(self) -> list[Result]:
        """Results of its games."""
        return [fact.result for fact in self.ended]

    @property
    def end(self) -> MatchEnded | MatchVoided | None:
        """Fact that ended the match, if it has ended."""
        ends = [fact for _, fact in self.facts if isinstance(fact, MatchEnded | MatchVoided)]
        return ends[-1] if ends else None


def rules_on_record(ruleset: Mapping[str, Any], where: str) -> Game[Any]:
    """The game of a recorded ruleset; raises `RecordError` at `where` if it does not match its hash."""
    try:
        return _game_of(msgspec.json.encode(ruleset))
    except GameError as error:
        raise RecordError(where, Said("record.ruleset", {"problem": error.said})) from error


@lru_cache(maxsize=8)
def _game_of(ruleset: bytes) -> Game[Any]:
    """Make a game of a recorded ruleset, given as JSON: all matches of a run share one."""
    return game_of_record(msgspec.json.decode(ruleset))


def read_attempts(name: str, data: bytes) -> list[Attempt]:
    """Every attempt in a match record of whole lines; raises `RecordError` if the file is not one."""
    attempts: list[Attempt] = []
    playing: set[int] = set()
    """The open games of the last attempt."""
    size = 0
    for (where, fact), line in zip(match_lines.read(name, data), data.split(b"\n"), strict=False):
        size += len(line) + 1
        last = attempts[-1] if attempts else None
        if isinstance(fact, MatchOpened):
            if last and not last.is_closed:
                raise RecordError(where, Said("record.new_attempt"))
            last = Attempt(opened=fact, where=where)
            attempts.append(last)
            playing.clear()
        elif last is None:
            raise RecordError(where, Said("record.no_match_opened"))
        elif last.is_closed:
            raise RecordError(where, Said("record.after_closing"))
        elif isinstance(fact, RecordClosed):
            last.is_closed = True
            last.sha256 = digest_of(data[:size])
        elif isinstance(fact, DiceRevealed):
            if last.end is None or last.seed is not None or fact.attempt != last.opened.attempt:
                raise RecordError(where, Said("record.revealed_once"))
            last.seed = bytes.fromhex(fact.dice_seed)
        elif last.seed is not None:
            raise RecordError(where, Said("record.after_seed"))
        else:
            _follow(playing, fact, where)
            last.facts.append((where, fact))
        last.size_bytes = size
    return attempts


def read_as_far_as_possible(name: str, data: bytes) -> tuple[list[Attempt], str]:
    """The attempts in the lines before the first one that is wrong, and what is wrong there; empty if nothing is.

    For what is said of a record with a warning; raises `RecordError` if not even its first line can
    be read.
    """
    data, broken = whole_lines(data), ""
    try:
        attempts = read_attempts(name, data)
    except RecordError as error:
        line = error.where.rpartition(":")[2]
        before = data.split(b"\n")[: int(line) - 1] if line.isdecimal() else []
        if not before:
            raise
        attempts, broken = read_attempts(name, b"\n".join([*before, b""])), str(error)
    if not attempts:
        raise RecordError(name, Said("record.no_match"))
    return attempts, broken


def _follow(playing: set[int], fact: MatchFact, where: str) -> None:
    """Update which games are open; a turn of any other game is an error, so that no reader has to expect one."""
    match fact:
        case FactOfTurn():
            if fact.game not in playing:
                raise not_open(where, fact.game)
        case GameStarted():
            playing.add(fact.game)
        case GameEnded():
            playing.discard(fact.game)  # those that are forfeited with the match never began


def not_open(where: str, game: int) -> RecordError:
    """Make the error for a turn of a game that is not open."""
    return RecordError(where, Said("record.not_open", {"game": game}))


def read_tournament(name: str, data: bytes) -> list[tuple[str, TournamentFact]]:
    """Every fact of a tournament record with its place; raises `RecordError`."""
    return list(tournament_lines.read(name, data))


def opened_in(facts: Sequence[TournamentFact]) -> TournamentOpened:
    """Return the first line of a tournament record; raises `RecordError` if it has none, or another one."""
    if not facts or not isinstance(facts[0], TournamentOpened):
        raise RecordError(f"{TOURNAMENT_RECORD}:1", Said("record.no_tournament_opened"))
    return facts[0]


def whole_lines(data: bytes) -> bytes:
    """A record without a last line that was cut short when its writer was stopped."""
    return data[: data.rfind(b"\n") + 1]

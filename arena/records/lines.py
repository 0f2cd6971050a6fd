"""The lines of records: a fact is one JSON object in exactly one form, so bytes can be compared.

A match record is read as its attempts.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar, get_args

import msgspec

from arena.games import (
    Game,
    GameError,
    game_of_record,
)
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
from arena.words import (
    Said,
    SaidError,
    joined,
    quoted,
    say,
)

LONGEST_NAME: Final = 60
"""Characters that are shown of a name that is not known."""

UNREADABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""The exceptions of msgspec for bytes that are not JSON, not UTF-8, too deep or of other types."""

T = TypeVar("T")


class RecordError(SaidError):
    """A record is wrong; tells the place, what was found there and what was expected."""

    def __init__(self, where: str, problem: Said | str) -> None:
        """Keep a problem; one that is text stays English, since only `arena verify` finds it."""
        self.where = where
        self.problem = quoted(problem)
        super().__init__(Said("record.at", {"where": where, "problem": self.problem}))

    @property
    def message(self) -> str:
        """The problem, in English."""
        return say(self.problem)


encode_line: Callable[[msgspec.Struct], bytes] = msgspec.json.Encoder().encode
"""One fact as JSON without the newline; fields in the order of the schema."""


def event_of(fact: msgspec.Struct) -> str:
    """Return the `event` in a line of this fact."""
    return str(type(fact).__struct_config__.tag)


def line_number(where: str) -> int:
    """Return the number of the line at a place: 17 in `matches/r1-anna-v-bo.jsonl:17`."""
    return int(where.rpartition(":")[2])


def digest_of(content: bytes) -> str:
    """Return the SHA-256 of bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def closing_line(earlier_lines: bytes) -> bytes:
    """Return the closing line for a file whose bytes so far are `before`."""
    return encode_line(RecordClosed(sha256=digest_of(earlier_lines)))


class LineReader(Generic[T]):
    """Reads the lines of one kind of record, strictly."""

    def __init__(self, kind: Any) -> None:
        self._decoder: msgspec.json.Decoder[T] = msgspec.json.Decoder(kind)
        self._facts = {str(fact.__struct_config__.tag): fact for fact in get_args(kind)}

    def read(self, name: str, record: bytes) -> Iterator[tuple[str, T]]:
        """Yield every fact of a file with its place.

        Raises `RecordError` at the first line that is cut short, unreadable or not in the canonical
        form, or is a closing line that does not match the bytes before it.
        """
        start = 0
        for number, line in enumerate(record.split(b"\n"), start=1):
            where = f"{name}:{number}"
            if start + len(line) == len(record):
                if line:
                    raise RecordError(where, Said("record.incomplete"))
                return
            fact = self.read_line(where, line)
            if isinstance(fact, RecordClosed) and closing_line(record[:start]) != line:
                raise RecordError(where, Said("record.closing"))
            yield where, fact
            start += len(line) + 1

    def read_line(self, where: str, line: bytes) -> T:
        """Read one fact; raises `RecordError`."""
        try:
            fact = self._decoder.decode(line)
        except UNREADABLE as error:
            problem = self._unknown(line)
            if problem is None:
                problem = Said("record.not_a_line", {"error": json_reason(error)})
            raise RecordError(where, problem) from error
        if encode_line(fact) != line:  # type: ignore[arg-type]  # every kind of line is a struct
            raise RecordError(where, Said("record.not_canonical"))
        may_have_controls = b"\\" in line or not line.isascii()
        if may_have_controls and not _is_printable(msgspec.to_builtins(fact)):
            raise RecordError(where, Said("record.control_character"))
        return fact

    def _unknown(self, line: bytes) -> Said | None:
        """Say what is unknown in a line of another version; None if nothing is."""
        try:
            fields = msgspec.json.decode(line, type=dict[str, Any])
        except UNREADABLE:
            return None
        event = fields.get("event")
        if not isinstance(event, str):
            return None
        event = event[:LONGEST_NAME]
        if event not in self._facts:
            return Said(
                "record.unknown_event",
                {
                    "event": repr(event),
                    "known": ", ".join(self._facts),
                    "meant": meant(event, self._facts),
                },
            )
        for expected in msgspec.structs.fields(self._facts[event]):
            code = _CODES_OF_VERSIONS.get(expected.name)
            version = fields.get(expected.name)
            if code is not None and version != expected.default:
                shown = repr(str(version)[:LONGEST_NAME])
                return Said(
                    code,
                    {
                        "found": shown,
                        "known": repr(expected.default),
                    },
                )
        schedule = fields.get("schedule")
        if isinstance(schedule, dict):
            try:
                format_named(schedule.get("name"))
            except TournamentError as error:
                return joined(error.problems)
        return None


_CODES_OF_VERSIONS: Final = {
    "v": "record.unknown_version",
    "format": "record.unknown_format",
}
"""The fields of a line that tell its version, and the problem of another version."""


def _is_printable(field: object) -> bool:
    """Return whether no text in a field of a line could steer a terminal.

    `moves` and `info` are data of bots, and shown as such.
    """
    if isinstance(field, dict):
        for name, part in field.items():
            if name not in ("moves", "info") and not _is_printable(part):
                return False
        return True
    if isinstance(field, list | tuple):
        return all(map(_is_printable, field))
    return not isinstance(field, str) or field.isprintable()


match_lines: LineReader[MatchLine] = LineReader(MatchLine)
tournament_lines: LineReader[TournamentFact] = LineReader(TournamentFact)


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One attempt at a fixture: its facts after the header, each with its place in the file."""

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
        """The games that are over, in the order of their numbers.

        The second half of a pair may end first.
        """
        ended = [fact for _, fact in self.facts if isinstance(fact, GameEnded)]
        return sorted(ended, key=lambda fact: fact.game)

    @property
    def games(self) -> list[Result]:
        """Results of its games."""
        return [fact.result for fact in self.ended]

    @property
    def end(self) -> MatchEnded | MatchVoided | None:
        """Fact that ended the match, if it has ended."""
        for _, fact in reversed(self.facts):
            if isinstance(fact, MatchEnded | MatchVoided):
                return fact
        return None


def rules_on_record(ruleset: Mapping[str, Any], where: str) -> Game[Any]:
    """Return the game of a recorded ruleset.

    Raises `RecordError` at `where` if the ruleset does not match its hash.
    """
    try:
        return _game_of(msgspec.json.encode(ruleset))
    except GameError as error:
        problem = Said("record.ruleset", {"problem": error.said})
        raise RecordError(where, problem) from error


@lru_cache(maxsize=8)
def _game_of(ruleset: bytes) -> Game[Any]:
    """Make a game of a recorded ruleset, given as JSON: all matches of a run share one."""
    return game_of_record(msgspec.json.decode(ruleset))


def read_attempts(name: str, record: bytes) -> list[Attempt]:
    """Read every attempt in a match record of whole lines.

    Raises `RecordError` if the file is not a match record.
    """
    attempts: list[Attempt] = []
    open_games: set[int] = set()
    """The open games of the last attempt."""
    size = 0
    for (where, fact), line in zip(
        match_lines.read(name, record), record.split(b"\n"), strict=False
    ):
        size += len(line) + 1
        if isinstance(fact, MatchOpened):
            if attempts and not attempts[-1].is_closed:
                raise RecordError(where, Said("record.new_attempt"))
            attempts.append(Attempt(opened=fact, where=where))
            open_games.clear()
        elif not attempts:
            raise RecordError(where, Said("record.no_match_opened"))
        else:
            _add(
                attempts[-1],
                fact,
                where,
                open_games,
            )
        attempts[-1].size_bytes = size
        if isinstance(fact, RecordClosed):
            attempts[-1].sha256 = digest_of(record[:size])
    return attempts


def _add(
    attempt: Attempt,
    fact: MatchLine,
    where: str,
    open_games: set[int],
) -> None:
    """Add a line to an attempt; raises `RecordError` if it cannot follow the lines before it."""
    if attempt.is_closed:
        raise RecordError(where, Said("record.after_closing"))
    if isinstance(fact, RecordClosed):
        attempt.is_closed = True
    elif isinstance(fact, DiceRevealed):
        is_due = attempt.end is not None and attempt.seed is None
        if not is_due or fact.attempt != attempt.opened.attempt:
            raise RecordError(where, Said("record.revealed_once"))
        attempt.seed = bytes.fromhex(fact.dice_seed)
    elif attempt.seed is not None:
        raise RecordError(where, Said("record.after_seed"))
    else:
        _update_open_games(open_games, fact, where)
        attempt.facts.append((where, fact))


def read_as_far_as_possible(name: str, record: bytes) -> tuple[list[Attempt], str]:
    """Read the attempts in the lines before the first wrong one, and tell what is wrong there.

    The text is empty if all lines are right. For records that are shown with a warning. Raises
    `RecordError` if not even the first line can be read.
    """
    record = whole_lines(record)
    broken = ""
    try:
        attempts = read_attempts(name, record)
    except RecordError as error:
        number = error.where.rpartition(":")[2]
        if not number.isdecimal() or int(number) <= 1:
            raise
        earlier_lines = record.split(b"\n")[: int(number) - 1]
        attempts = read_attempts(name, b"\n".join([*earlier_lines, b""]))
        broken = str(error)
    if not attempts:
        raise RecordError(name, Said("record.no_match"))
    return attempts, broken


def _update_open_games(open_games: set[int], fact: MatchFact, where: str) -> None:
    """Update which games are open.

    Raises `RecordError` for a turn of a game that is not open, so no reader has to expect one.
    """
    match fact:
        case FactOfTurn():
            if fact.game not in open_games:
                raise not_open(where, fact.game)
        case GameStarted():
            open_games.add(fact.game)
        case GameEnded():
            open_games.discard(fact.game)  # a game that is forfeited with the match never began


def not_open(where: str, game: int) -> RecordError:
    """Make the error for a turn of a game that is not open."""
    return RecordError(where, Said("record.not_open", {"game": game}))


def read_tournament(name: str, record: bytes) -> list[tuple[str, TournamentFact]]:
    """Read every fact of a tournament record with its place; raises `RecordError`."""
    return list(tournament_lines.read(name, record))


def opened_in(facts: Sequence[TournamentFact]) -> TournamentOpened:
    """Return the first line of a tournament record; raises `RecordError` for any other record."""
    if not facts or not isinstance(facts[0], TournamentOpened):
        raise RecordError(f"{TOURNAMENT_RECORD}:1", Said("record.no_tournament_opened"))
    return facts[0]


def whole_lines(record: bytes) -> bytes:
    """Return a record without a last line that was cut short when its writer was stopped."""
    return record[: record.rfind(b"\n") + 1]

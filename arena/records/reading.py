"""A match record as a value: its attempts, and their facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
from arena.records.facts import DiceRevealed, RecordClosed, TournamentFact
from arena.records.lines import RecordError, match_lines, tournament_lines


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
        return game_of_record(ruleset)
    except GameError as error:
        raise RecordError(where, f"the ruleset cannot be used: {error}") from error


def read_attempts(name: str, data: bytes) -> list[Attempt]:
    """Every attempt in a match record; raises `RecordError` if the file is not one.

    A last line that was cut short is an error here; `whole_lines` removes it.
    """
    attempts: list[Attempt] = []
    playing: set[int] = set()
    """The open games of the last attempt."""
    size = 0
    for (number, fact), line in zip(match_lines.read(name, data), data.split(b"\n"), strict=False):
        where = f"{name}:{number}"
        size += len(line) + 1
        if isinstance(fact, MatchOpened):
            if attempts and not attempts[-1].is_closed:
                raise RecordError(where, "a new attempt begins before the one before it was closed")
            attempts.append(Attempt(opened=fact, where=where))
            playing.clear()
        elif not attempts:
            raise RecordError(where, "a match record begins with match_opened")
        elif attempts[-1].is_closed:
            raise RecordError(where, "only a new attempt may follow a closing line")
        if isinstance(fact, MatchOpened):
            pass  # the header of the attempt just begun
        elif isinstance(fact, RecordClosed):
            attempts[-1].is_closed = True
        elif isinstance(fact, DiceRevealed):
            attempt = attempts[-1]
            if attempt.end is None or attempt.seed is not None or fact.attempt != attempt.opened.attempt:
                raise RecordError(where, "the dice of an attempt are revealed once, when its match is over")
            attempts[-1].seed = bytes.fromhex(fact.dice_seed)
        elif attempts[-1].seed is not None:
            raise RecordError(where, "only the closing line may follow the seed")
        else:
            _follow(playing, fact, where)
            attempts[-1].facts.append((where, fact))
        attempts[-1].size_bytes = size
    return attempts


def read_as_far_as_possible(name: str, data: bytes) -> tuple[list[Attempt], str]:
    """The attempts in the lines before the first one that is wrong, and what is wrong there; empty if nothing is.

    For what is said of a record with a warning; raises `RecordError` if not even its first line can be read.
    """
    data, broken = whole_lines(data), ""
    while True:
        try:
            attempts = read_attempts(name, data)
        except RecordError as error:
            line = error.where.rpartition(":")[2]
            before = data.split(b"\n")[: int(line) - 1] if line.isdecimal() else []
            if not before:
                raise
            broken, data = str(error), b"\n".join([*before, b""])
            continue
        if not attempts:
            raise RecordError(name, "no match has begun in it")
        return attempts, broken


def _follow(playing: set[int], fact: MatchFact, where: str) -> None:
    """Update which games are open; a turn of any other game is an error, so that no reader has to expect one."""
    match fact:
        case GameStarted():
            playing.add(fact.game)
        case GameEnded():
            playing.discard(fact.game)  # those that are forfeited with the match never began
        case FactOfTurn() if fact.game not in playing:
            raise not_open(where, fact.game)


def not_open(where: str, game: int) -> RecordError:
    """Make the error for a turn of a game that is not open."""
    return RecordError(where, f"game {game} is not open here: it has not begun, or is over")


def read_tournament(name: str, data: bytes) -> list[tuple[str, TournamentFact]]:
    """Every fact of a tournament record with its place; raises `RecordError`."""
    return [(f"{name}:{number}", fact) for number, fact in tournament_lines.read(name, data)]


def whole_lines(data: bytes) -> bytes:
    """A record without a last line that was cut short when its writer was stopped."""
    return data[: data.rfind(b"\n") + 1]

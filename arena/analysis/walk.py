"""What an attempt at a match holds to judge: its rolls, turns and calls for dice, each with the position before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.games import Illegal
from arena.games.interface import Dice, Ending, Legal
from arena.games.result import Seat
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from arena.matches.facts import DiceCalled, TurnPlayed
from arena.matches.state import GameState
from arena.records.lines import RecordError
from arena.records.reading import Attempt
from arena.records.replay import Replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A moment of a game in which somebody is to play."""

    line: int
    """Of the record: for a roll the line after which it was rolled."""
    at_ms: int
    game: int
    turn: int
    seat: Seat
    position: Position
    """Before the roll, from the view of the side to move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called(Moment):
    """A call for dice (B11.3)."""

    choices: tuple[int, ...]
    dice: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Played(Moment):
    """A turn that was played."""

    text: str
    """The moves for people."""
    state: int
    """The position after it, packed, from the side that has moved."""
    ending: Ending | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolled(Moment):
    """A roll, whether it was played or not."""

    dice: Dice
    is_opening: bool
    """G2: it is the throw that decided who begins, and so no double."""


@dataclass(slots=True)
class Walk:
    """All moments of an attempt in the order of the record."""

    called: list[Called] = field(default_factory=list)
    played: list[Played] = field(default_factory=list)
    rolled: list[Rolled] = field(default_factory=list)
    broken: str = ""
    """Why the attempt could not be followed to its end: the record contradicts itself there."""


def walk(game: TablesGame, attempt: Attempt) -> Walk:
    """Follow an attempt as far as it goes."""
    found, seen = Walk(), set[tuple[int, int]]()
    try:
        replay = Replay.of(attempt)
        for where, fact in attempt.facts:
            line = int(where.rpartition(":")[2])
            if isinstance(fact, TurnPlayed | DiceCalled):
                open_game = replay.match.find(fact.game)
                before = None if open_game is None else _moment(open_game, line, fact.at_ms)
                replay.take(fact, where)  # it refuses a turn of a game that is not open
                assert before is not None
                assert open_game is not None
                if isinstance(fact, DiceCalled):
                    found.called.append(Called(**before, choices=open_game.calls, dice=fact.dice))
                else:
                    found.played.append(_played(game, fact, before))
            else:
                replay.take(fact, where)
            for open_game in replay.match.games:
                if open_game.dice and (open_game.number, open_game.turn) not in seen:
                    seen.add((open_game.number, open_game.turn))
                    is_opening = open_game.turn == 1 and game.opening == "higher_starts"
                    moment = _moment(open_game, line, fact.at_ms)
                    found.rolled.append(Rolled(**moment, dice=open_game.dice, is_opening=is_opening))
    except RecordError as error:
        found.broken = str(error)
    return found


def _moment(game: GameState, line: int, at_ms: int) -> dict[str, Any]:
    return {
        "line": line,
        "at_ms": at_ms,
        "game": game.number,
        "turn": game.turn,
        "seat": game.mover,
        "position": game.position,
    }


def _played(game: TablesGame, fact: TurnPlayed, before: dict[str, Any]) -> Played:
    verdict: Legal[Position] | Illegal = game.judge(before["position"], tuple(fact.dice), fact.moves)
    assert isinstance(verdict, Legal), "the replay took it"
    text = game.format_turn(fact.moves, before["position"], verdict.ending)
    return Played(**before, text=text, state=verdict.position.state, ending=verdict.ending)

"""Moments of a match attempt to judge: its rolls, turns and calls for dice, each with the position before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arena.games.interface import Dice, Ending
from arena.games.result import Seat
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from arena.matches.facts import DiceCalled, TurnPlayed
from arena.records.lines import Attempt, RecordError
from arena.records.replay import Replay
from arena.records.timeline import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A place of a game in which somebody is to play."""

    line: int
    """Of the record: for a roll the line after which it was rolled."""
    at_ms: int
    game: int
    turn: int
    seat: Seat
    position: Position
    """Before the roll, from the view of the side to move."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledMoment(Due):
    """A call for dice (B11.3)."""

    choices: tuple[int, ...]
    dice: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMoment(Due):
    """A turn that was played."""

    text: str
    """The moves for people."""
    state: int
    """The position after it, packed, from the side that has moved."""
    ending: Ending | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolled(Due):
    """A roll, whether it was played or not."""

    dice: Dice
    is_opening: bool
    """G2: it is the throw that decided who begins, and so no double."""


@dataclass(slots=True)
class Walk:
    """All moments of an attempt in the order of the record."""

    called: list[CalledMoment] = field(default_factory=list)
    played: list[PlayedMoment] = field(default_factory=list)
    rolled: list[Rolled] = field(default_factory=list)
    broken: str = ""
    """Why the attempt could not be followed to its end: the record contradicts itself there."""


def walk(game: TablesGame, attempt: Attempt) -> Walk:
    """Follow an attempt as far as it goes."""
    found, seen = Walk(), set[tuple[int, int]]()
    try:
        replay = Replay.of(attempt)
        book = Timeline(attempt.opened, attempt.where, replay=replay)
        for where, fact in attempt.facts:
            calls = {one.number: one.calls for one in replay.match.games} if isinstance(fact, DiceCalled) else {}
            told = book.take(where, fact)
            if isinstance(fact, TurnPlayed | DiceCalled):
                place: dict[str, Any] = {"line": told.line, "at_ms": fact.at_ms, "position": told.before}
                place |= {"game": fact.game, "turn": fact.turn, "seat": fact.seat}
                if isinstance(fact, DiceCalled):
                    found.called.append(CalledMoment(**place, choices=calls[fact.game], dice=fact.dice))
                else:
                    text = game.format_turn(fact.moves, told.before, told.ending)
                    found.played.append(PlayedMoment(**place, text=text, state=told.after.state, ending=told.ending))
            for each in replay.match.games:
                if each.dice and (each.number, each.turn) not in seen:
                    seen.add((each.number, each.turn))
                    place = {"line": told.line, "at_ms": fact.at_ms, "position": each.position}
                    place |= {"game": each.number, "turn": each.turn, "seat": each.mover}
                    is_opening = each.turn == 1 and game.opening == "higher_starts"
                    found.rolled.append(Rolled(**place, dice=each.dice, is_opening=is_opening))
    except RecordError as error:
        found.broken = str(error)
    return found

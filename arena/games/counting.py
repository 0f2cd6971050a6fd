"""Counts that check an engine: how many distinct results a tree of all rolls has (the numbers of the rule book)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.games.interface import Dice, Game
from arena.games.playing import rolls


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """One level of the tree."""

    depth: int
    """Turns played, from 1."""
    leaves: int
    """Results, transpositions counted each time."""
    distinct: int
    """Different positions among them, for the side to move next, those that end the game included."""


def count_tree(game: Game[Any], depth: int, start: Any = None) -> Iterator[Count]:
    """The counts of every level down to `depth`; a position that occurs more than once is searched once."""
    level: dict[Any, int] = {game.start() if start is None else start: 1}
    for number in range(1, depth + 1):
        after: dict[Any, int] = {}
        ended: dict[Any, int] = {}
        for position, times in level.items():
            for dice in rolls(game.dice_to_roll(position)):
                for turn in game.legal_turns(position, dice):
                    into = after if turn.ending is None else ended
                    flipped = game.flip(turn.position)
                    into[flipped] = into.get(flipped, 0) + times
        leaves = sum(after.values()) + sum(ended.values())
        yield Count(depth=number, leaves=leaves, distinct=len(after.keys() | ended.keys()))
        level = after


def count_first_rolls(game: Game[Any]) -> dict[Dice, int]:
    """Count the distinct results of each first roll."""
    start = game.start()
    return {dice: len(game.legal_turns(start, dice)) for dice in rolls(game.dice_to_roll(start))}

"""Positions out of games by chance."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from arena.games import load_game
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position


class After(NamedTuple):
    """A position after a turn."""

    state: int
    """From the side that has just moved."""
    next: Position
    """The same from the side about to roll."""


def tables_game(name: str, *options: str) -> TablesGame:
    game: Any = load_game(name, options)
    assert isinstance(game, TablesGame)
    return game


def afterwards(game: TablesGame, number: int, seed: int = 1) -> Iterator[After]:
    """So many positions after turns, out of games by chance."""
    chance, position = Random(seed), game.start()
    while number:
        turns = game.legal_turns(position, (chance.randint(1, 6), chance.randint(1, 6)))
        turn = turns[chance.randrange(len(turns))]
        position = game.start()
        if turn.ending is None:
            position = game.flip(turn.position)
            number -= 1
            yield After(turn.position.state, position)

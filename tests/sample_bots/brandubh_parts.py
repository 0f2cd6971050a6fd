"""The modules of the sample bot `brandubh`, and positions to put to them."""

import random
from collections.abc import Iterator
from typing import Any

from arena.games import Game
from tests.end_to_end.runs import REPOSITORY

FOLDER = REPOSITORY / "sample_bots" / "brandubh"
VERSIONS = ("brandubh-1", "brandubh-2")


def played_at_random(game: Game[Any], *, seed: int, games: int, longest: int = 80) -> Iterator[Any]:
    """Positions of games whose moves are drawn; moves that end the game are mostly left, so that games last."""
    chance = random.Random(seed)
    for _ in range(games):
        position = game.start()
        for _ in range(longest):
            yield position
            turns = list(game.legal_turns(position, ()))
            quiet = [turn for turn in turns if not turn.ending]
            chosen = chance.choice(turns if not quiet or chance.random() < 0.02 else quiet)
            if chosen.ending:
                break
            position = chosen.position


def can_win(game: Game[Any], position: Any) -> bool:
    """Whether the side to move can win with one move, by the engine alone."""
    return any(turn.ending and not turn.ending.is_drawn for turn in game.legal_turns(position, ()))

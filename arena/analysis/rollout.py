"""Rollouts: the worth of a position, found by playing it out many times in step."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from arena.analysis.arrays import Floats
from arena.analysis.evaluator import Evaluator, other_side, points_of
from arena.analysis.search import best_of_many, dice_to_roll
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped

LONGEST = 800
"""Turns after which the evaluator's word is taken."""


class Rollout(NamedTuple):
    """The result of playing positions out; arrays have one row a position."""

    probabilities: Floats
    """How often each way came: for the side that has just moved, then for the other; shape (positions, 2 * ways)."""
    points: Floats
    """The mean points of the side that has just moved."""
    errors: Floats
    """The standard errors of the points."""


def rollout(
    game: TablesGame, evaluator: Evaluator, states: Sequence[int], games: int, seed: int, turns: int = LONGEST
) -> Rollout:
    """Play each position (after a turn) out so many times, both sides one turn ahead.

    A game that is still open after so many turns counts as the evaluator sees it. The same seed gives the same result.
    """
    if games < 2:
        raise ValueError(f"games = {games}; at least 2 are needed for a standard error")
    chance, half = Random(seed), len(evaluator.ways)
    outcomes = np.zeros((len(states), games, 2 * half), dtype=np.float32)
    playing = [(place, number, state) for place, state in enumerate(states) for number in range(games)]
    is_mine = False
    for _ in range(turns):
        if not playing:
            break
        positions = [from_state(swapped(state), game.rules.layout) for _, _, state in playing]
        asked = []
        for position in positions:
            number = dice_to_roll(game, evaluator, position)
            asked.append((position, tuple(chance.randrange(1, 7) for _ in range(number))))
        going_on = []
        for (place, number, _), (found, choice) in zip(playing, best_of_many(game, evaluator, asked), strict=True):
            state, ending = found.results()[choice.place]
            if ending is None:
                going_on.append((place, number, state))
            else:
                way = evaluator.ways.index((ending.name, ending.monk))
                outcomes[place, number, way if is_mine else half + way] = 1
        playing, is_mine = going_on, not is_mine
    if playing:
        thought = evaluator.probabilities([state for _, _, state in playing])
        for (place, number, _), row in zip(playing, thought if not is_mine else other_side(thought), strict=True):
            outcomes[place, number] = row
    points = outcomes @ points_of(evaluator.ways, evaluator.rules)
    return Rollout(outcomes.mean(axis=1), points.mean(axis=1), points.std(axis=1, ddof=1) / np.sqrt(np.float32(games)))

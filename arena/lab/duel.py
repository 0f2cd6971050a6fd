"""Two players against each other, many games in step: how strong something is while it learns."""

from __future__ import annotations

from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from arena.analysis.search import PositionJudge, best_of_many
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state, swapped

LONGEST = 800
"""Turns after which a game counts as a draw."""


class Score(NamedTuple):
    """Points a game of the first player."""

    mean: float
    half_width: float
    """Of the interval of 95 %, with the pair as the unit."""


def duel(game: TablesGame, one: PositionJudge, other: PositionJudge, pairs: int, seed: int) -> Score:
    """Play pairs of games with the same dice, seats swapped, each side one turn ahead."""
    chances = [Random(f"{seed}/{pair}") for pair in range(pairs) for _ in range(2)]
    positions: list[Position | None] = [game.start() for _ in chances]
    won = [0.0] * len(chances)
    for turn in range(LONGEST):
        for judge, sign, parity in ((one, 1.0, 0), (other, -1.0, 1)):
            playing = [place for place in range(len(won)) if (turn + place) % 2 == parity and positions[place]]
            asked = [
                (position, throw(game, chances[place], turn)[: game.dice_to_roll(position)])
                for place in playing
                if (position := positions[place]) is not None
            ]
            for place, (turns, choice) in zip(playing, best_of_many(game, judge, asked), strict=True):
                state, ending = turns.results()[choice.place]
                positions[place] = None if ending else from_state(swapped(state), game.rules.layout)
                won[place] += sign * ending.points if ending else 0
    means = [(first + second) / 2 for first, second in zip(won[::2], won[1::2], strict=True)]
    return Score(fmean(means), 1.96 * stdev(means) / sqrt(pairs))


def throw(game: TablesGame, chance: Random, turn: int) -> tuple[int, int]:
    """Two dice, also where one is rolled: so both games of a pair have the same ones. G2: no doubles at first."""
    thrown = chance.randrange(1, 7), chance.randrange(1, 7)
    while turn == 0 and game.opening == "higher_starts" and thrown[0] == thrown[1]:
        thrown = chance.randrange(1, 7), chance.randrange(1, 7)
    return thrown

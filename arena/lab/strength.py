"""Players to measure by, and the strength of something that learns: its points against one, many games in step."""

from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np

from arena.analysis.arrays import Floats, counts_of, sides_of
from arena.analysis.examination import PositionSet, Rate
from arena.analysis.features import pips_of
from arena.analysis.search import LONGEST, PositionJudge, best_turns, values_of
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state, swapped
from arena.games.tables.ruleset import Ruleset


class Beginner:
    """A player that never changes: it runs, closes points, and leaves blots only where nobody is behind them."""

    def __init__(self, rules: Ruleset) -> None:
        self._facing = rules.facing

    def points(self, states: Sequence[int], /) -> Floats:
        """By rules of thumb: only the order of the values means something, and every ending is worth more."""
        sides = sides_of(counts_of(states), self._facing)
        reach = np.zeros_like(sides.held)
        for distance in range(1, 13):
            reach |= sides.others.held << distance
        exposed = np.bitwise_count(sides.blots_for_them & reach).astype(np.float32)
        mine, theirs = (
            np.bitwise_count(sides.closed) * 0.5
            - exposed
            - sides.bar * 1.5
            - pips_of(sides.counts) / 20
        )
        return np.asarray((mine - theirs) / 100, dtype=np.float32)


class Weakened:
    """A player that sees what another sees, with noise."""

    def __init__(self, judge: PositionJudge, noise: float, seed: Sequence[int]) -> None:
        """`noise` is its standard deviation, in points."""
        self._judge, self._noise, self._chance = (
            judge,
            noise,
            np.random.default_rng((*seed, int(1000 * noise))),
        )

    def points(self, states: Sequence[int], /) -> Floats:
        """Return the values of the judge with noise, drawn anew for every position."""
        noise = self._noise * self._chance.standard_normal(len(states))
        return self._judge.points(states) + noise.astype(np.float32)


class Score(NamedTuple):
    """Points a game of the first player."""

    mean: float
    half_width: float
    """Of the interval of 95 %, with the pair as the unit."""


def duel(
    game: TablesGame, one: PositionJudge, other: PositionJudge, pairs: int, seed: int
) -> Score:
    """Play pairs of games with the same dice, seats swapped, each side one turn ahead; the longest count as draws."""
    chances = [Random(f"{seed}/{pair}") for pair in range(pairs) for _ in range(2)]
    positions: list[Position | None] = [game.start() for _ in chances]
    won = [0.0] * len(chances)
    for turn in range(LONGEST):
        for judge, sign, parity in ((one, 1.0, 0), (other, -1.0, 1)):
            playing = [
                place
                for place in range(len(won))
                if (turn + place) % 2 == parity and positions[place]
            ]
            asked = [
                (position, throw(game, chances[place], turn)[: game.dice_to_roll(position)])
                for place in playing
                if (position := positions[place]) is not None
            ]
            for place, best in zip(playing, best_turns(game, judge, asked), strict=True):
                positions[place] = (
                    None if best.ending else from_state(swapped(best.state), game.rules.layout)
                )
                won[place] += sign * best.ending.points if best.ending else 0
    means = [(first + second) / 2 for first, second in zip(won[::2], won[1::2], strict=True)]
    return Score(fmean(means), 1.96 * stdev(means) / sqrt(pairs))


def rate_of(asked: PositionSet, judge: PositionJudge) -> Rate:
    """The error rate of a judge that plays one turn ahead."""
    turns: list[Any] = [question.turns for question in asked.questions]  # of a tables game
    values = values_of(judge, turns)
    found = zip(asked.questions, values, strict=True)
    return asked.rates([question.losses[int(worth.argmax())] for question, worth in found])["all"]


def throw(game: TablesGame, chance: Random, turn: int) -> tuple[int, int]:
    """Two dice, also where one is rolled: so both games of a pair have the same ones.

    G2: no doubles at first.
    """
    thrown = chance.randrange(1, 7), chance.randrange(1, 7)
    while turn == 0 and game.opening == "higher_starts" and thrown[0] == thrown[1]:
        thrown = chance.randrange(1, 7), chance.randrange(1, 7)
    return thrown

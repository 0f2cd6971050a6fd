"""Players to measure by, and the strength of a learner: its points against one of them."""

from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np

from arena.analysis.arrays import (
    Floats,
    counts_of,
    sides_of,
)
from arena.analysis.examination import PositionSet, Rate
from arena.analysis.features import pips_of
from arena.analysis.search import (
    LONGEST,
    PositionJudge,
    best_turns,
    values_of,
)
from arena.games.interface import Dice
from arena.games.tables.game import TablesGame
from arena.games.tables.position import (
    Position,
    from_state,
    swapped,
)
from arena.games.tables.ruleset import Ruleset


class Beginner:
    """A player that never changes: it runs, closes points, and leaves blots where they are safe."""

    def __init__(self, rules: Ruleset) -> None:
        self._facing = rules.facing

    def points(self, states: Sequence[int], /) -> Floats:
        """Rate positions by rules of thumb.

        Only the order of the numbers has a meaning; every ending is worth more.
        """
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

    def __init__(
        self,
        judge: PositionJudge,
        noise: float,
        seed: Sequence[int],
    ) -> None:
        """`noise` is its standard deviation, in points."""
        self._judge = judge
        self._noise = noise
        self._chance = np.random.default_rng((*seed, int(1000 * noise)))

    def points(self, states: Sequence[int], /) -> Floats:
        """Return the values of the judge with noise, drawn for every position."""
        noise = self._noise * self._chance.standard_normal(len(states))
        return self._judge.points(states) + noise.astype(np.float32)


class Score(NamedTuple):
    """Points per game of the first player."""

    mean: float
    half_width: float
    """Of the interval of 95 %, with the pair as the unit."""


def duel(
    game: TablesGame,
    first: PositionJudge,
    second: PositionJudge,
    pairs: int,
    seed: int,
) -> Score:
    """Play pairs of games with the same dice and swapped seats; return the score of the first.

    Each side looks one turn ahead; the longest games count as draws.
    """
    chances: list[Random] = []
    for pair in range(pairs):
        chances += [Random(f"{seed}/{pair}"), Random(f"{seed}/{pair}")]
    positions: list[Position | None] = [game.start()] * len(chances)
    won = [0.0] * len(chances)
    for turn in range(LONGEST):
        for judge, sign, parity in ((first, 1.0, 0), (second, -1.0, 1)):
            playing: list[int] = []
            rolls: list[tuple[Position, Dice]] = []
            for place, position in enumerate(positions):
                if position is not None and (turn + place) % 2 == parity:
                    dice = throw(game, chances[place], turn)
                    number = game.dice_to_roll(position)
                    playing.append(place)
                    rolls.append((position, dice[:number]))
            answers = best_turns(game, judge, rolls)
            for place, best in zip(playing, answers, strict=True):
                if best.ending:
                    positions[place] = None
                    won[place] += sign * best.ending.points
                else:
                    positions[place] = from_state(swapped(best.state), game.rules.layout)
    means = []
    for first_won, second_won in zip(won[::2], won[1::2], strict=True):
        mean = (first_won + second_won) / 2
        means.append(mean)
    return Score(fmean(means), 1.96 * stdev(means) / sqrt(pairs))


def rate_of(positions: PositionSet, judge: PositionJudge) -> Rate:
    """Return the error rate of a judge that plays one turn ahead."""
    turns: list[Any] = [question.turns for question in positions.questions]  # of a tables game
    points_of_each = values_of(judge, turns)
    losses = []
    for question, points in zip(positions.questions, points_of_each, strict=True):
        best = int(points.argmax())
        losses.append(question.losses[best])
    return positions.rates(losses)["all"]


def throw(game: TablesGame, random: Random, turn: int) -> tuple[int, int]:
    """Throw two dice, also where one is rolled: so both games of a pair have the same ones.

    G2: no doubles at first.
    """
    thrown = random.randrange(1, 7), random.randrange(1, 7)
    while turn == 0 and game.opening == "higher_starts" and thrown[0] == thrown[1]:
        thrown = random.randrange(1, 7), random.randrange(1, 7)
    return thrown

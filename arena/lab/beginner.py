"""A player by rules of thumb: what learners are measured against, and who takes over where they lead nowhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.analysis.arrays import Array, Floats
from arena.analysis.sides import Side, counts_of, sides_of
from arena.games.tables.ruleset import Ruleset


class Beginner:
    """A player that never changes: it runs, closes points, and leaves blots only where nobody is behind them."""

    def __init__(self, rules: Ruleset) -> None:
        self._facing = rules.facing

    def points(self, states: Sequence[int], /) -> Floats:
        """By rules of thumb: only the order of the values means something, and every ending is worth more."""
        sides = sides_of(counts_of(states), self._facing)
        worth = self._worth(sides.me, sides.them) - self._worth(sides.them, sides.me)
        return np.asarray(worth / 100, dtype=np.float32)

    def _worth(self, side: Side, other: Side) -> Array:
        reach = np.zeros_like(other.held)
        for distance in range(1, 13):
            reach |= other.held << distance
        exposed = np.bitwise_count(side.blots_for_them & reach).astype(np.float32)
        way = side.counts[:, :25] @ np.arange(25, 0, -1, dtype=np.float32)
        return np.asarray(np.bitwise_count(side.closed) * 0.5 - exposed - side.bar * 1.5 - way / 20)

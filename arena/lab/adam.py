"""Adam (Kingma and Ba 2015), the usual stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.analysis.arrays import Floats


@dataclass(slots=True)
class Adam:
    """The state of the optimiser for a list of arrays, which it changes in place."""

    arrays: Sequence[Floats]
    means: list[Floats] = field(default_factory=list)
    squares: list[Floats] = field(default_factory=list)
    steps: int = 0

    def __post_init__(self) -> None:
        self.means = self.means or [np.zeros_like(array) for array in self.arrays]
        self.squares = self.squares or [np.zeros_like(array) for array in self.arrays]

    def step(self, gradients: Sequence[Floats], rate: float) -> None:
        """One step against the gradients."""
        self.steps += 1
        rate *= (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for array, gradient, mean, square in zip(self.arrays, gradients, self.means, self.squares, strict=True):
            mean += np.float32(0.1) * (gradient - mean)
            square += np.float32(0.001) * (gradient * gradient - square)
            array -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))

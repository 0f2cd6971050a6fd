"""A feed-forward network with one softmax at its end, by hand: some sixty lines of numpy are all that is needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from arena.analysis.arrays import Floats

LARGEST_INPUT: Final = 1e3
"""No feature comes near this, whatever the position."""
LARGEST_SUM: Final = 1e38
"""Float32 ends at 3.4e38; the networks that ship stay below 1e8."""


@dataclass(frozen=True, slots=True)
class Network:
    """Weights and biases, one pair a layer; ReLU between layers, softmax after the last one."""

    weights: tuple[Floats, ...]
    """Shapes (inputs, hidden), ..., (hidden, outputs)."""
    biases: tuple[Floats, ...]

    @property
    def arrays(self) -> list[Floats]:
        """Weights and biases, layer by layer."""
        return [array for layer in zip(self.weights, self.biases, strict=True) for array in layer]

    def layers(self, inputs: Floats) -> list[Floats]:
        """Return the values of each layer, inputs first and probabilities last; each has shape (positions, width)."""
        given = [inputs]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            hidden = given[-1] @ weight
            hidden += bias
            given.append(np.maximum(hidden, 0, out=hidden))
        logits = given[-1] @ self.weights[-1] + self.biases[-1]
        grown = np.exp(logits - logits.max(axis=1, keepdims=True))  # softmax: each row as probabilities
        grown /= grown.sum(axis=1, keepdims=True)
        return [*given, grown]

    def probabilities(self, inputs: Floats) -> Floats:
        """Shape (positions, outputs), float32; each row adds up to 1."""
        return self.layers(inputs)[-1]


def network_of(arrays: Sequence[Floats]) -> Network:
    """The inverse of `Network.arrays`."""
    return Network(tuple(arrays[0::2]), tuple(arrays[1::2]))


def shapes_of(widths: Sequence[int]) -> list[tuple[int, ...]]:
    """The shapes of `Network.arrays` for layers of these widths, inputs first."""
    return [shape for before, after in pairwise(widths) for shape in ((before, after), (after,))]


def is_finite(network: Network) -> bool:
    """True if every position gives finite numbers: no weight is nan or infinite, and no sum can become so."""
    bound = LARGEST_INPUT
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, bias in zip(network.weights, network.biases, strict=True):
            sums = bound * np.abs(weight).sum(axis=0, dtype=np.float64) + np.abs(bias)
            bound = float(sums.max())  # nan if any is nan
            if not bound < LARGEST_SUM:
                return False
    return True


def new_network(widths: Sequence[int], chance: np.random.Generator) -> Network:
    """Random weights for layers of these widths, inputs first (He et al. 2015, for ReLU)."""
    pairs = list(pairwise(widths))
    weights = [chance.normal(0, np.sqrt(2 / before), (before, after)).astype(np.float32) for before, after in pairs]
    weights[-1] *= np.float32(0.1)  # begin with nearly equal probabilities
    return Network(tuple(weights), tuple(np.zeros(after, dtype=np.float32) for _, after in pairs))


def widened(network: Network, widths: Sequence[int], chance: np.random.Generator) -> Network:
    """A network with these wider hidden layers that says nearly the same (Chen, Goodfellow, Shlens 2016, Net2Net).

    Units are doubled, and their weights onwards are shared out between the two; a little noise makes them differ.
    """
    weights, biases = [array.copy() for array in network.weights], [array.copy() for array in network.biases]
    for depth, width in enumerate(widths):
        more = chance.permutation(len(biases[depth]))[: width - len(biases[depth])]
        noise = chance.normal(0, 0.1 * weights[depth].std(), (len(weights[depth]), len(more))).astype(np.float32)
        share = chance.normal(0.5, 0.05, (len(more), 1)).astype(np.float32)
        weights[depth][:, more] += noise
        weights[depth] = np.concatenate((weights[depth], weights[depth][:, more] - 2 * noise), axis=1)
        biases[depth] = np.concatenate((biases[depth], biases[depth][more]))
        onward = weights[depth + 1][more]
        weights[depth + 1][more] = onward * share
        weights[depth + 1] = np.concatenate((weights[depth + 1], onward * (1 - share)))
    return Network(tuple(weights), tuple(biases))


def gradients(
    network: Network, inputs: Floats, targets: Floats, weights: Floats | None = None
) -> tuple[list[Floats], float]:
    """The gradient of the mean cross-entropy for each of `Network.arrays`, and the cross-entropy in nats.

    `weights` says how much each position counts, shape (positions,); all the same if it is None.
    """
    if weights is None:
        weights = np.ones(len(inputs), np.float32)
    given = network.layers(inputs)
    probabilities, shares = given[-1], (weights / weights.sum())[:, np.newaxis]
    loss = -float((shares * targets * np.log(probabilities + np.float32(1e-9))).sum())
    delta = (probabilities - targets) * shares
    found: list[Floats] = []
    for depth in range(len(network.weights) - 1, -1, -1):
        found = [given[depth].T @ delta, delta.sum(axis=0), *found]
        if depth:
            delta = (delta @ network.weights[depth].T) * (given[depth] > 0)
    return found, loss

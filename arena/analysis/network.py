"""A feed-forward network with one softmax at its end, in some sixty lines of numpy."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.analysis.arrays import Floats

LARGEST_INPUT: Final = 1e3
"""No feature comes near this, whatever the position."""
LARGEST_SUM: Final = 1e38
"""Float32 ends at 3.4e38; the networks that ship stay below 1e8."""
APART: Final = np.float32(1)
"""The weight of a squared error of points between turns of one decision, in nats."""


@dataclass(frozen=True, slots=True)
class Network:
    """Weights and biases, one pair a layer; ReLU between layers, softmax after the last one."""

    weights: tuple[Floats, ...]
    """Shapes (inputs, hidden), ..., (hidden, outputs)."""
    biases: tuple[Floats, ...]

    @property
    def arrays(self) -> list[Floats]:
        """Weights and biases, layer by layer."""
        arrays = []
        for weight, bias in zip(self.weights, self.biases, strict=True):
            arrays += [weight, bias]
        return arrays

    def layers(self, inputs: Floats) -> list[Floats]:
        """Return the values of each layer, shape (positions, width); the last are probabilities."""
        layers = [inputs]
        hidden_layers = zip(self.weights[:-1], self.biases[:-1], strict=True)
        for weight, bias in hidden_layers:
            hidden = layers[-1] @ weight
            hidden += bias
            layers.append(np.maximum(hidden, 0, out=hidden))
        logits = layers[-1] @ self.weights[-1] + self.biases[-1]
        # softmax turns each row into probabilities
        largest = logits.max(axis=1, keepdims=True)
        probabilities = np.exp(logits - largest)
        total = probabilities.sum(axis=1, keepdims=True)
        probabilities /= total
        return [*layers, probabilities]

    def probabilities(self, inputs: Floats) -> Floats:
        """Return float32 of shape (positions, outputs); each row adds up to 1."""
        return self.layers(inputs)[-1]


def network_of(arrays: Sequence[Floats]) -> Network:
    """Return the network with these arrays: the inverse of `Network.arrays`."""
    return Network(tuple(arrays[0::2]), tuple(arrays[1::2]))


def shapes_of(widths: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the shapes of `Network.arrays` for layers of these widths, inputs first."""
    shapes: list[tuple[int, ...]] = []
    for before, after in pairwise(widths):
        shapes += [(before, after), (after,)]
    return shapes


def is_finite(network: Network) -> bool:
    """Return whether every position gives finite numbers, by the weights and the largest sums."""
    bound = LARGEST_INPUT
    with np.errstate(over="ignore", invalid="ignore"):
        for weight, bias in zip(network.weights, network.biases, strict=True):
            sizes = np.abs(weight).sum(axis=0, dtype=np.float64)
            sums = bound * sizes + np.abs(bias)
            bound = float(sums.max())  # nan if any is nan
            if not bound < LARGEST_SUM:
                return False
    return True


def new_network(widths: Sequence[int], chance: np.random.Generator) -> Network:
    """Return random weights for layers of these widths, inputs first (He et al. 2015, for ReLU)."""
    weights = []
    biases = []
    for before, after in pairwise(widths):
        spread = np.sqrt(2 / before)
        weight = chance.normal(0, spread, (before, after))
        weights.append(weight.astype(np.float32))
        biases.append(np.zeros(after, dtype=np.float32))
    weights[-1] *= np.float32(0.1)  # begin with nearly equal probabilities
    return Network(tuple(weights), tuple(biases))


def widen(network: Network, widths: Sequence[int], chance: np.random.Generator) -> Network:
    """Return a network with these wider hidden layers that says nearly the same.

    Units are doubled, and their weights onwards are shared out between the two; a little noise
    makes them differ (Chen, Goodfellow, Shlens 2016, Net2Net).
    """
    weights = [array.copy() for array in network.weights]
    biases = [array.copy() for array in network.biases]
    for depth, width in enumerate(widths):
        inward = weights[depth]
        bias = biases[depth]
        onward = weights[depth + 1]
        units = len(bias)
        doubled = chance.permutation(units)[: width - units]
        spread = 0.1 * inward.std()
        noise = chance.normal(0, spread, (len(inward), len(doubled))).astype(np.float32)
        share = chance.normal(0.5, 0.05, (len(doubled), 1)).astype(np.float32)
        inward[:, doubled] += noise
        twins = inward[:, doubled] - 2 * noise
        weights[depth] = np.concatenate((inward, twins), axis=1)
        biases[depth] = np.concatenate((bias, bias[doubled]))
        of_both = onward[doubled]
        of_twins = of_both * (1 - share)
        onward[doubled] = of_both * share
        weights[depth + 1] = np.concatenate((onward, of_twins))
    return Network(tuple(weights), tuple(biases))


class Examples(NamedTuple):
    """Positions and the figures to learn from them, one per row."""

    inputs: Floats
    """Shape (positions, inputs)."""
    targets: Floats
    """Probabilities, shape (positions, outputs)."""
    weights: Floats | None = None
    """The weight of each; all the same if it is None."""
    decisions: NDArray[np.intp] | None = None
    """The number of the decision of each, between whose turns the error counts; None if they are
    alone."""
    points: Floats | None = None
    """The points of each output, shape (outputs,); goes with `decisions`."""

    def of(self, rows: NDArray[np.intp]) -> "Examples":
        """Return these rows; those of one decision should stand side by side."""
        return Examples(
            inputs=self.inputs[rows],
            targets=self.targets[rows],
            weights=None if self.weights is None else self.weights[rows],
            decisions=None if self.decisions is None else self.decisions[rows],
            points=self.points,
        )


def loss_of(probabilities: Floats, examples: Examples) -> tuple[float, Floats]:
    """Return the error of a network in nats, and its slope by the inputs of the softmax.

    The slope has shape (positions, outputs). The error is the cross-entropy and, where there are
    decisions, the error of the differences between their turns: it alone decides which turn is
    played (comparison training: Tesauro, Connectionist Learning of Expert Preferences, 1988).
    """
    targets = examples.targets
    weights = examples.weights
    if weights is None:
        weights = np.ones(len(targets), np.float32)
    shares = (weights / weights.sum())[:, np.newaxis]
    logarithms = np.log(probabilities + np.float32(1e-9))
    cross_entropies = -shares * targets * logarithms
    loss = float(cross_entropies.sum())
    slope = (probabilities - targets) * shares
    if examples.decisions is not None and examples.points is not None:
        begins = begins_of(examples.decisions)
        share = shares[:, 0]
        equity = probabilities @ examples.points
        error = equity - targets @ examples.points
        apart = _without_means(error, begins)
        loss += float(APART) / 2 * float(share @ apart**2)
        pull = APART * _without_means(share * apart, begins)
        above_mean = examples.points - equity[:, np.newaxis]
        slope += pull[:, np.newaxis] * probabilities * above_mean
    return loss, slope


def begins_of(decisions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows at which a decision begins, by the decision of each row."""
    return np.flatnonzero(np.diff(decisions, prepend=-1))


def _without_means(errors: Floats, begins: NDArray[np.intp]) -> Floats:
    """Subtract from each error the mean of its group."""
    sizes = np.diff(begins, append=len(errors))
    means = np.add.reduceat(errors, begins) / sizes.astype(errors.dtype)
    return errors - np.repeat(means, sizes)


def gradients(network: Network, examples: Examples) -> tuple[list[Floats], float]:
    """Return the gradient of `loss_of` for each of `Network.arrays`, and the loss."""
    layers = network.layers(examples.inputs)
    loss, delta = loss_of(layers[-1], examples)
    slopes: list[Floats] = []
    for depth in range(len(network.weights) - 1, -1, -1):
        layer = layers[depth]
        of_weights = layer.T @ delta
        of_biases = delta.sum(axis=0)
        slopes = [of_weights, of_biases, *slopes]
        if depth:
            passed_on = delta @ network.weights[depth].T
            delta = passed_on * (layer > 0)
    return slopes, loss

"""Training by self-play: play, learn from what was played, write a checkpoint, again.

The same plan gives the same weights on machines of the same kind, also if it was killed and begun again on the way: the
chance of every round comes from the seed and the number of the round alone, and a checkpoint holds all else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, log
from random import Random

import numpy as np

from arena.analysis.arrays import Counts, Floats
from arena.analysis.evaluator import Evaluator, new_evaluator
from arena.analysis.network import Network, gradients
from arena.analysis.sides import counts_of
from arena.games import load_game
from arena.games.tables.game import TablesGame
from arena.lab.adam import Adam
from arena.lab.self_play import Board, Played, SelfPlay, returns

BOARDS = 256
"""Games in step."""
POSITIONS = 60_000
"""Positions of a round, at least."""
BATCH = 512
"""Positions of one step of Adam."""
TRACE = 0.8
"""The lambda of the returns."""
RATES = (2e-3, 1e-4)
"""The learning rate at the beginning and at the end; it falls by the same factor with every game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is trained, and how long. It determines the weights."""

    name: str
    """The name of the evaluator."""
    ruleset: str
    """The ruleset, by its name or as JSON of its fields."""
    options: tuple[tuple[str, ...], ...] = ((),)
    """Sets of options of the ruleset; games are played under each of them in turn."""
    games: int
    """Games of self-play."""
    seed: int = 1
    hidden: tuple[int, ...] = (128, 32)
    """Widths of the hidden layers of the network for contact."""

    def variants(self) -> list[TablesGame]:
        """The rulesets that are played."""
        found = [load_game(self.ruleset, options) for options in self.options]
        assert all(isinstance(game, TablesGame) for game in found), "asked for a game without a network"
        return found  # type: ignore[return-value]  # as asserted


@dataclass(slots=True)
class Lessons:
    """Positions of one phase, with what is to be learnt of them."""

    inputs: list[Floats]
    targets: list[Floats]


@dataclass(frozen=True, slots=True)
class Round:
    """How far the training has come after a round."""

    number: int
    games: int
    turns: int
    loss: float
    """Mean cross-entropy of the positions with contact, in nats."""


class Training:
    """A plan that is being carried out."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        variants = plan.variants()
        self.evaluator = new_evaluator(plan.name, variants[0].rules, plan.hidden, plan.seed)
        share = BOARDS // len(variants)
        self.tables = [SelfPlay(game, [Board(game.start()) for _ in range(share)]) for game in variants]
        self.adams = [Adam(network.arrays) for network in (self.evaluator.contact, self.evaluator.race)]
        self.done = Round(0, 0, 0, 0.0)
        self.kept: list[list[Played]] = [[] for _ in variants]
        """The games of the round before, from which the next one learns once more."""

    @property
    def is_over(self) -> bool:
        """Whether all games of the plan have been played."""
        return self.done.games >= self.plan.games

    def play_round(self) -> None:
        """Play, and learn from these games and those of the round before."""
        chance = Random(f"{self.plan.seed}/{self.done.number}")
        fresh = self._play(chance)
        lessons = self._lessons([kept + new for kept, new in zip(self.kept, fresh, strict=True)])
        share = min(self.done.games / self.plan.games, 1)
        rate = exp((1 - share) * log(RATES[0]) + share * log(RATES[1]))
        shuffle = np.random.default_rng((self.plan.seed, self.done.number))
        losses = [
            learn(network, adam, phase, rate, shuffle)
            for network, adam, phase in zip(
                (self.evaluator.contact, self.evaluator.race), self.adams, lessons, strict=True
            )
        ]
        games = [game for table in fresh for game in table]
        self.kept = fresh
        self.done = Round(
            self.done.number + 1,
            self.done.games + len(games),
            self.done.turns + sum(len(game.states) + 1 for game in games),
            losses[0],
        )

    def _play(self, chance: Random) -> list[list[Played]]:
        fresh: list[list[Played]] = [[] for _ in self.tables]
        positions = 0
        while positions < POSITIONS:
            for table, games in zip(self.tables, fresh, strict=True):
                for game in table.step(self.evaluator.under(table.game.rules), chance):
                    games.append(game)
                    positions += len(game.states)
        return fresh

    def _lessons(self, played: Sequence[Sequence[Played]]) -> tuple[Lessons, Lessons]:
        contact, race = Lessons([], []), Lessons([], [])
        for table, games in zip(self.tables, played, strict=True):
            evaluator = self.evaluator.under(table.game.rules)
            if games:
                states, targets = returns(evaluator, games, TRACE)
                add_lessons(evaluator, counts_of(states), targets, contact, race)
        return contact, race


def add_lessons(evaluator: Evaluator, counts: Counts, targets: Floats, contact: Lessons, race: Lessons) -> None:
    """Sort positions and their targets by phase."""
    meets = evaluator.in_contact(counts)
    contact.inputs.append(evaluator.inputs(counts[meets], contact=True))
    contact.targets.append(targets[meets])
    race.inputs.append(evaluator.inputs(counts[~meets], contact=False))
    race.targets.append(targets[~meets][:, evaluator.race_columns])


def learn(network: Network, adam: Adam, lessons: Lessons, rate: float, shuffle: np.random.Generator) -> float:
    """One pass over the lessons in an order by chance; gives the mean cross-entropy in nats."""
    inputs, targets = np.concatenate(lessons.inputs), np.concatenate(lessons.targets)
    losses = []
    for batch in _batches(len(inputs), shuffle):
        found, loss = gradients(network, inputs[batch], targets[batch])
        adam.step(found, rate)
        losses.append(loss)
    return float(np.mean(losses)) if losses else 0.0


def _batches(number: int, shuffle: np.random.Generator) -> Iterator[np.ndarray[tuple[int], np.dtype[np.int64]]]:
    order = shuffle.permutation(number)
    for begin in range(0, number, BATCH):
        yield order[begin : begin + BATCH]

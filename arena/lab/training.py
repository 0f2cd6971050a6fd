"""Training by self-play: play, learn from what was played, write a checkpoint, again.

The same plan gives the same weights on machines of the same kind, also if it was killed and begun
again on the way: the chance of every round comes from the seed and the number of the round alone,
and a checkpoint holds all else.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, combinations
from math import exp, log
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.analysis.arrays import Floats, Phase, counts_of, rows_of
from arena.analysis.evaluator import Evaluator, new_evaluator
from arena.analysis.network import Examples, Network, gradients, widened
from arena.analysis.search import PositionJudge
from arena.games import Game, load_game, option_names
from arena.games.tables.game import TablesGame
from arena.lab.self_play import OpenGame, Played, SelfPlay, positions_astray, returns
from arena.lab.strength import Beginner

BOARDS = 256
POSITIONS = 60_000
"""Positions of a round, at least."""
PATIENCE = 3
"""How many times as many turns may be played in a round: networks that know little may go round for
ever."""
BATCH = 512
"""Positions of one step of Adam."""
HIDDEN = (128, 32)
"""Widths of the hidden layers, where nothing else is asked for."""
TRACE = 0.8
"""The lambda of the returns (Sutton and Barto, Reinforcement Learning, chapter 12)."""
RATES = (2e-3, 1e-4)
"""The learning rate at the beginning and at the end; it falls by the same factor with every game."""


class LabPlanError(Exception):
    """A plan that cannot be carried out; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingPlan:
    """A training from nothing to an evaluator, or from one to a better one."""

    name: str
    rulesets: tuple[Mapping[str, Any], ...]
    """The fields of the rulesets that are played; self-play takes one after the other, a round
    each."""
    games: int
    """The games of self-play; none with weights to begin with."""
    begin: str = ""
    """The SHA-256 of the weights that it begins with, in hexadecimal; empty to begin from nothing."""
    generations: int = 0
    """The number of times that positions are looked at one turn deeper afterwards, by what was
    learnt so far."""
    positions: int = 100_000
    """Positions of a generation."""
    played_out: int = 0
    """Positions of a last generation, which are played out."""
    seed: int = 1
    hidden: tuple[int, ...] = HIDDEN
    """Widths of the hidden layers of the networks for contact; those of the network for races are
    half of them."""

    def tables(self) -> list[TablesGame]:
        """The games that are played; raises `LabPlanError` for one that no network knows."""
        found = []
        for fields in self.rulesets:
            game = load_game(fields)
            if not isinstance(game, TablesGame):
                raise LabPlanError(f"evaluators are for tables games; {game.name} is none")
            found.append(game)
        return found

    def text(self) -> str:
        """As it is kept in the folder of the training."""
        return json.dumps(asdict(self), indent=1) + "\n"


def plan_of(text: str) -> TrainingPlan:
    """The inverse of `TrainingPlan.text`; raises `LabPlanError`."""
    try:
        given = json.loads(text)
        return TrainingPlan(
            **{**given, "rulesets": tuple(given["rulesets"]), "hidden": tuple(given["hidden"])}
        )
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LabPlanError(f"the plan cannot be read ({error})") from None


def rulesets_with_options(ruleset: str | Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """A ruleset and, if it is known by name, itself with every choice of its options; raises `GameError`.

    Backgammon is trained with gammons alone: who knows how likely they are knows what a game
    without them is worth.
    """
    game: Game[Any] = load_game(ruleset)
    if not isinstance(ruleset, str):
        return (game.ruleset,)
    names = option_names(ruleset)
    if "gammons" in names:
        return (load_game(ruleset, ("gammons",)).ruleset,)
    chosen = chain.from_iterable(combinations(names, number) for number in range(len(names) + 1))
    return tuple(load_game(ruleset, options).ruleset for options in chosen)


@dataclass(slots=True)
class Adam:
    """Adam (Kingma and Ba 2015), the usual stochastic gradient descent: its state for arrays, which it changes."""

    arrays: Sequence[Floats]
    means: list[Floats] = field(init=False)
    squares: list[Floats] = field(init=False)
    steps: int = 0

    def __post_init__(self) -> None:
        self.means = [np.zeros_like(array) for array in self.arrays]
        self.squares = [np.zeros_like(array) for array in self.arrays]

    def step(self, gradients: Sequence[Floats], rate: float) -> None:
        """One step against the gradients."""
        self.steps += 1
        rate *= (1 - 0.999**self.steps) ** 0.5 / (1 - 0.9**self.steps)
        for array, gradient, mean, square in zip(
            self.arrays, gradients, self.means, self.squares, strict=True
        ):
            mean += np.float32(0.1) * (gradient - mean)
            square += np.float32(0.001) * (gradient * gradient - square)
            array -= np.float32(rate) * mean / (np.sqrt(square) + np.float32(1e-8))


@dataclass(frozen=True, slots=True)
class TrainingRound:
    """Progress of the training after a round."""

    number: int
    games: int
    turns: int
    loss: float
    """Mean cross-entropy of the positions with contact, in nats."""


class Training:
    """A plan that is being carried out."""

    def __init__(self, plan: TrainingPlan, begin: Evaluator | None = None) -> None:
        """Raises `LabPlanError` if the weights to begin with are no networks for the ruleset."""
        self.plan = plan
        games = plan.tables()
        self.evaluator = new_evaluator(plan.name, games[0].rules, plan.hidden, plan.seed)
        self.tables = [
            SelfPlay(game, [OpenGame(game.start()) for _ in range(BOARDS)]) for game in games
        ]
        if begin is not None:
            self._begin_with(begin)
        self.adams = {
            phase: Adam(network.arrays) for phase, network in self.evaluator.networks.items()
        }
        self.done = TrainingRound(0, 0, 0, 0.0)
        self.kept: list[Played] = []
        """The games of the round before, from which the next one learns once more."""

    def _begin_with(self, begin: Evaluator) -> None:
        """Take its networks, widened where the plan has wider ones."""
        chance = np.random.default_rng(self.plan.seed)
        if begin.networks.keys() != self.evaluator.networks.keys():
            raise LabPlanError(
                f"{begin.name} has networks for {', '.join(begin.networks)}, which is another kind of game"
            )
        for phase, fresh in self.evaluator.networks.items():
            network = begin.networks[phase]
            found, wanted = (
                [len(one.weights[0]), *map(len, one.biases)] for one in (network, fresh)
            )
            if len(found) != len(wanted) or (found[0], found[-1]) != (wanted[0], wanted[-1]):
                raise LabPlanError(
                    f"{begin.name} has layers of {found} for {phase}, inputs first and ways to win last; "
                    f"{self.tables[0].game.name} needs {wanted}"
                )
            if not all(one <= other <= 2 * one for one, other in zip(found, wanted, strict=True)):
                raise LabPlanError(
                    f"{begin.name} has hidden layers of {found[1:-1]} for {phase}; they can be made wider, at most "
                    f"twice, and {wanted[1:-1]} are asked for"
                )
            for array, taken in zip(
                fresh.arrays, widened(network, wanted[1:-1], chance).arrays, strict=True
            ):
                array[:] = taken

    @property
    def is_over(self) -> bool:
        """True once all games of the plan have been played."""
        return self.done.games >= self.plan.games

    def play_round(self) -> None:
        """Play, and learn from these games and those of the round before."""
        number = self.done.number
        chance = Random(f"{self.plan.seed}/{number}")
        table, before = (self.tables[place % len(self.tables)] for place in (number, number - 1))
        fresh = list(self._played(table, chance))
        lessons: defaultdict[Phase, list[tuple[Floats, Floats]]] = defaultdict(list)
        played = (
            [(table, self.kept + fresh)]
            if before is table
            else [(before, self.kept), (table, fresh)]
        )
        for of, games in played:
            if games:
                evaluator = self.evaluator.under(of.game.rules)
                states, targets = returns(evaluator, games, TRACE)
                counts = counts_of(states)
                for phase, rows in rows_of(counts, evaluator.rules.facing).items():
                    inputs = np.ascontiguousarray(evaluator.inputs_of(counts[..., rows], phase))
                    lessons[phase].append((inputs, targets[rows][:, evaluator.columns(phase)]))
        share = min(self.done.games / self.plan.games, 1)
        rate = exp((1 - share) * log(RATES[0]) + share * log(RATES[1]))
        shuffle = np.random.default_rng((self.plan.seed, number))
        losses = {}
        for phase, network in self.evaluator.networks.items():
            inputs, learnt = (np.concatenate(parts) for parts in zip(*lessons[phase], strict=True))
            order = shuffle.permutation(len(inputs))
            losses[phase] = learn(network, self.adams[phase], Examples(inputs, learnt), order, rate)
        self.kept = fresh
        turns = sum(len(game.states) + 1 for game in fresh)
        self.done = TrainingRound(
            number + 1, self.done.games + len(fresh), self.done.turns + turns, losses["contact"]
        )

    def _played(self, table: SelfPlay, chance: Random) -> Iterator[Played]:
        """Games with so many positions; where they do not end, the beginner plays them on."""
        evaluator = self.evaluator.under(table.game.rules)
        player: PositionJudge = evaluator
        astray = positions_astray(table.game, evaluator, (self.plan.seed, self.done.number), chance)
        positions = turns = 0
        while positions < POSITIONS:
            if turns > PATIENCE * POSITIONS:
                player = Beginner(table.game.rules)
            turns += len(table.boards)
            for game in table.step(player, chance, astray):
                positions += len(game.states)
                yield game


def learn(
    network: Network, adam: Adam, examples: Examples, order: NDArray[np.intp], rate: float
) -> float:
    """Learn the rows of `order` in batches; gives the mean loss in nats."""
    losses = []
    for begin in range(0, len(order), BATCH):
        found, loss = gradients(network, examples.of(order[begin : begin + BATCH]))
        adam.step(found, rate)
        losses.append(loss)
    return float(np.mean(losses)) if losses else 0.0

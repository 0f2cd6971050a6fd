"""Training by self-play: play, learn from the games, write a checkpoint, repeat.

The same plan gives the same weights on machines of the same kind, also if it was killed and started
again on the way: the chance of every round comes from the seed and the number of the round alone,
and a checkpoint holds all else.
"""

import json
from collections import defaultdict
from collections.abc import (
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import (
    asdict,
    dataclass,
    field,
)
from itertools import chain, combinations
from math import exp, log
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.analysis.arrays import (
    Floats,
    Phase,
    counts_of,
    rows_of,
)
from arena.analysis.evaluator import Evaluator, new_evaluator
from arena.analysis.network import (
    Examples,
    Network,
    gradients,
    widen,
)
from arena.analysis.search import PositionJudge
from arena.games import (
    Game,
    load_game,
    option_names,
)
from arena.games.tables.game import TablesGame
from arena.lab.self_play import (
    GameOfItself,
    Played,
    SelfPlay,
    returns,
    unusual_positions,
)
from arena.lab.strength import Beginner

BOARDS = 256
POSITIONS = 60_000
"""Positions of a round, at least."""
PATIENCE = 3
"""The most turns of a round, as a multiple of its positions: games of networks that know little may
never end."""
BATCH = 512
"""Positions of one step of Adam."""
HIDDEN = (128, 32)
"""Widths of the hidden layers by default."""
TRACE = 0.8
"""The lambda of the returns (Sutton and Barto, Reinforcement Learning, chapter 12)."""
RATES = (2e-3, 1e-4)
"""The learning rate at the beginning and at the end; it falls by the same factor per game."""


class LabPlanError(Exception):
    """A plan that cannot be carried out; the message says what to do."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class TrainingPlan:
    """A training from nothing to an evaluator, or from an evaluator to a better one."""

    name: str
    rulesets: tuple[Mapping[str, Any], ...]
    """The fields of the rulesets that are played; self-play takes one after the other, one per
    round."""
    games: int
    """The games of self-play; none with weights to begin with."""
    begin: str = ""
    """The SHA-256 of the weights to begin with, in hexadecimal; empty to begin from nothing."""
    generations: int = 0
    """The number of generations after self-play: each looks at positions one turn deeper, by what
    was learnt so far."""
    positions: int = 100_000
    """Positions of a generation."""
    played_out: int = 0
    """Positions of a last generation, which are played out."""
    seed: int = 1
    hidden: tuple[int, ...] = HIDDEN
    """Widths of the hidden layers of the networks for contact; those of the network for races are
    half of them."""

    def tables(self) -> list[TablesGame]:
        """Return the games that are played; raises `LabPlanError` for one that no network knows."""
        tables = []
        for fields in self.rulesets:
            game = load_game(fields)
            if not isinstance(game, TablesGame):
                raise LabPlanError(f"evaluators are for tables games; {game.name} is none")
            tables.append(game)
        return tables

    def text(self) -> str:
        """Format the plan for the folder of the training."""
        return json.dumps(asdict(self), indent=1) + "\n"


def plan_of(text: str) -> TrainingPlan:
    """Parse a plan, the inverse of `TrainingPlan.text`; raises `LabPlanError`."""
    try:
        fields = json.loads(text)
        lists = {"rulesets": tuple(fields["rulesets"]), "hidden": tuple(fields["hidden"])}
        return TrainingPlan(**{**fields, **lists})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise LabPlanError(f"the plan cannot be read ({error})") from None


def rulesets_with_options(ruleset: str | Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """Return a ruleset; if it is known by name, with every choice of its options.

    Raises `GameError`. Backgammon is trained with gammons alone: a network that knows their chance
    knows the worth of a game without them.
    """
    game: Game[Any] = load_game(ruleset)
    if not isinstance(ruleset, str):
        return (game.ruleset,)
    names = option_names(ruleset)
    if "no_gammons" in names:
        return (game.ruleset,)
    chosen = chain.from_iterable(combinations(names, number) for number in range(len(names) + 1))
    return tuple(load_game(ruleset, options).ruleset for options in chosen)


@dataclass(slots=True)
class Adam:
    """Adam (Kingma and Ba 2015), a stochastic gradient descent: its state for arrays.

    It changes the arrays.
    """

    arrays: Sequence[Floats]
    means: list[Floats] = field(init=False)
    squares: list[Floats] = field(init=False)
    steps: int = 0

    def __post_init__(self) -> None:
        self.means = [np.zeros_like(array) for array in self.arrays]
        self.squares = [np.zeros_like(array) for array in self.arrays]

    def step(self, gradients: Sequence[Floats], rate: float) -> None:
        """Take one step against the gradients."""
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


class _PhaseLessons(NamedTuple):
    """Lessons of one network."""

    inputs: Floats
    targets: Floats


class Training:
    """A plan and the progress of its self-play."""

    def __init__(self, plan: TrainingPlan, begin: Evaluator | None = None) -> None:
        """Raise `LabPlanError` if the weights to begin with are no networks for the ruleset."""
        self.plan = plan
        games = plan.tables()
        self.evaluator = new_evaluator(plan.name, games[0].rules, plan.hidden, plan.seed)
        self.tables: list[SelfPlay] = []
        for game in games:
            boards = [GameOfItself(game.start()) for _ in range(BOARDS)]
            self.tables.append(SelfPlay(game, boards))
        if begin is not None:
            self._begin_with(begin)
        networks = self.evaluator.networks
        self.adams = {phase: Adam(network.arrays) for phase, network in networks.items()}
        self.done = TrainingRound(0, 0, 0, 0.0)
        self.kept: list[Played] = []
        """The games of the round before, from which the next one learns once more."""

    def _begin_with(self, begin: Evaluator) -> None:
        """Take its networks, widened where the plan has wider ones."""
        chance = np.random.default_rng(self.plan.seed)
        if begin.networks.keys() != self.evaluator.networks.keys():
            phases = ", ".join(begin.networks)
            raise LabPlanError(
                f"{begin.name} has networks for {phases}, which is another kind of game"
            )
        for phase, fresh in self.evaluator.networks.items():
            network = begin.networks[phase]
            self._check_widths(begin.name, phase, _widths(network), _widths(fresh))
            wider = widen(network, _widths(fresh)[1:-1], chance)
            for array, wider_array in zip(fresh.arrays, wider.arrays, strict=True):
                array[:] = wider_array

    def _check_widths(
        self,
        name: str,
        phase: Phase,
        widths: list[int],
        wanted: list[int],
    ) -> None:
        """Raise `LabPlanError` for layers that cannot be widened to those of the plan."""
        same_ends = (widths[0], widths[-1]) == (wanted[0], wanted[-1])
        if len(widths) != len(wanted) or not same_ends:
            raise LabPlanError(
                f"{name} has layers of {widths} for {phase}, inputs first and ways to win last; "
                f"{self.tables[0].game.name} needs {wanted}"
            )
        pairs = zip(widths, wanted, strict=True)
        if not all(width <= target <= 2 * width for width, target in pairs):
            raise LabPlanError(
                f"{name} has hidden layers of {widths[1:-1]} for {phase}; they can be made wider, "
                f"at most twice, and {wanted[1:-1]} are asked for"
            )

    @property
    def is_over(self) -> bool:
        """True once all games of the plan have been played."""
        return self.done.games >= self.plan.games

    def play_round(self) -> None:
        """Play, and learn from these games and those of the round before."""
        number = self.done.number
        random = Random(f"{self.plan.seed}/{number}")
        table = self.tables[number % len(self.tables)]
        fresh = list(self._play(table, random))
        losses = self._learn(self._make_lessons(table, fresh))
        self.kept = fresh
        turns = sum(len(game.states) + 1 for game in fresh)
        self.done = TrainingRound(
            number=number + 1,
            games=self.done.games + len(fresh),
            turns=self.done.turns + turns,
            loss=losses["contact"],
        )

    def _make_lessons(
        self,
        table: SelfPlay,
        fresh: list[Played],
    ) -> dict[Phase, list[_PhaseLessons]]:
        """Return what the networks learn from the kept games and from the fresh ones of a table."""
        before = self.tables[(self.done.number - 1) % len(self.tables)]
        batches = [(before, self.kept), (table, fresh)]
        if before is table:
            batches = [(table, self.kept + fresh)]
        lessons: defaultdict[Phase, list[_PhaseLessons]] = defaultdict(list)
        for source, games in batches:
            if not games:
                continue
            evaluator = self.evaluator.under(source.game.rules)
            states, targets = returns(evaluator, games, TRACE)
            counts = counts_of(states)
            for phase, rows in rows_of(counts, evaluator.rules.facing).items():
                inputs = np.ascontiguousarray(evaluator.inputs_of(counts[..., rows], phase))
                columns = evaluator.columns(phase)
                lessons[phase].append(_PhaseLessons(inputs, targets[rows][:, columns]))
        return lessons

    def _learn(self, lessons: Mapping[Phase, list[_PhaseLessons]]) -> dict[Phase, float]:
        """Teach each network its lessons once, in random order; return the losses."""
        share = min(self.done.games / self.plan.games, 1)
        first, last = RATES
        rate = exp((1 - share) * log(first) + share * log(last))
        shuffle = np.random.default_rng((self.plan.seed, self.done.number))
        losses: dict[Phase, float] = {}
        for phase, network in self.evaluator.networks.items():
            inputs = np.concatenate([part.inputs for part in lessons[phase]])
            targets = np.concatenate([part.targets for part in lessons[phase]])
            order = shuffle.permutation(len(inputs))
            examples = Examples(inputs, targets)
            losses[phase] = learn(
                network,
                self.adams[phase],
                examples,
                order,
                rate,
            )
        return losses

    def _play(self, table: SelfPlay, random: Random) -> Iterator[Played]:
        """Yield games until they have `POSITIONS`.

        Where games do not end, the beginner plays them on.
        """
        evaluator = self.evaluator.under(table.game.rules)
        player: PositionJudge = evaluator
        seed = (self.plan.seed, self.done.number)
        unusual = unusual_positions(table.game, evaluator, seed, random)
        positions = turns = 0
        while positions < POSITIONS:
            if turns > PATIENCE * POSITIONS:
                player = Beginner(table.game.rules)
            turns += len(table.boards)
            for game in table.step(player, random, unusual):
                positions += len(game.states)
                yield game


def _widths(network: Network) -> list[int]:
    """Return the widths of all layers: the inputs, the hidden ones, the ways to win."""
    return [len(network.weights[0]), *map(len, network.biases)]


def learn(
    network: Network,
    adam: Adam,
    examples: Examples,
    order: NDArray[np.intp],
    rate: float,
) -> float:
    """Learn the rows of `order` in batches; returns the mean loss in nats."""
    losses = []
    for begin in range(0, len(order), BATCH):
        batch = examples.of(order[begin : begin + BATCH])
        slopes, loss = gradients(network, batch)
        adam.step(slopes, rate)
        losses.append(loss)
    if not losses:
        return 0.0
    return float(np.mean(losses))

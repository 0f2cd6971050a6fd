"""Learning under supervision: positions of every kind, what they are worth by a deeper look, networks that learn it.

Self-play alone stops getting stronger: its lessons hold the luck of the games, and come from good
games alone. Here every position is looked at one turn deeper, or played out, and many of them come
from games of weak players. They are the best few turns of decisions, so that networks learn what
makes one turn better than another.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from random import Random
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.analysis.arrays import Counts, Floats, Phase, counts_of, phases_of, rows_of
from arena.analysis.evaluator import Evaluator, new_evaluator, other_side, points_of
from arena.analysis.network import Examples, Network, begins_of, loss_of
from arena.analysis.processes import in_processes
from arena.analysis.search import best_turns, dice_to_roll, looked_into, ranked_many, rollout
from arena.games.playing import rolls
from arena.games.tables.board import Facing
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.turns import Turns
from arena.lab.self_play import latest_positions
from arena.lab.strength import Weakened
from arena.lab.training import Adam, learn

NOISE: Final = (0.0, 0.0, 0.05, 0.15)
"""Players of the games that positions come from: the evaluator with so much noise in points."""
PATIENCE: Final = 6
"""Turns that are played for each position wanted, at most; rare phases may then have fewer."""
BOARDS: Final = 32
"""Games of each player that positions are taken from, in step."""
PER_DECISION: Final = 2.5
"""Positions that a decision has, about."""
AT_ONCE: Final = 40
"""Positions that are looked at one turn deeper in one batch."""
GAMES: Final = 36
"""How often a position is played out: once with each first roll."""
TURNS: Final = 7
"""Turns of a game that is played out, before the evaluator says what it is worth."""
HELD_OUT: Final = 20
"""One decision of so many is not learnt, and tells which pass was the best."""
SIEVE_HIDDEN: Final = (64, 16)
SIEVE_ROLLS: Final = 60_000
"""Rolls that a sieve learns from."""
SIEVE_TURNS: Final = 24
"""Turns of a roll that it learns, at most."""
SIEVE_PASSES: Final = 20
SIEVE_RATES: Final = (3e-3, 5e-5)
OTHERS: Final = 0.3
"""The weight of positions of another phase with contact than that of a network."""

Seed: TypeAlias = tuple[int, ...]
Decisions: TypeAlias = Sequence[Sequence[int]]
"""For each decision the packed positions after its best turns, the best one first."""
Valuer: TypeAlias = Callable[[TablesGame, Evaluator, Decisions], Floats]
"""Says what these positions are worth: probabilities, shape (positions, 2 * ways)."""


class Taught(NamedTuple):
    """Positions under a ruleset, and what is to be learnt of them."""

    rules: Ruleset
    states: Sequence[int]
    begins: NDArray[np.bool_]
    """True for the first position of each decision."""
    targets: Floats
    """Shape (states, 2 * ways)."""
    times: int = 1
    """The number of times that each is learnt in a pass."""


Lesson: TypeAlias = Callable[[TablesGame, Evaluator, int, Seed], Taught]
"""Makes lessons of about so many positions, or of so many rolls."""


def shares_of(facing: Facing) -> Mapping[Phase, float]:
    """The share of each phase in the positions; more of the rare ones than in games."""
    if "crashed" in phases_of(facing):
        return {"contact": 0.6, "crashed": 0.25, "race": 0.15}
    return {"contact": 0.85, "race": 0.15}


def diverse(game: TablesGame, evaluator: Evaluator, number: int, seed: Seed) -> list[int]:
    """Positions after a turn, none twice, in an order by chance, out of games of players of several strengths.

    Games go on until the rarest phase has enough; of the others some are taken by chance. Those
    that the table of the evaluator knows are left out: nobody asks a network about them.
    """
    shares, chance = shares_of(game.rules.facing), Random(f"{seed}/diverse")
    wanted = {phase: round(share * number) for phase, share in shares.items()}
    found: dict[Phase, dict[int, None]] = {phase: {} for phase in shares}
    players = [
        latest_positions(game, Weakened(evaluator, noise, seed), BOARDS, chance) for noise in NOISE
    ]
    turns = 0
    while any(len(found[phase]) < wanted[phase] for phase in shares) and turns < PATIENCE * number:
        new: list[int] = []
        for games in players:
            new += next(games)
            turns += BOARDS
        counts = counts_of(new)
        known = _known(evaluator, counts)
        for phase, places in rows_of(counts, game.rules.facing).items():
            found[phase] |= dict.fromkeys(new[place] for place in places if not known[place])
    states = list[int]()
    for phase, all_of_it in found.items():
        states += chance.sample([*all_of_it], min(wanted[phase], len(all_of_it)))
    chance.shuffle(states)
    return states


def decisions(
    game: TablesGame, evaluator: Evaluator, states: Sequence[int], chance: Random
) -> list[list[int]]:
    """Roll the dice for the side to move in each position, and take the turns that are worth a deeper look.

    Endings, and what the table of the evaluator knows, are left out, and decisions of which less
    than two turns remain.
    """
    asked = list(_rolled(game, evaluator, states, chance))
    found = list[list[int]]()
    for turns, ranking in zip(asked, ranked_many(game, evaluator, asked), strict=True):
        near = [turns.results()[one.place] for one in looked_into(ranking)]
        found.append([state for state, ending in near if ending is None])
    unknown = iter(~_known(evaluator, counts_of([*chain(*found)])))
    found = [[state for state in of if next(unknown)] for of in found]
    return [of for of in found if len(of) > 1]


def _rolled(
    game: TablesGame, evaluator: Evaluator, states: Iterable[int], chance: Random
) -> Iterator[Turns]:
    """The legal turns of the side to move in each position, with dice by chance."""
    for state in states:
        position = from_state(swapped(state), game.rules.layout)
        dice = tuple(chance.randrange(1, 7) for _ in range(dice_to_roll(game, evaluator, position)))
        yield game.legal_turns(position, dice)


def _known(evaluator: Evaluator, counts: Counts) -> NDArray[np.bool_]:
    """Say which positions the table of the evaluator knows."""
    return (
        evaluator.table.covers(counts) if evaluator.table else np.zeros(counts.shape[-1], np.bool_)
    )


def deeper(game: TablesGame, evaluator: Evaluator, decisions: Decisions) -> Floats:
    """Return the value of positions after the opponent's best answers to all its rolls; shape (states, 2 * ways)."""
    states = [*chain(*decisions)]
    begins = range(0, len(states), AT_ONCE)
    return np.concatenate(
        [_deeper(game, evaluator, states[begin : begin + AT_ONCE]) for begin in begins]
    )


def played_out(game: TablesGame, evaluator: Evaluator, decisions: Decisions) -> Floats:
    """Return how often each way came when positions were played out; shape (states, 2 * ways).

    All turns of a decision have the same dice, so that their differences have little luck.
    """
    return np.concatenate(
        [
            rollout(game, evaluator, states, GAMES, states[0], TURNS).probabilities
            for states in decisions
        ]
    )


def lessons(
    game: TablesGame, evaluator: Evaluator, number: int, seed: Seed, value: Valuer
) -> Taught:
    """Draw decisions with about so many positions, and say what these are worth."""
    states = diverse(game, evaluator, round(number / PER_DECISION), seed)
    drawn = decisions(game, evaluator, states, Random(f"{seed}/dice"))
    return _taught(game, drawn, value(game, evaluator, drawn))


def _taught(game: TablesGame, drawn: Decisions, targets: Floats) -> Taught:
    begins = np.array([place == 0 for of in drawn for place in range(len(of))], np.bool_)
    return Taught(game.rules, [*chain(*drawn)], begins, targets)


def every_turn(game: TablesGame, evaluator: Evaluator, number: int, seed: Seed) -> Taught:
    """Roll the dice in so many positions, and say what the evaluator thinks of every turn."""
    chance, drawn = Random(f"{seed}/every turn"), list[list[int]]()
    for turns in _rolled(game, evaluator, diverse(game, evaluator, number, seed), chance):
        going_on = [*dict.fromkeys(turns.states_and_endings()[0])]
        drawn.append(chance.sample(going_on, min(len(going_on), SIEVE_TURNS)))
    return _taught(game, drawn, evaluator.probabilities([*chain(*drawn)]))


def sieve_of(
    evaluator: Evaluator, taught: Sequence[Taught], seed: int, workers: int = 1
) -> Evaluator:
    """Small networks that have learnt what an evaluator thinks of every turn."""
    sieve = new_evaluator(evaluator.name, evaluator.rules, SIEVE_HIDDEN, seed, is_sieve=True)
    learn_from(sieve, taught, SIEVE_PASSES, SIEVE_RATES, seed, workers)
    return replace(sieve, table=evaluator.table)


def learn_from(
    evaluator: Evaluator,
    taught: Sequence[Taught],
    passes: int,
    rates: tuple[float, float],
    seed: int,
    workers: int = 1,
) -> dict[Phase, float]:
    """Learn what was taught, in so many passes with a falling rate; changes the weights to those of the best pass.

    Each network for positions with contact learns all of these, its own with more weight. Gives the
    loss of the last of `taught`, as far as it was held out, in nats. Up to one process for each
    network.
    """
    phases = [*evaluator.networks]
    make = partial(_learn, evaluator, taught, passes, rates, seed)
    losses = dict[Phase, float]()
    for phase, (arrays, loss) in zip(
        phases, in_processes(make, phases, min(workers, len(phases))), strict=True
    ):
        losses[phase] = loss
        for array, learnt in zip(evaluator.networks[phase].arrays, arrays, strict=True):
            array[:] = learnt
    return losses


@dataclass(frozen=True, slots=True)
class _Lessons:
    """All that one network learns."""

    examples: Examples
    order: NDArray[np.intp]
    """The rows that are learnt in a pass, some of them several times; those of a decision side by
    side."""
    held: NDArray[np.intp]
    """The rows that are held out."""

    def shuffled(self, chance: np.random.Generator) -> NDArray[np.intp]:
        """Return the order of another pass: decisions by chance, each in one piece."""
        decisions = self.examples.decisions
        assert decisions is not None
        parts = np.split(self.order, begins_of(decisions[self.order])[1:])
        return np.concatenate([parts[place] for place in chance.permutation(len(parts))])


def _lessons(evaluator: Evaluator, phase: Phase, taught: Sequence[Taught]) -> _Lessons:
    columns = evaluator.columns(phase)
    inputs, targets, weights, decisions = (
        list[Floats](),
        list[Floats](),
        list[Floats](),
        list[NDArray[np.intp]](),
    )
    order, held = [np.empty(0, np.intp)], [np.empty(0, np.intp)]  # rows
    number = before = 0  # rows and decisions
    for one in taught:
        counts = counts_of(one.states)
        places_of = rows_of(counts, evaluator.rules.facing)
        taken = [
            places for other, places in places_of.items() if (other == "race") == (phase == "race")
        ]
        places = np.sort(np.concatenate(taken))
        is_own = np.isin(places, places_of[phase])
        decision = np.cumsum(one.begins)[places]
        under = evaluator.under(one.rules)
        inputs.append(np.ascontiguousarray(under.inputs_of(counts[..., places], phase)))
        targets.append(one.targets[places][:, columns])
        weights.append(np.where(is_own, np.float32(1), np.float32(OTHERS)))
        decisions.append(before + decision)
        before += len(one.states)
        rows = np.arange(number, number + len(places))
        number += len(places)
        is_held = decision % HELD_OUT == 0
        order += [rows[~is_held]] * one.times
        if one is taught[-1]:
            held.append(rows[is_held & is_own])
    examples = Examples(
        inputs=np.concatenate(inputs),
        targets=np.concatenate(targets),
        weights=np.concatenate(weights),
        decisions=np.concatenate(decisions),
        points=points_of(evaluator.ways, evaluator.rules)[columns],
    )
    return _Lessons(examples, np.concatenate(order), np.concatenate(held))


def _learn(
    evaluator: Evaluator,
    taught: Sequence[Taught],
    passes: int,
    rates: tuple[float, float],
    seed: int,
    phase: Phase,
) -> tuple[list[Floats], float]:
    """Return the arrays of the network of a phase after its best pass, and its loss."""
    network, lessons = evaluator.networks[phase], _lessons(evaluator, phase, taught)
    adam, chance = Adam(network.arrays), np.random.default_rng((seed, 1 << 32))
    least, best = _loss(network, lessons), [array.copy() for array in network.arrays]
    for rate in np.geomspace(*rates, passes):
        learn(network, adam, lessons.examples, lessons.shuffled(chance), float(rate))
        loss = _loss(network, lessons)
        if loss <= least:
            least, best = loss, [array.copy() for array in network.arrays]
    return best, least


def _loss(network: Network, lessons: _Lessons) -> float:
    """Return the loss of the positions that are held out; 0 if there are none."""
    if not len(lessons.held):
        return 0.0
    held = lessons.examples.of(lessons.held)
    return loss_of(network.probabilities(held.inputs), held)[0]


def _deeper(game: TablesGame, evaluator: Evaluator, states: Sequence[int]) -> Floats:
    asked, shares = [], []
    for place, state in enumerate(states):
        position = from_state(swapped(state), game.rules.layout)
        for roll, share in rolls(dice_to_roll(game, evaluator, position)).items():
            asked.append((position, roll))
            shares.append((place, np.float32(share)))
    answers = best_turns(game, evaluator, asked)
    found = np.zeros((len(states), 2 * len(evaluator.ways)), dtype=np.float32)
    thought = iter(evaluator.probabilities([best.state for best in answers if best.ending is None]))
    for (place, weight), best in zip(shares, answers, strict=True):
        if best.ending:
            found[place, evaluator.ways.index((best.ending.name, best.ending.monk))] += weight
        else:
            found[place] += weight * next(thought)
    return other_side(found)

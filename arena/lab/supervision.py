"""Learning under supervision: positions of every kind, what they are worth by a deeper look, networks that learn it.

Self-play alone stops getting stronger: its lessons hold the luck of the games, and come from good games alone. Here
every position is looked at one turn deeper, or played out, and many of them come from games of weak players.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from arena.analysis.arrays import Floats, Phase, counts_of, phases_of, rows_of
from arena.analysis.evaluator import Evaluator, other_side
from arena.analysis.features import inputs_of
from arena.analysis.network import Network
from arena.analysis.search import best_turns, dice_to_roll, rollout
from arena.games.playing import rolls
from arena.games.tables.board import Facing
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped
from arena.games.tables.ruleset import Ruleset
from arena.lab.self_play import latest_positions
from arena.lab.strength import Weakened
from arena.lab.training import Adam, learn

NOISE: Final = (0.0, 0.0, 0.05, 0.15)
"""Players of the games that positions come from: the evaluator with so much noise in points."""
TAKEN: Final = 0.25
"""The share of the positions of a game that is taken: neighbours teach nearly the same."""
PATIENCE: Final = 20
"""Turns that are played for each position wanted, at most; rare phases may then have fewer."""
BOARDS: Final = 32
"""Games of each player that positions are taken from, in step."""
AT_ONCE: Final = 40
"""Positions that are looked at one turn deeper in one batch."""
GAMES: Final = 36
"""How often a position is played out: once with each first roll."""
TURNS: Final = 7
"""Turns of a game that is played out, before the evaluator says what it is worth."""
SAME_DICE: Final = 8
"""Positions that are played out with the same dice; few, so that their errors do not add up in what is learnt."""
HELD_OUT: Final = 20
"""One position of so many is not learnt, and tells which pass was the best."""
OTHERS: Final = 0.3
"""The weight of positions of another phase with contact than that of a network."""

Seed: TypeAlias = tuple[int, ...]
Valuer: TypeAlias = Callable[[TablesGame, Evaluator, Sequence[int]], Floats]
"""Says what positions are worth: probabilities, shape (positions, 2 * ways)."""


class Taught(NamedTuple):
    """Positions under a ruleset, and what is to be learnt of them."""

    rules: Ruleset
    states: Sequence[int]
    targets: Floats
    """Shape (states, 2 * ways)."""
    times: int = 1
    """The number of times that each is learnt in a pass."""


def shares_of(facing: Facing) -> Mapping[Phase, float]:
    """The share of each phase in the positions; more of the rare ones than in games."""
    if "crashed" in phases_of(facing):
        return {"contact": 0.6, "crashed": 0.25, "race": 0.15}
    return {"contact": 0.85, "race": 0.15}


def diverse(game: TablesGame, evaluator: Evaluator, number: int, seed: Seed) -> list[int]:
    """Positions after a turn, none twice, in an order by chance, out of games of players of several strengths.

    Those that the table of the evaluator knows are left out: nobody asks a network about them.
    """
    shares, chance = shares_of(game.rules.facing), Random(f"{seed}/diverse")
    wanted = {phase: round(share * number) for phase, share in shares.items()}
    found: dict[Phase, dict[int, None]] = {phase: {} for phase in shares}
    players = [latest_positions(game, Weakened(evaluator, noise, seed), BOARDS, chance) for noise in NOISE]
    turns = 0
    while any(len(found[phase]) < wanted[phase] for phase in shares) and turns < PATIENCE * number:
        new: list[int] = []
        for games in players:
            new += [state for state in next(games) if chance.random() < TAKEN]
            turns += BOARDS
        counts = counts_of(new)
        known = evaluator.table.covers(counts) if evaluator.table else np.zeros(len(new), np.bool_)
        for phase, places in rows_of(counts, game.rules.facing).items():
            found[phase] |= dict.fromkeys(new[place] for place in places if not known[place])
    states = [state for phase in shares for state in list(found[phase])[: wanted[phase]]]
    chance.shuffle(states)
    return states


def deeper(game: TablesGame, evaluator: Evaluator, states: Sequence[int]) -> Floats:
    """Return the value of positions after the opponent's best answers to all its rolls; shape (states, 2 * ways)."""
    begins = range(0, len(states), AT_ONCE)
    return np.concatenate([_deeper(game, evaluator, states[begin : begin + AT_ONCE]) for begin in begins])


def played_out(game: TablesGame, evaluator: Evaluator, states: Sequence[int]) -> Floats:
    """Return how often each way came when positions were played out; shape (states, 2 * ways)."""
    parts = [states[begin : begin + SAME_DICE] for begin in range(0, len(states), SAME_DICE)]
    return np.concatenate([rollout(game, evaluator, part, GAMES, part[0], TURNS).probabilities for part in parts])


def lessons(game: TablesGame, evaluator: Evaluator, value: Valuer, number: int, seed: Seed) -> tuple[list[int], Floats]:
    """Draw so many positions, and say what they are worth."""
    states = diverse(game, evaluator, number, seed)
    return states, value(game, evaluator, states)


def learn_from(
    evaluator: Evaluator, taught: Sequence[Taught], passes: int, rates: tuple[float, float], seed: int
) -> dict[Phase, float]:
    """Learn what was taught, in so many passes with a falling rate; changes the weights to those of the best pass.

    Each network for positions with contact learns all of these, its own with more weight. Gives the cross-entropy of
    the last of `taught`, as far as it was held out, in nats.
    """
    return {
        phase: _learn(network, _lessons(evaluator, phase, taught), passes, rates, seed)
        for phase, network in evaluator.networks.items()
    }


@dataclass(frozen=True, slots=True)
class _Lessons:
    """All that one network learns. Arrays with a row for each position."""

    inputs: Floats
    targets: Floats
    weights: Floats
    order: np.ndarray
    """The rows that are learnt in a pass, some of them several times."""
    held: np.ndarray
    """The rows that are held out."""


def _lessons(evaluator: Evaluator, phase: Phase, taught: Sequence[Taught]) -> _Lessons:
    inputs, targets, weights = list[Floats](), list[Floats](), list[Floats]()
    order, held = [np.empty(0, np.intp)], [np.empty(0, np.intp)]  # rows
    number = 0
    for one in taught:
        counts = counts_of(one.states)
        for other, places in rows_of(counts, evaluator.rules.facing).items():
            if (other == "race") != (phase == "race"):
                continue
            inputs.append(np.ascontiguousarray(inputs_of(counts[..., places], one.rules, phase)))
            targets.append(one.targets[places][:, evaluator.columns(phase)])
            weights.append(np.full(len(places), 1 if other == phase else OTHERS, np.float32))
            rows = np.arange(number, number + len(places))
            number += len(places)
            is_held = places % HELD_OUT == 0
            order += [rows[~is_held]] * one.times
            if other == phase and one is taught[-1]:
                held.append(rows[is_held])
    return _Lessons(
        inputs=np.concatenate(inputs),
        targets=np.concatenate(targets),
        weights=np.concatenate(weights),
        order=np.concatenate(order),
        held=np.concatenate(held),
    )


def _learn(network: Network, lessons: _Lessons, passes: int, rates: tuple[float, float], seed: int) -> float:
    adam, chance = Adam(network.arrays), np.random.default_rng((seed, 1 << 32))
    least, best = _loss(network, lessons), [array.copy() for array in network.arrays]
    for rate in np.geomspace(*rates, passes):
        order = chance.permutation(lessons.order)
        learn(network, adam, lessons.inputs, lessons.targets, order, float(rate), lessons.weights)
        loss = _loss(network, lessons)
        if loss <= least:
            least, best = loss, [array.copy() for array in network.arrays]
    for array, kept in zip(network.arrays, best, strict=True):
        array[:] = kept
    return least


def _loss(network: Network, lessons: _Lessons) -> float:
    """Return the cross-entropy of the positions that are held out; 0 if there are none."""
    if not len(lessons.held):
        return 0.0
    said = network.probabilities(lessons.inputs[lessons.held])
    return -float((lessons.targets[lessons.held] * np.log(said + np.float32(1e-9))).sum(axis=1).mean())


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

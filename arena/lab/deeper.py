"""The last stage of a training: positions looked at one turn deeper, and learnt once more under supervision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from operator import attrgetter
from random import Random
from typing import Final

import numpy as np

from arena.analysis.arrays import Floats, counts_of
from arena.analysis.evaluator import Evaluator, other_side, points_of
from arena.analysis.search import dice_to_roll
from arena.games.playing import rolls
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped
from arena.lab.self_play import OpenGame, SelfPlay
from arena.lab.training import Adam, Lessons, learn

TAKEN: Final = 0.25
"""The share of the positions of a game that is taken: neighbours teach nearly the same."""
AT_ONCE: Final = 40
"""Positions that are looked at in one batch."""
PASSES: Final = 4
RATES: Final = (4e-4, 2e-5)
"""The learning rate of the first pass and of the last."""


def positions(game: TablesGame, evaluator: Evaluator, number: int, seed: str) -> list[int]:
    """Positions after a turn out of games that the evaluator plays against itself."""
    chance = Random(seed)
    found: list[int] = []
    table = SelfPlay(game, [OpenGame(game.start()) for _ in range(256)])
    while len(found) < number:
        for played in table.step(evaluator, chance):
            found += [state for state in played.states if chance.random() < TAKEN]
    return found[:number]


def deeper(game: TablesGame, evaluator: Evaluator, states: Sequence[int]) -> Floats:
    """Return the value of positions after the opponent's best answers to all its rolls; shape (states, 2 * ways)."""
    parts = [_deeper(game, evaluator, states[begin : begin + AT_ONCE]) for begin in range(0, len(states), AT_ONCE)]
    return np.concatenate(parts)


def deeper_in_processes(
    game: TablesGame, evaluator: Evaluator, parts: Iterable[Sequence[int]], workers: int
) -> Iterator[Floats]:
    """The same for parts of many positions, in order, each in one of so many processes."""
    look = partial(deeper, game, evaluator)
    if workers == 1:
        yield from map(look, parts)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(look, parts)


def learn_deeper(evaluator: Evaluator, taught: Sequence[tuple[Evaluator, Sequence[int], Floats]], seed: int) -> None:
    """Learn the targets of positions, given with the evaluator under their ruleset; changes the weights."""
    lessons = Lessons()
    for under, states, targets in taught:
        lessons.add(under, counts_of(states), targets)
    shuffle = np.random.default_rng((seed, 1 << 32))
    for network, pairs in ((evaluator.contact, lessons.contact), (evaluator.race, lessons.race)):
        adam = Adam(network.arrays)
        for rate in np.geomspace(*RATES, PASSES):
            learn(network, adam, pairs, float(rate), shuffle)


def _deeper(game: TablesGame, evaluator: Evaluator, states: Sequence[int]) -> Floats:
    asked = []
    for place, state in enumerate(states):
        position = from_state(swapped(state), game.rules.layout)
        for roll, share in rolls(dice_to_roll(game, evaluator, position)).items():
            asked.append((place, share, game.legal_turns(position, roll).results()))
    thought = evaluator.probabilities([state for *_, results in asked for state, ending in results if not ending])
    points = thought @ points_of(evaluator.ways, evaluator.rules)
    found, begin = np.zeros((len(states), 2 * len(evaluator.ways)), dtype=np.float32), 0
    for place, share, results in asked:
        end = begin + sum(ending is None for _, ending in results)
        ending = max((ending for _, ending in results if ending), key=attrgetter("points"), default=None)
        if ending and (begin == end or ending.points >= points[begin:end].max()):
            found[place, evaluator.ways.index((ending.name, ending.monk))] += np.float32(share)
        else:
            found[place] += np.float32(share) * thought[begin + points[begin:end].argmax()]
        begin = end
    return other_side(found)

"""Learning under supervision: what is taught, and that it is learnt."""

from __future__ import annotations

import numpy as np
import pytest

from arena.analysis.arrays import counts_of, rows_of
from arena.analysis.evaluator import new_evaluator, points_of
from arena.analysis.network import gradients, new_network
from arena.analysis.search import rollout
from arena.lab.strength import Beginner, Weakened
from arena.lab.supervision import GAMES, TURNS, Taught, deeper, diverse, learn_from, played_out
from tests.analysis.small_evaluators import afterwards, small, tables_game

BACKGAMMON = tables_game("backgammon", "gammons")


def test_positions_are_of_the_phases_wanted_and_none_comes_twice() -> None:
    evaluator = new_evaluator("x", BACKGAMMON.rules, (8, 4), seed=1)
    states = diverse(BACKGAMMON, evaluator, 160, seed=(1,))
    assert len(set(states)) == len(states) <= 160
    counted = {phase: len(rows) for phase, rows in rows_of(counts_of(states), "opposite_ways").items()}
    assert counted["contact"] == 96
    assert diverse(BACKGAMMON, evaluator, 20, seed=(1,)) != diverse(BACKGAMMON, evaluator, 20, seed=(2,))


def test_a_position_is_played_out_once_with_each_first_roll() -> None:
    game, evaluator = tables_game("vasa"), small()
    states = [after.state for after in afterwards(game, 9)]
    found = played_out(game, evaluator, states)
    first = rollout(game, evaluator, states[:8], GAMES, states[0], TURNS).probabilities
    assert found[:8] == pytest.approx(first)
    assert found.sum(axis=1) == pytest.approx(np.ones(9), abs=1e-5)


def test_networks_for_contact_learn_from_each_other_and_the_best_pass_is_kept() -> None:
    evaluator = new_evaluator("x", BACKGAMMON.rules, (8, 4), seed=1)
    states = diverse(BACKGAMMON, evaluator, 100, seed=(1,))
    contact = [states[row] for row in rows_of(counts_of(states), "opposite_ways")["contact"]]
    targets = deeper(BACKGAMMON, evaluator, contact)
    before = [array.copy() for array in evaluator.networks["crashed"].arrays]
    first = learn_from(evaluator, [Taught(BACKGAMMON.rules, contact, targets)], 1, (1e-3, 1e-3), seed=1)
    last = learn_from(evaluator, [Taught(BACKGAMMON.rules, contact, targets)], 4, (1e-3, 1e-4), seed=1)
    assert last["contact"] <= first["contact"]
    assert any((array != old).any() for array, old in zip(evaluator.networks["crashed"].arrays, before, strict=True))
    points = targets @ points_of(evaluator.ways, BACKGAMMON.rules)
    assert np.abs(evaluator.points(contact) - points).mean() < 0.2


def test_a_position_that_weighs_nothing_teaches_nothing() -> None:
    chance = np.random.default_rng(1)
    network = new_network((5, 4, 3), chance)
    inputs, targets = chance.random((2, 5), np.float32), np.eye(3, dtype=np.float32)[:2]
    found, loss = gradients(network, inputs, targets, np.array([3, 0], np.float32))
    alone, same = gradients(network, inputs[:1], targets[:1])
    assert loss == pytest.approx(same)
    for one, other in zip(found, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_noise_weakens_a_player_and_the_same_seed_gives_the_same_player() -> None:
    game = tables_game("vasa")
    states = [after.state for after in afterwards(game, 200)]
    judge = Beginner(game.rules)
    assert Weakened(judge, 0.0, [1]).points(states) == pytest.approx(judge.points(states))
    noisy, again = (Weakened(judge, 0.4, [1]).points(states) for _ in range(2))
    assert (noisy == again).all()
    assert np.std(noisy - judge.points(states)) == pytest.approx(0.4, rel=0.2)

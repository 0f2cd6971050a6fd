"""Learning under supervision: what is taught, and that it is learnt."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from arena.analysis import evaluator_for
from arena.analysis.arrays import Floats, counts_of, rows_of
from arena.analysis.evaluator import Evaluator, new_evaluator, points_of
from arena.analysis.network import APART, Examples, gradients, loss_of, new_network
from arena.analysis.search import CANDIDATES, LEFT_IN_SIEVE, MARGINS, rollout
from arena.games.tables.position import swapped
from arena.lab import supervision
from arena.lab.strength import Beginner, Weakened
from arena.lab.supervision import (
    GAMES,
    SIEVE_HIDDEN,
    SIEVE_TURNS,
    TURNS,
    Lessons,
    Valuer,
    draw_decisions,
    draw_positions,
    learn_from,
    look_deeper,
    make_lessons,
    play_out,
    rate_every_turn,
    train_sieve,
)
from tests.fixtures.small_evaluators import afterwards, small, tables_game

BACKGAMMON = tables_game("backgammon")


def test_positions_are_of_the_phases_wanted_and_none_comes_twice() -> None:
    evaluator = new_evaluator("x", BACKGAMMON.rules, (8, 4), seed=1)
    states = draw_positions(BACKGAMMON, evaluator, 160, seed=(1,))
    assert len(set(states)) == len(states) <= 160
    counted = {
        phase: len(rows) for phase, rows in rows_of(counts_of(states), "opposite_ways").items()
    }
    assert counted["contact"] == 96
    assert draw_positions(BACKGAMMON, evaluator, 20, seed=(1,)) != draw_positions(
        BACKGAMMON, evaluator, 20, seed=(2,)
    )


def test_decisions_are_the_best_few_turns_that_are_near_each_other() -> None:
    evaluator = new_evaluator("x", BACKGAMMON.rules, (8, 4), seed=1)
    found = draw_decisions(
        BACKGAMMON, evaluator, draw_positions(BACKGAMMON, evaluator, 60, seed=(1,)), Random(1)
    )
    assert len(found) > 30
    assert {len(states) for states in found} <= {2, 3, CANDIDATES}
    for states in found:
        values = evaluator.points(states)
        assert (np.diff(values) <= 1e-6).all(), "the best one first"
        assert values[0] - values[-1] <= MARGINS[2] + 1e-6
    over = swapped(BACKGAMMON.parse_position("1:1 off:14 | opp 24:2 off:13").state)
    assert draw_decisions(BACKGAMMON, evaluator, [over], Random(1)) == [], (
        "every roll ends the game"
    )


def test_turns_of_a_decision_are_played_out_with_the_same_dice_once_with_each_first_roll() -> None:
    game, evaluator = tables_game("vasa"), small()
    states = [after.state for after in afterwards(game, 5)]
    found = play_out(game, evaluator, [states[:3], states[3:]])
    first = rollout(game, evaluator, states[:3], GAMES, states[0], TURNS).probabilities
    assert found[:3] == pytest.approx(first)
    assert found.sum(axis=1) == pytest.approx(np.ones(5), abs=1e-5)


@pytest.mark.parametrize("value", [look_deeper, play_out])
def test_a_number_that_is_too_small_for_a_decision_gives_no_lessons(value: Valuer) -> None:
    evaluator = new_evaluator("x", BACKGAMMON.rules, (8, 4), seed=1)
    before = [array.copy() for array in evaluator.networks["contact"].arrays]
    none = make_lessons(BACKGAMMON, evaluator, 1, (1,), value)
    assert list(none.states) == []
    assert none.targets.shape == (0, 2 * len(evaluator.ways))
    assert learn_from(evaluator, [none], 2, (1e-3, 1e-3), seed=1)["contact"] == 0
    for array, old in zip(evaluator.networks["contact"].arrays, before, strict=True):
        assert (array == old).all()


def test_networks_for_contact_learn_from_each_other_and_the_best_pass_is_kept() -> None:
    evaluator = new_evaluator("x", BACKGAMMON.rules, (8, 4), seed=1)
    taught = make_lessons(BACKGAMMON, evaluator, 120, (1,), look_deeper)
    contact = rows_of(counts_of(taught.states), "opposite_ways")["contact"]
    only = taught._replace(
        states=[taught.states[row] for row in contact],
        begins=taught.begins[contact],
        targets=taught.targets[contact],
    )
    before = [array.copy() for array in evaluator.networks["crashed"].arrays]
    first = learn_from(evaluator, [only], 1, (1e-3, 1e-3), seed=1)
    last = learn_from(evaluator, [only], 4, (1e-3, 1e-4), seed=1)
    assert last["contact"] <= first["contact"]
    assert any(
        (array != old).any()
        for array, old in zip(evaluator.networks["crashed"].arrays, before, strict=True)
    )
    points = only.targets @ points_of(evaluator.ways, BACKGAMMON.rules)
    assert np.abs(evaluator.points(only.states) - points).mean() < 0.2


@pytest.mark.slow
def test_a_sieve_learns_what_the_evaluator_thinks_of_every_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervision, "SIEVE_PASSES", 60)
    evaluator = evaluator_for(BACKGAMMON)
    taught = rate_every_turn(BACKGAMMON, evaluator, 200, (1,))
    numbers = np.diff(np.flatnonzero(taught.begins), append=len(taught.states))
    assert 10 < numbers.mean() < numbers.max() <= SIEVE_TURNS
    thought = evaluator.points(taught.states)
    assert taught.targets @ points_of(evaluator.ways, BACKGAMMON.rules) == pytest.approx(
        thought, abs=1e-5
    )
    sieve = train_sieve(evaluator, [taught], seed=1)
    assert sieve.table is evaluator.table
    fresh = new_evaluator("x", BACKGAMMON.rules, SIEVE_HIDDEN, seed=1, is_sieve=True)
    assert best_kept(sieve, taught, thought) > best_kept(fresh, taught, thought) + 0.2


def best_kept(sieve: Evaluator, taught: Lessons, thought: Floats) -> float:
    """The share of the rolls whose best turn the sieve leaves."""
    begins = np.flatnonzero(taught.begins)[1:]
    rolls = zip(
        np.split(sieve.points(taught.states), begins), np.split(thought, begins), strict=True
    )
    return float(
        np.mean([(rough > rough[values.argmax()]).sum() < LEFT_IN_SIEVE for rough, values in rolls])
    )


def test_a_position_that_weighs_nothing_teaches_nothing() -> None:
    chance = np.random.default_rng(1)
    network = new_network((5, 4, 3), chance)
    both = Examples(
        chance.random((2, 5), np.float32),
        np.eye(3, dtype=np.float32)[:2],
        np.array([3, 0], np.float32),
    )
    found, loss = gradients(network, both)
    alone, same = gradients(network, Examples(both.inputs[:1], both.targets[:1]))
    assert loss == pytest.approx(same)
    for one, other in zip(found, alone, strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_an_error_that_all_turns_of_a_decision_share_costs_the_cross_entropy_alone() -> None:
    targets = np.array([[0.6, 0.4], [0.5, 0.5], [0.3, 0.7]], np.float32)
    shift = np.array([[0.1, -0.1]], np.float32)
    inputs, points = np.zeros((3, 1), np.float32), np.array([1, -1], np.float32)
    together = Examples(inputs, targets, decisions=np.array([7, 7, 7]), points=points)
    alone = together._replace(decisions=None)
    assert loss_of(targets + shift, together)[0] == pytest.approx(
        loss_of(targets + shift, alone)[0], abs=1e-6
    )
    apart = targets + shift * np.array([[1], [0], [-1]], np.float32)
    more = loss_of(apart, together)[0] - loss_of(apart, alone)[0]
    assert more == pytest.approx(float(APART) / 2 * (0.04 + 0 + 0.04) / 3, rel=1e-4)


def test_decisions_stay_apart_in_whatever_rows_are_taken() -> None:
    """Also where the first turn of a decision belongs to another network, or a batch begins in the middle of one."""
    chance = np.random.default_rng(1)
    said, targets = (chance.dirichlet((1, 1), size=5).astype(np.float32) for _ in range(2))
    decisions, points = np.array([0, 0, 1, 1, 1]), np.array([1, -1], np.float32)
    examples = Examples(np.zeros((5, 1), np.float32), targets, None, decisions, points)
    taken = examples.of(np.array([1, 3, 4]))
    alone = taken._replace(decisions=None)
    errors = (said[3:] - targets[3:]) @ points
    more = loss_of(said[[1, 3, 4]], taken)[0] - loss_of(said[[1, 3, 4]], alone)[0]
    assert more == pytest.approx(
        float(APART) / 2 * ((errors - errors.mean()) ** 2).sum() / 3, rel=1e-4
    )


def test_noise_weakens_a_player_and_the_same_seed_gives_the_same_player() -> None:
    game = tables_game("vasa")
    states = [after.state for after in afterwards(game, 200)]
    judge = Beginner(game.rules)
    assert Weakened(judge, 0.0, [1]).points(states) == pytest.approx(judge.points(states))
    noisy, again = (Weakened(judge, 0.4, [1]).points(states) for _ in range(2))
    assert (noisy == again).all()
    assert np.std(noisy - judge.points(states)) == pytest.approx(0.4, rel=0.2)

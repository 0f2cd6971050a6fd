"""Turns that a side of a race needs, and the chances of gammons that follow (G6)."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.analysis import evaluator_for
from arena.analysis import race_turns as module
from arena.analysis.arrays import counts_of
from arena.analysis.bearing_off import turns_to_bear_off
from arena.analysis.headed_files import EvaluatorError
from arena.analysis.race_rolls import ways_of_rolls
from arena.analysis.race_turns import (
    EXACT,
    PINNED,
    SHIPPED,
    SUFFIX,
    race_turns_for,
    turns_to_leave,
)
from arena.analysis.races import race_rules
from arena.games import load_game
from arena.games.playing import rolls
from arena.games.tables.board import CHECKERS, OFF, count
from arena.games.tables.position import from_counts, from_state
from arena.games.tables.ruleset import VASA
from tests.generators.make_race_turns import write_race_turns

GAME = load_game("backgammon")
AT_HOME = [
    {19: 15},
    {19: 5, 20: 5, 21: 5},
    {20: 9, 22: 6},
    {24: 15},
]
OUTSIDE = [
    {17: 2, 20: 6, 22: 7},
    {12: 1, 18: 1, 21: 6, 22: 7},
]
GNUBG = [
    (
        {21: 2, 22: 2, 23: 3, 24: 5},
        {6: 1, 10: 2, 12: 1, 15: 1, 16: 1, 17: 3, 19: 4, 22: 1, 23: 1},
        1.920,
    ),
    ({23: 3, 24: 11}, {4: 1, 8: 1, 9: 1, 11: 1, 17: 2, 18: 2, 22: 1, 23: 2, 24: 4}, 1.720),
    ({21: 2, 22: 1, 23: 4, 24: 5}, {5: 2, 12: 3, 14: 1, 17: 1, 19: 3, 23: 4, 24: 1}, 1.935),
    ({24: 4}, {10: 1, 11: 1, 23: 6, 24: 7}, 1.867),
    ({23: 1, 24: 3}, {15: 2, 17: 2, 19: 2, 20: 2, 21: 2, 23: 2, 24: 3}, 1.817),
    ({16: 1, 18: 2, 19: 2, 20: 4, 21: 1, 24: 5}, {17: 1, 19: 1, 24: 3}, -1.079),
    ({18: 1, 22: 5, 23: 6}, {9: 2, 14: 2, 16: 2, 21: 2, 23: 2, 24: 5}, 1.153),
    ({8: 1, 14: 1, 19: 2, 22: 1, 23: 4, 24: 6}, {18: 1, 22: 4, 23: 2}, -1.236),
    ({17: 1, 19: 1, 24: 3}, {16: 1, 17: 2, 18: 2, 19: 1, 20: 3, 21: 1, 24: 5}, 1.064),
    ({22: 4, 23: 3, 24: 1}, {8: 1, 12: 1, 14: 1, 24: 12}, 1.383),
    ({21: 1, 23: 6, 24: 5}, {7: 1, 16: 1, 17: 5, 18: 1, 19: 3, 21: 1, 22: 3}, 1.259),
]


def state_of(mine: dict[int, int], theirs: dict[int, int]) -> int:
    """A position from the points of both sides, mine having just moved; the others are off."""
    sides = [{OFF: CHECKERS - sum(side.values())} | side for side in (mine, theirs)]
    return from_counts(*sides, GAME.rules.layout).state


def saved_in_one(side: dict[int, int]) -> float:
    """Return the chance that a roll bears off a checker, as the engine plays it."""
    position = from_state(state_of(side, {24: 1}), GAME.rules.layout)
    chance = 0.0
    for roll, share in rolls(2).items():
        results = GAME.legal_turns(position, roll).results()
        if any(count(state, OFF) for state, _ in results):
            chance += share
    return chance


@pytest.mark.parametrize("side", AT_HOME, ids=str)
def test_at_home_the_first_turn_is_that_of_the_engine(side):
    [loser] = counts_of([state_of(side, {24: 1})])[0].T
    chances = race_turns_for(EXACT).chances(loser[:, np.newaxis], "first")
    assert chances[0, 1] == pytest.approx(saved_in_one(side), abs=1e-6)
    assert chances.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("side", AT_HOME + OUTSIDE, ids=str)
def test_a_gammon_waits_for_one_roll_of_the_loser(side):
    """The winner has one checker on its last point and has just moved; the loser rolls once."""
    probabilities = evaluator_for(GAME).probabilities([state_of({24: 1}, side)])[0]
    near = 1e-4 if side in AT_HOME else 0.015
    assert probabilities[1] == pytest.approx(1 - saved_in_one(side), abs=near)
    assert probabilities.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("behind", "stays"),
    [({2: 1}, 5), ({2: 2}, 30), ({4: 1}, 0), ({3: 1, 6: 1}, 7), ({7: 1}, 0)],
    ids=str,
)
def test_a_backgammon_waits_for_one_roll_of_the_loser(behind, stays):
    """The number of 36 throws that leave a checker in the winner's Q4, counted by hand."""
    side = behind | {20: 8, 22: 7 - sum(behind.values())}
    probabilities = evaluator_for(GAME).probabilities([state_of({24: 1}, side)])[0]
    assert probabilities[2] == pytest.approx(stays / 36, abs=1e-5)


@given(st.dictionaries(st.integers(2, 8), st.integers(1, 3), min_size=1, max_size=4))
@settings(max_examples=30)
def test_a_side_leaves_as_the_engine_plays(behind):
    position = from_state(state_of(behind, {24: 1}), GAME.rules.layout)
    leaves = 0.0
    for roll, share in rolls(2).items():
        results = GAME.legal_turns(position, roll).results()
        if any(not sum(count(state, point) for point in range(1, 7)) for state, _ in results):
            leaves += share
    chances = turns_to_leave(counts_of([position.state])[0])[0]
    assert chances[:2].sum() == pytest.approx(leaves, abs=1e-6)


@pytest.mark.slow
def test_getting_ready_leaves_nothing_to_compute():
    evaluator = evaluator_for(GAME)
    turns_to_bear_off.cache_clear()
    evaluator.table.get_ready()
    computed = turns_to_bear_off.cache_info().misses
    evaluator.probabilities([state_of(AT_HOME[0], OUTSIDE[0]), state_of({24: 9}, AT_HOME[0])])
    evaluator.probabilities([state_of({20: 8}, {21: 9})])
    assert turns_to_bear_off.cache_info().misses == computed


@pytest.mark.parametrize("side", OUTSIDE, ids=str)
@pytest.mark.parametrize("roll", [(6, 1), (2, 1), (3, 3), (6, 6)], ids=str)
def test_ways_of_rolls_are_those_of_the_engine(side, roll):
    """But for turns that move inside Q4 while a checker is outside."""
    position = from_state(state_of(side, {24: 1}), GAME.rules.layout)
    results = GAME.legal_turns(position, roll).results()
    legal = {counts_of([state])[0, :26, 0].tobytes() for state, _ in results}
    low, high = sorted(roll)
    place = low - 1 if low == high else 6 + [*combinations(range(1, 7), 2)].index((low, high))
    rows, after = [*ways_of_rolls(counts_of([position.state])[0].T)][place]
    ways = {way[:26].tobytes() for way in after}
    assert ways <= legal
    assert set(rows.tolist()) == {0}
    outside = min(sum(np.frombuffer(way, np.uint8)[:19]) for way in legal)
    assert min(sum(np.frombuffer(way, np.uint8)[:19]) for way in ways) == outside


@pytest.mark.parametrize(
    ("mine", "theirs", "points"),
    GNUBG,
)
def test_points_are_near_those_of_gnu_backgammon(mine, theirs, points):
    """Two plies deep, and rolled out the last one, by benchmarks/gammons_by_gnubg.py."""
    value = evaluator_for(GAME).points([state_of(mine, theirs)])[0]
    assert value == pytest.approx(points, abs=0.03)


def test_nothing_is_left_open_when_the_winner_rolls_for_its_last_checker():
    probabilities = evaluator_for(GAME).probabilities([state_of(AT_HOME[0], {24: 1})])[0]
    assert probabilities.tolist() == pytest.approx([0, 0, 0, 0, 1, 0], abs=1e-6)


def test_a_loser_with_a_checker_off_loses_no_gammon():
    state = state_of({24: 3}, {12: 2, 20: 6, 22: 6})
    assert evaluator_for(GAME).probabilities([state])[0, 1:3].tolist() == [0, 0]


def test_farther_away_means_more_turns():
    turns = race_turns_for(EXACT)
    numbers = np.arange(24)
    means = []
    for point in (18, 14, 10, 6):
        counts = counts_of([state_of({point: 3, 20: 6, 21: 6}, {24: 1})])
        means.append([(turns.chances(counts[0], goal) @ numbers)[0] for goal in module.GOALS])
    for (nearer_all, nearer_first), (farther_all, farther_first) in pairwise(means):
        assert farther_all > nearer_all + 0.5
        assert farther_first > nearer_first + 0.5
        assert farther_all > farther_first


def test_only_the_rules_of_the_file_have_networks():
    assert race_rules(GAME.rules) == EXACT
    assert race_turns_for(race_rules(VASA)) is None


def test_a_file_is_read_as_it_was_written_and_refused_when_damaged(tmp_path, monkeypatch):
    shipped = race_turns_for(EXACT)
    path = tmp_path / f"turns-exact{SUFFIX}"
    assert write_race_turns(shipped, "turns-exact", path) == PINNED["turns-exact"]
    content = path.read_bytes()
    assert content == (SHIPPED / path.name).read_bytes()
    monkeypatch.setattr(module, "SHIPPED", tmp_path)
    for damaged, reason in (
        (content[:-4], "is damaged: .* bytes of numbers, expected"),
        (content[:-1] + bytes([content[-1] ^ 1]), "is not turns-exact: its SHA-256 is"),
        (b"{}\n", "its first line cannot be read"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(EvaluatorError, match=reason):
            race_turns_for.__wrapped__(EXACT)

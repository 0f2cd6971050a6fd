"""The certainty of a field's order."""

from __future__ import annotations

import math
from itertools import combinations, pairwise
from random import Random
from statistics import NormalDist

import pytest

from arena.tournaments.statistics.ratings import order_probabilities, rate
from tests.tournaments.statistics.samples import round_robin, unit

FIELD = [100, 40, 0, -140]


def test_ranks_and_superiority_are_probabilities():
    ratings = rate(round_robin(FIELD, 5, 3, Random(1)))
    found = order_probabilities(ratings, seed=1)
    for line in (*found.ranks, *zip(*found.ranks, strict=True)):
        assert sum(line) == pytest.approx(1)
    for i in range(4):
        for j in range(4):
            assert found.superior[i][j] + found.superior[j][i] == pytest.approx(1)
    assert found.superior[0][3] > 0.95


def test_the_same_seed_gives_the_same_numbers():
    ratings = rate(round_robin(FIELD, 2, 3, Random(1)))
    assert order_probabilities(ratings, seed=3) == order_probabilities(ratings, seed=3)
    assert order_probabilities(ratings, seed=3) != order_probabilities(ratings, seed=4)


@pytest.mark.parametrize(("won", "lost", "exact"), [(1, 0, 0.8183), (3, 0, 0.9589), (6, 4, 0.7331), (30, 20, 0.9217)])
def test_of_two_entrants_it_is_the_exact_posterior(won, lost, exact):
    """The chance that a Beta(won + 1/2, lost + 1/2) is above 1/2; the error of 4,000 draws is 0.8 % at most."""
    ratings = rate([unit("anna", "bo", 1)] * won + [unit("anna", "bo", 0)] * lost)
    assert order_probabilities(ratings, seed=1, draws=4000).superior[0][1] == pytest.approx(exact, abs=0.02)


def test_for_one_game_the_exact_posterior_is_the_arcsine_law():
    """Beta(3/2, 1/2) above 1/2, that is 1/2 + 1/pi: the figure used above, reckoned in another way."""
    assert 1 / 2 + 1 / math.pi == pytest.approx(0.8183, abs=1e-4)


@pytest.mark.slow
def test_a_rank_of_probability_p_is_the_true_one_in_p_of_all_cases():
    """400 fields whose true ratings were drawn: what is said with 70 to 90 % is true in about so many cases.

    It is 72 % where 80 % were said, with a standard error of 2 %.
    """
    random = Random(5)
    said, true = 0.0, 0
    cases = 0
    for _ in range(400):
        elo = [random.gauss(0, 100) for _ in range(4)]
        ratings = rate(round_robin(elo, 4, 3, random))
        found = order_probabilities(ratings, seed=1, draws=300)
        order = sorted(range(4), key=lambda number: -elo[number])
        for number, name in enumerate(ratings.entrants):
            for rank in range(4):
                if 0.7 <= found.ranks[number][rank] <= 0.9:
                    cases += 1
                    said += found.ranks[number][rank]
                    true += order[rank] == int(name[1:])
    assert cases > 200
    assert true / cases == pytest.approx(said / cases, abs=0.1)


def test_bots_that_only_a_long_chain_connects_are_compared_as_their_errors_say():
    names = [f"b{number:02}" for number in range(24)]
    random = Random(5)
    units = [unit(one, other, random.randrange(2)) for one, other in pairwise(names) for _ in range(60)]
    ratings = rate(units)
    order = order_probabilities(ratings, seed=1, draws=400)
    for i, j in combinations(range(len(names)), 2):
        lead, error = ratings.lead(ratings.entrants[i], ratings.entrants[j])
        assert order.superior[i][j] == pytest.approx(NormalDist().cdf(lead / error), abs=0.08)

"""The sequential test against published log-likelihood ratios, and against a known truth."""

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments import TournamentError
from arena.tournaments.statistics.ratings import expected_score
from arena.tournaments.statistics.sequential import (
    Decision,
    Hypotheses,
    judge,
    log_likelihood_ratio,
)
from tests.tournaments.statistics.samples import score_of_pair

PUBLISHED = [
    ((21184, 40708, 21404), 0.5, 2.5, -1.57),
    ((57030, 106593, 57433), 0, 2, -2.59),
    ((223, 9863, 21279, 10037, 246), 0.5, 2.5, -3.07),
    ((871, 26175, 55983, 26678, 821), 0, 2, -4.98),
]
"""Counts from lost to won, single games and pairs, and the ratio fastchess expects of them (tests
of its `SPRT`)."""


@pytest.mark.parametrize(("halves", "elo0", "elo1", "ratio"), PUBLISHED)
def test_the_ratio_is_the_published_one(halves, elo0, elo1, ratio):
    assert round(log_likelihood_ratio(halves, Hypotheses(elo0=elo0, elo1=elo1)), 2) == ratio


@pytest.mark.parametrize(
    ("alpha", "beta", "low", "high"), [(0.05, 0.05, -2.94, 2.94), (0.05, 0.10, -2.25, 2.89)]
)
def test_the_bounds_are_walds(alpha, beta, low, high):
    """Those of fishtest, and those with another beta that engine testers use."""
    found = Hypotheses(alpha=alpha, beta=beta).bounds
    assert (round(found[0], 2), round(found[1], 2)) == (low, high)


def test_of_single_games_without_draws_it_is_walds_own_test():
    hypotheses = Hypotheses(elo0=0, elo1=50)
    chance = expected_score(50)
    plain = 60 * math.log(chance / 0.5) + 40 * math.log((1 - chance) / 0.5)
    assert log_likelihood_ratio((40, 0, 60), hypotheses) == pytest.approx(plain, abs=1e-3)


def test_without_units_nothing_is_decided():
    state = judge((0, 0, 0, 0, 0), Hypotheses())
    assert (state.units, state.ratio, state.decision, state.elo) == (0, 0, Decision.GOES_ON, None)


def test_a_test_stops_at_either_bound():
    hypotheses = Hypotheses(elo0=0, elo1=50)
    states = [judge(halves, hypotheses) for halves in ((30, 0, 150), (180, 0, 150), (10, 0, 12))]
    assert [state.decision for state in states] == [Decision.H1, Decision.H0, Decision.GOES_ON]
    assert states[0].ratio >= states[0].bounds[1]
    assert states[1].ratio <= states[1].bounds[0]
    assert states[0].elo == pytest.approx(400 * math.log10(5))
    assert judge((0, 0, 5), hypotheses).elo == math.inf


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"elo0": 10, "elo1": 10}, "elo1 has to be the greater"),
        ({"elo0": 0, "elo1": math.inf}, "elo1 is inf; a lead lies between"),
        ({"elo0": math.nan}, "elo0 is nan; a lead lies between"),
        ({"alpha": 0}, "alpha is 0"),
        ({"beta": 0.5}, "beta is 0.5"),
    ],
)
def test_hypotheses_that_contradict_each_other_are_refused(fields, problem):
    with pytest.raises(TournamentError, match=problem):
        Hypotheses(**fields)


counts = st.lists(st.integers(0, 200), min_size=3, max_size=7).filter(any)


@given(counts, st.floats(-300, 300), st.floats(1, 300))
def test_to_swap_the_two_bots_turns_the_ratio_round(halves, elo0, width):
    """What speaks for a lead of `elo1` speaks, seen from the other side, against one of -`elo1`."""
    one = log_likelihood_ratio(halves, Hypotheses(elo0=elo0, elo1=elo0 + width))
    other = log_likelihood_ratio(halves[::-1], Hypotheses(elo0=-elo0 - width, elo1=-elo0))
    assert one == pytest.approx(-other, rel=1e-6, abs=1e-6)


@given(counts, st.integers(0, 6))
def test_another_unit_that_was_won_speaks_for_the_new_bot(halves, more):
    hypotheses = Hypotheses(elo0=-1, elo1=1)
    before = log_likelihood_ratio(halves, hypotheses)
    won = log_likelihood_ratio([*halves[:-1], halves[-1] + 1 + more], hypotheses)
    lost = log_likelihood_ratio([halves[0] + 1 + more, *halves[1:]], hypotheses)
    assert lost <= won
    assert math.isfinite(before)


def accepted(true_elo, hypotheses, tests, seed):
    """How often H1 is accepted, and the mean number of pairs, over tests of lockstep pairs with a known lead."""
    random, wins, units = Random(seed), 0, 0
    chance = expected_score(true_elo)
    for _ in range(tests):
        halves = [0] * 5
        while True:
            for _ in range(5):
                halves[round(2 * score_of_pair(chance, 2, random))] += 1
            state = judge(halves, hypotheses)
            if state.decision is not Decision.GOES_ON:
                break
        wins += state.decision is Decision.H1
        units += state.units
    return wins / tests, units / tests


WIDE = Hypotheses(elo0=0, elo1=60)
"""Far enough apart that a test takes some 60 pairs."""


@pytest.mark.parametrize(
    "tests", [pytest.param(500, marks=pytest.mark.slow), pytest.param(1500, marks=pytest.mark.soak)]
)
def test_errors_are_about_as_frequent_as_was_asked_for(tests):
    """At either hypothesis 5 % errors, with a standard error of 0.6 % in 1,500 tests; batches overshoot a little."""
    assert 0.02 <= accepted(0, WIDE, tests, seed=1)[0] <= 0.07
    assert 0.93 <= accepted(60, WIDE, tests, seed=2)[0] <= 0.98


def test_a_clear_lead_is_seen_soon():
    assert accepted(200, WIDE, 40, seed=3)[0] == 1
    assert accepted(-150, WIDE, 40, seed=4)[0] == 0
    assert accepted(200, WIDE, 40, seed=5)[1] < accepted(60, WIDE, 40, seed=5)[1]

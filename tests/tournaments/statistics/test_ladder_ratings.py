"""Ratings of a ladder: cases by hand, an independent fit, and what holds for all results."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.statistics.ladder_ratings import (
    PARENT_ELO,
    PRIOR_ELO,
    UNITS_PER_FIT,
    Edge,
    LadderRatings,
    Player,
)
from arena.tournaments.statistics.ratings import ELO, expected_score
from tests.examples import tries

HOUSE = [
    Player(name=name, owner="house", is_anchor=True) for name in ("random", "greedy", "neural")
]
BOTS = [Player(name=name, owner=name) for name in ("anna", "bo", "cia", "dan")]
NAMES = [player.name for player in (*HOUSE, *BOTS)]

UNITS = st.lists(
    st.tuples(
        st.permutations(NAMES).map(lambda names: names[:2]),
        st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
        st.sampled_from([None, None, None, 0, 1]),
    ),
    max_size=120,
)


def counted(units, **options) -> LadderRatings:
    ratings = LadderRatings([*HOUSE, *BOTS], **options)
    for (first, second), score, forfeit in units:
        forfeits_by = () if forfeit is None else ((first, second)[forfeit],)
        ratings.count(first, second, score, forfeits_by=forfeits_by)
    return ratings


def numbers_of(ratings: LadderRatings) -> list[float]:
    return [ratings.elo(name) for name in NAMES]


def variance_of_lead(ratings: LadderRatings) -> float:
    """Return that of anna over bo."""
    anna, bo = ratings.places["anna"], ratings.places["bo"]
    lead = ratings.covariances(anna) - ratings.covariances(bo)
    return float(lead[anna] - lead[bo])


def fit_by_gradients(edges: list[Edge]) -> list[float]:
    """Climb the likelihood of the edges and of the virtual draws slowly, single games alone."""
    strengths = dict.fromkeys(NAMES, 0.0)
    prior = 4 * (ELO / PRIOR_ELO) ** 2
    most = prior / 4 + sum(edge.units for edge in edges) / 2
    for _ in range(40_000):
        slopes = {name: prior * (0.5 - expected_score(ELO * strengths[name])) for name in NAMES}
        for edge in edges:
            lead = ELO * (strengths[edge.first] - strengths[edge.second])
            surplus = edge.score - edge.units * expected_score(lead)
            slopes[edge.first] += surplus
            slopes[edge.second] -= surplus
        mean = sum(slopes[player.name] for player in HOUSE) / len(HOUSE)
        for player in HOUSE:
            slopes[player.name] -= mean
        for name in NAMES:
            strengths[name] += slopes[name] / most
        if max(map(abs, slopes.values())) < 1e-7:
            break
    return [ELO * strengths[name] for name in NAMES]


def test_the_fit_is_that_of_a_plain_climb():
    edges = [
        Edge(first="anna", second="greedy", units=10, score=7, squares=7),
        Edge(first="neural", second="anna", units=8, score=6, squares=6),
        Edge(first="bo", second="random", units=5, score=5, squares=5),
        Edge(first="bo", second="anna", units=12, score=4.5, squares=4.25),
        Edge(first="cia", second="greedy", units=3, score=0, squares=0),
        Edge(first="greedy", second="random", units=20, score=15, squares=15),
        Edge(first="neural", second="greedy", units=20, score=17, squares=17),
    ]
    ratings = LadderRatings([*HOUSE, *BOTS], edges, kappa=1)
    assert numbers_of(ratings) == pytest.approx(fit_by_gradients(edges), abs=0.01)


def test_without_results_everyone_is_where_the_priors_say():
    ratings = LadderRatings([*HOUSE, *BOTS])
    ratings.add(Player(name="anna-2", owner="anna", parent="anna"))
    assert numbers_of(ratings) == pytest.approx([0] * 7)
    assert ratings.error("anna") == pytest.approx(PRIOR_ELO)
    together = math.hypot(PARENT_ELO, PRIOR_ELO)
    assert ratings.error("anna-2") == pytest.approx(together)
    ratings.fit(is_exact=True)
    assert numbers_of(ratings) == pytest.approx([0] * 7)
    assert ratings.error("anna") == pytest.approx(PRIOR_ELO)
    assert ratings.error("anna-2") == pytest.approx(together)


def test_a_new_version_begins_at_its_parent():
    units = [(("anna", "greedy"), 1.0, None)] * 30
    ratings = counted(units)
    ratings.add(Player(name="anna-2", owner="anna", parent="anna"))
    assert ratings.elo("anna-2") == pytest.approx(ratings.elo("anna"))
    assert ratings.elo("anna-2") > 100
    ratings.fit(is_exact=True)
    assert ratings.elo("anna-2") == pytest.approx(ratings.elo("anna"), abs=0.01)
    again = LadderRatings(ratings.players, ratings.edges())
    assert again.elo("anna-2") == pytest.approx(ratings.elo("anna-2"), abs=0.01)


def test_a_constant_keeps_its_rating_and_holds_those_who_met_it():
    edges = [Edge(first="anna", second="old", units=400, score=200, squares=200)]
    old = Player(name="old", owner="bo", constant_elo=250.0)
    ratings = LadderRatings([*HOUSE, old, *BOTS], edges, kappa=1)
    assert ratings.elo("old") == 250
    assert ratings.error("old") == 0
    assert ratings.elo("anna") == pytest.approx(250, abs=3)
    assert ratings.error("anna") == pytest.approx(ELO / math.sqrt(100), rel=0.01)
    assert ratings.edges() == edges


def test_units_that_scatter_less_count_more():
    """Half of the squared scatter of games: kappa is nearly 2."""
    games, units = [], []
    for number in range(400):
        pair = (("anna", "bo"), ("bo", "cia"), ("cia", "greedy"), ("neural", "bo"))[number % 4]
        games.append((pair, float(number // 4 % 2), None))
        units.append((pair, (0.5, 0.0, 0.5, 1.0)[number // 4 % 4], None))
    single, scattered = counted(games), counted(units)
    assert single.kappa == pytest.approx(1, abs=0.02)
    assert scattered.kappa == pytest.approx(2, abs=0.15)
    assert variance_of_lead(scattered) == pytest.approx(variance_of_lead(single) / 2, rel=0.1)


def test_strengths_that_were_fitted_do_not_make_units_seem_more_certain():
    """Single games count as such, although few are known of each bot."""
    kappas = []
    for seed in range(4):
        random = np.random.default_rng(seed)
        elo = random.normal(0, 300, 40)
        bots = [Player(name=str(number), owner=str(number)) for number in range(40)]
        ratings = LadderRatings([*HOUSE, *bots])
        for _ in range(400):
            first, second = random.choice(40, 2, replace=False).tolist()
            has_won = random.random() < expected_score(elo[first] - elo[second])
            ratings.count(str(first), str(second), float(has_won))
        kappas.append(ratings.kappa)
    assert np.mean(kappas) == pytest.approx(1, abs=0.08)


def test_units_that_are_all_even_count_as_many_games():
    """The strengths are right from the start here, and what a unit is worth is not."""
    edges = [
        Edge(first=first.name, second=second.name, units=100, score=50, squares=25)
        for first, second in zip(BOTS, HOUSE, strict=False)
    ]
    assert LadderRatings([*HOUSE, *BOTS], edges).kappa == pytest.approx(16)


def test_forfeits_count_up_to_a_twentieth_of_the_units_of_a_bot():
    played = [(("anna", "greedy"), float(number % 2), None) for number in range(190)]
    few = counted([*played, *[(("anna", "greedy"), 0.5, 0)] * 10], kappa=1)
    many = counted([*played, *[(("anna", "greedy"), 0.5, 0)] * 60], kappa=1)
    lost = counted([*played, *[(("anna", "greedy"), 0.0, None)] * 10], kappa=1)
    all_lost = counted([*played, *[(("anna", "greedy"), 0.0, None)] * 60], kappa=1)
    few.fit(is_exact=True)
    lost.fit(is_exact=True)
    many.fit(is_exact=True)
    assert few.elo("anna") == pytest.approx(lost.elo("anna"), abs=0.01)
    assert few.elo("anna") - 10 < many.elo("anna") < few.elo("anna")
    assert all_lost.elo("anna") < many.elo("anna") - 30


def test_fits_come_with_the_sixth_unit_of_a_newcomer_and_after_fifty():
    ratings = LadderRatings([*HOUSE, *BOTS])
    is_fit = [ratings.count("random", "greedy", number % 2) for number in range(160)]
    assert [number + 1 for number in range(160) if is_fit[number]] == [6, 56, 106, 156]
    assert UNITS_PER_FIT == 50
    assert [ratings.count("anna", "greedy", 1) for _ in range(7)] == [False] * 5 + [True, False]


def test_a_unit_that_both_forfeit_is_lost_by_both():
    """It counts as two units, of which the second may be the sixth of a newcomer."""
    ratings = LadderRatings([*HOUSE, *BOTS])
    for _ in range(5):
        ratings.count("anna", "greedy", 0.5)
    assert ratings.count("anna", "bo", 1.0, forfeits_by=("anna", "bo"))
    [edge] = [edge for edge in ratings.edges() if edge.second == "bo"]
    assert edge == Edge(first="anna", second="bo", first_forfeits=1, second_forfeits=1)


@pytest.mark.parametrize("factor", [0.01, 3.0])
def test_a_fit_does_not_depend_on_the_inverse_that_it_begins_with(factor):
    """With 0.01 the steps would be too short for any patience, with 3 they would diverge."""
    units = [(("anna", "greedy"), 1.0, None), (("bo", "anna"), 0.5, None)] * 20
    ratings = counted(units)
    ratings.fit(is_exact=True)
    before = numbers_of(ratings)
    ratings._covariance *= factor
    ratings.strengths[ratings.places["anna"]] += 3.0
    ratings.fit(is_exact=False)
    assert numbers_of(ratings) == pytest.approx(before, abs=0.001)


def test_every_edge_of_a_large_ladder_is_kept():
    """The table of the sums grows while units are counted, twice here."""
    bots = [Player(name=str(number), owner=str(number)) for number in range(20)]
    ratings = LadderRatings([*HOUSE, *bots])
    for number, first in enumerate(bots):
        for second in bots[:number]:
            ratings.count(first.name, second.name, 1.0)
    edges = ratings.edges()
    assert len({frozenset((edge.first, edge.second)) for edge in edges}) == 190
    assert {(edge.units, edge.score) for edge in edges} == {(1, 1.0)}


def test_a_ladder_has_three_anchors():
    with pytest.raises(AssertionError, match="at least 3 anchors"):
        LadderRatings([*HOUSE[:2], *BOTS])


@given(UNITS, st.randoms())
@tries(30)
def test_order_of_results_does_not_matter(units, random):
    ratings = counted(units)
    shuffled = list(units)
    random.shuffle(shuffled)
    other = counted(shuffled)
    for each in (ratings, other):
        each.fit(is_exact=False)
    from_edges = LadderRatings(ratings.players, ratings.edges())
    assert numbers_of(ratings) == pytest.approx(numbers_of(other), abs=0.01)
    assert numbers_of(ratings) == pytest.approx(numbers_of(from_edges), abs=0.01)


@given(UNITS)
@tries(30)
def test_the_mean_of_the_anchors_stays_and_has_no_error(units):
    ratings = counted(units, anchors_mean_elo=70.0)
    assert sum(ratings.elo(player.name) for player in HOUSE) / 3 == pytest.approx(70)
    for place in range(len(NAMES)):
        assert ratings.covariances(place)[ratings.anchors].sum() == pytest.approx(0, abs=1e-9)


@given(UNITS.filter(len))
@tries(30)
def test_an_update_of_rank_one_is_the_inverse(units):
    """With information added about one difference, at the chance after the unit."""
    ratings = counted(units)
    ratings.fit(is_exact=True)
    size = len(NAMES)
    before = np.array([ratings.covariances(place) for place in range(size)])
    first, second = ratings.places["anna"], ratings.places["greedy"]
    ratings.count("anna", "greedy", 0.75)
    if ratings.units[first] == 6 or ratings.units[second] == 6:
        return  # a full fit followed
    after = np.array([ratings.covariances(place) for place in range(size)])
    direction = np.zeros(size)
    direction[[first, second]] = 1, -1
    chance = expected_score(ratings.elo("anna") - ratings.elo("greedy"))
    weight = ratings.kappa * chance * (1 - chance)
    # The covariance has no inverse along the anchors' mean: it is made up for there, and taken off.
    mean = np.zeros(size)
    mean[ratings.anchors] = 1
    fixed = np.outer(mean, mean)
    direction -= fixed @ direction / 3
    information = np.linalg.inv(before + fixed) + weight * np.outer(direction, direction)
    assert after == pytest.approx(np.linalg.inv(information) - fixed, abs=1e-7)
    assert ratings.variances == pytest.approx(after.diagonal(), abs=1e-12)

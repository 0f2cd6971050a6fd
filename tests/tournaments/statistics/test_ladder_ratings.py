"""Ratings of a ladder: cases by hand, an independent fit, and what holds for all results."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.ladder_players import Edge, Player, unit_edge
from arena.tournaments.statistics import ladder_fit
from arena.tournaments.statistics.ladder_ratings import (
    PARENT_ELO,
    PRIOR_ELO,
    UNITS_PER_FIRST_FIT,
    UNITS_PER_FIT,
    LadderRatings,
)
from arena.tournaments.statistics.ratings import ELO, expected_score
from tests.examples import tries


def player(name: str, bot: str = "", **more) -> Player:
    return Player(entrant=name, bot=bot or name, version=1, **more)


HOUSE = [player(name, is_anchor=True) for name in ("random", "greedy", "neural")]
BOTS = [player(name) for name in ("anna", "bo", "cia", "dan")]
NAMES = [player.entrant for player in (*HOUSE, *BOTS)]

UNITS = st.lists(
    st.tuples(
        st.permutations(NAMES).map(lambda names: names[:2]),
        st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
        st.sampled_from([None, None, None, 0, 1]),
    ),
    max_size=120,
)


@pytest.fixture
def single_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every unit be worth one game, whatever the results say."""
    monkeypatch.setattr(ladder_fit, "LEAST_KAPPA", 1.0)
    monkeypatch.setattr(ladder_fit, "MOST_KAPPA", 1.0)


def count(ratings: LadderRatings, first: str, second: str, score: float, forfeits=()) -> None:
    numbers = ratings.numbers[first], ratings.numbers[second]
    has_forfeited = (first in forfeits, second in forfeits)
    ratings.count(unit_edge(*numbers, score, forfeits=has_forfeited))


def counted(units, **options) -> LadderRatings:
    ratings = LadderRatings([*HOUSE, *BOTS], **options)
    for names, score, forfeit in units:
        forfeits = () if forfeit is None else (names[forfeit],)
        count(ratings, *names, score, forfeits)
    return ratings


def edge(first: str, second: str, units: int, score: float, squares: float) -> Edge:
    """Return an edge of two of `NAMES`; the first has the lower number."""
    return Edge(NAMES.index(first), NAMES.index(second), units, score, squares)


def numbers_of(ratings: LadderRatings) -> list[float]:
    return [ratings.elo(name) for name in NAMES]


def variance_of_lead(ratings: LadderRatings) -> float:
    """Return that of anna over bo."""
    anna, bo = ratings.numbers["anna"], ratings.numbers["bo"]
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
            first, second = NAMES[edge.first], NAMES[edge.second]
            surplus = edge.score - edge.units * expected_score(
                ELO * (strengths[first] - strengths[second])
            )
            slopes[first] += surplus
            slopes[second] -= surplus
        mean = sum(slopes[anchor.entrant] for anchor in HOUSE) / len(HOUSE)
        for anchor in HOUSE:
            slopes[anchor.entrant] -= mean
        for name in NAMES:
            strengths[name] += slopes[name] / most
        if max(map(abs, slopes.values())) < 1e-7:
            break
    return [ELO * strengths[name] for name in NAMES]


@pytest.mark.usefixtures("single_games")
def test_the_fit_is_that_of_a_plain_climb():
    edges = [
        edge("greedy", "anna", 10, 3, 3),
        edge("neural", "anna", 8, 6, 6),
        edge("random", "bo", 5, 0, 0),
        edge("anna", "bo", 12, 7.5, 7.25),
        edge("greedy", "cia", 3, 3, 3),
        edge("random", "greedy", 20, 5, 5),
        edge("greedy", "neural", 20, 3, 3),
    ]
    ratings = LadderRatings([*HOUSE, *BOTS], edges)
    assert numbers_of(ratings) == pytest.approx(fit_by_gradients(edges), abs=0.01)


def test_without_results_everyone_is_where_the_priors_say():
    ratings = LadderRatings([*HOUSE, *BOTS])
    ratings.add(player("anna-2", "anna", parent="anna"))
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
    ratings.add(player("anna-2", "anna", parent="anna"))
    assert ratings.elo("anna-2") == pytest.approx(ratings.elo("anna"))
    assert ratings.elo("anna-2") > 100
    ratings.fit(is_exact=True)
    assert ratings.elo("anna-2") == pytest.approx(ratings.elo("anna"), abs=0.01)
    again = LadderRatings([*HOUSE, *BOTS, player("anna-2", "anna", parent="anna")], ratings.edges())
    assert again.elo("anna-2") == pytest.approx(ratings.elo("anna-2"), abs=0.01)


@pytest.mark.usefixtures("single_games")
def test_a_constant_keeps_its_rating_and_holds_those_who_met_it():
    edges = [Edge(3, 4, 400, 200, 200)]
    old = player("old", "bo", constant_elo=250.0)
    ratings = LadderRatings([*HOUSE, old, *BOTS], edges)
    assert ratings.elo("old") == 250
    assert ratings.error("old") == 0
    assert ratings.elo("anna") == pytest.approx(250, abs=3)
    assert ratings.error("anna") == pytest.approx(ELO / math.sqrt(100), rel=0.01)
    assert ratings.error_of_difference("anna", "old") == pytest.approx(ratings.error("anna"))
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
        bots = [player(str(number)) for number in range(40)]
        ratings = LadderRatings([*HOUSE, *bots])
        for _ in range(400):
            first, second = random.choice(40, 2, replace=False).tolist()
            has_won = random.random() < expected_score(elo[first] - elo[second])
            count(ratings, str(first), str(second), float(has_won))
        kappas.append(ratings.kappa)
    assert np.mean(kappas) == pytest.approx(1, abs=0.08)


def test_units_that_are_all_even_count_as_many_games():
    """The strengths are right from the start here, and what a unit is worth is not."""
    edges = [
        edge(house.entrant, bot.entrant, 100, 50, 25)
        for bot, house in zip(BOTS, HOUSE, strict=False)
    ]
    assert LadderRatings([*HOUSE, *BOTS], edges).kappa == pytest.approx(16)


@pytest.mark.usefixtures("single_games")
def test_forfeits_count_up_to_a_twentieth_of_the_units_of_a_bot():
    played = [(("anna", "greedy"), float(number % 2), None) for number in range(190)]
    few = counted([*played, *[(("anna", "greedy"), 0.5, 0)] * 10])
    many = counted([*played, *[(("anna", "greedy"), 0.5, 0)] * 60])
    lost = counted([*played, *[(("anna", "greedy"), 0.0, None)] * 10])
    all_lost = counted([*played, *[(("anna", "greedy"), 0.0, None)] * 60])
    few.fit(is_exact=True)
    lost.fit(is_exact=True)
    many.fit(is_exact=True)
    assert few.elo("anna") == pytest.approx(lost.elo("anna"), abs=0.01)
    assert few.elo("anna") - 10 < many.elo("anna") < few.elo("anna")
    assert all_lost.elo("anna") < many.elo("anna") - 30


def test_fits_come_after_the_sixth_unit_of_a_newcomer_and_after_fifty(monkeypatch):
    ratings = LadderRatings([*HOUSE, *BOTS])
    fits = []
    monkeypatch.setattr(ratings, "fit", lambda *, is_exact: fits.append(fit(is_exact=is_exact)))
    fit = LadderRatings.fit.__get__(ratings)

    def units_of_fits(units: int, *names: str) -> list[int]:
        """Return after which of some units a fit comes."""
        numbers = []
        for number in range(1, units + 1):
            before = len(fits)
            count(ratings, *names, number % 2)
            if len(fits) > before:
                numbers.append(number)
        return numbers

    assert units_of_fits(166, "random", "greedy") == [10, 60, 110, 160]
    assert (UNITS_PER_FIRST_FIT, UNITS_PER_FIT) == (10, 50)
    assert units_of_fits(7, "anna", "greedy") == [6]
    assert units_of_fits(5, "bo", "greedy") == []
    count(ratings, "bo", "cia", 1.0, forfeits=("bo", "cia"))
    assert units_of_fits(4, "random", "greedy") == [3]


def test_a_unit_that_both_forfeit_is_lost_by_both():
    assert unit_edge(4, 3, 1.0, forfeits=(True, True)) == Edge(3, 4, 0, 0, 0, 1, 1)
    assert unit_edge(4, 3, 1.0, forfeits=(True, False)) == Edge(3, 4, 0, 0, 0, 0, 1)
    assert unit_edge(4, 3, 1.0) == Edge(3, 4, 1, 0, 0)


@pytest.mark.parametrize("factor", [0.01, 3.0])
def test_a_fit_does_not_depend_on_the_inverse_that_it_begins_with(factor):
    """With 0.01 the steps would be too short for any patience, with 3 they would diverge."""
    units = [(("anna", "greedy"), 1.0, None), (("bo", "anna"), 0.5, None)] * 20
    ratings = counted(units)
    ratings.fit(is_exact=True)
    before = numbers_of(ratings)
    ratings._covariance *= factor
    ratings.strengths[ratings.numbers["anna"]] += 3.0
    ratings.fit(is_exact=False)
    assert numbers_of(ratings) == pytest.approx(before, abs=0.001)


def test_every_edge_of_a_large_ladder_is_kept():
    """The table of the sums grows while units are counted, twice here."""
    bots = [player(str(number)) for number in range(20)]
    ratings = LadderRatings([*HOUSE, *bots])
    for number, first in enumerate(bots):
        for second in bots[:number]:
            count(ratings, first.entrant, second.entrant, 1.0)
    edges = ratings.edges()
    assert len({edge[:2] for edge in edges}) == 190
    assert {edge[2:] for edge in edges} == {(1, 0.0, 0.0, 0, 0)}


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
    from_edges = LadderRatings([*HOUSE, *BOTS], ratings.edges())
    assert numbers_of(ratings) == pytest.approx(numbers_of(other), abs=0.01)
    assert numbers_of(ratings) == pytest.approx(numbers_of(from_edges), abs=0.01)


@given(UNITS)
@tries(30)
def test_the_mean_of_the_anchors_stays_and_has_no_error(units):
    ratings = counted(units, anchors_mean_elo=70.0)
    assert sum(ratings.elo(anchor.entrant) for anchor in HOUSE) / 3 == pytest.approx(70)
    for place in range(len(NAMES)):
        assert ratings.covariances(place)[ratings.anchors].sum() == pytest.approx(0, abs=1e-9)


@given(UNITS.filter(len))
@tries(30)
def test_an_update_of_rank_one_is_the_inverse(units):
    """With information added about one difference, at the chance after the unit."""
    ratings = counted(units)
    ratings.fit(is_exact=True)
    size = len(NAMES)
    before = np.array([ratings.covariances(number)[:size] for number in range(size)])
    first, second = ratings.numbers["anna"], ratings.numbers["greedy"]
    count(ratings, "anna", "greedy", 0.75)
    if ratings.units[first] == 6 or ratings.units[second] == 6:
        return  # a full fit followed
    after = np.array([ratings.covariances(number)[:size] for number in range(size)])
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
    assert ratings.variances[:size] == pytest.approx(after.diagonal(), abs=1e-12)

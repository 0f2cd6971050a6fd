"""`swiss-monrad-1`: the three rules of its drawing, whole tournaments of it, and its worked example."""

import time
from fractions import Fraction
from itertools import combinations
from random import Random

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats.interface import SoFar
from arena.tournaments.formats.swiss import (
    SwissMonrad,
    best_pairs,
    draw_swiss,
    most_rounds,
    possible_pairs,
)
from arena.tournaments.schedule import Fixture, Round
from arena.tournaments.standings import FormatAdditions, standings
from arena.words import say
from tests.examples import tries
from tests.fixtures.tournament_builders import DRAWN_GAME, games, settle

NAMES = ["anna", "bo", "cia", "dag", "eva", "finn", "gun", "hans", "ida", "jon", "kaj"]


def all_pairings(places: list[int]):
    if not places:
        yield []
        return
    one, *rest = places
    for other in rest:
        for pairs in all_pairings([place for place in rest if place != other]):
            yield [(one, other), *pairs]


def by_trying_all(halves: list[int], free: list[int], barred: set[tuple[int, int]]):
    """The rules of the drawing as they are written, over every pairing there is."""
    size = len(halves) + len(halves) % 2
    allowed = [pairs for pairs in all_pairings(list(range(size))) if not barred & set(pairs)]
    if not allowed:
        return None

    def order(pairs):
        byes = [one for one, other in pairs if other == len(halves)]
        floats = sum(
            (halves[one] - halves[other]) ** 2 for one, other in pairs if other < len(halves)
        )
        return [(free[one], -one) for one in byes], floats, sorted(pairs)

    return sorted(min(allowed, key=order))


def free_rounds(places: int):
    return st.lists(st.integers(0, 2), min_size=places, max_size=places)


@tries(40)
@given(st.data())
def test_the_pairing_is_the_one_that_trying_them_all_finds(data) -> None:
    """The bye with the fewest free rounds and low, then the smallest floats, then the highest ranked first."""
    size = data.draw(st.integers(2, 8))
    halves = sorted(
        data.draw(st.lists(st.integers(0, 6), min_size=size, max_size=size)), reverse=True
    )
    free = data.draw(free_rounds(size))
    every = list(combinations(range(size), 2))
    barred = data.draw(st.sets(st.sampled_from(every), max_size=len(every)))
    assert best_pairs(halves, free, barred) == by_trying_all(halves, free, barred)


def by_all_pairs(halves: list[int], free: list[int], barred: set[tuple[int, int]]):
    """The same rules as one matching among all pairs: slow for a large field."""
    field = len(halves)
    size = field + field % 2
    graph: nx.Graph[int] = nx.Graph()
    for one, other in set(combinations(range(size), 2)) - barred:
        is_bye = other == field
        bye_cost, float_square = (
            (free[one] * size + size - one, 0)
            if is_bye
            else (0, (halves[one] - halves[other]) ** 2)
        )
        floats = bye_cost * (size * halves[0] ** 2 + 1) + float_square
        graph.add_edge(
            one, other, weight=-floats * size**size - (other - one) * size ** (size - 1 - one)
        )
    matching = nx.max_weight_matching(graph, maxcardinality=True)
    return (
        sorted((min(pair), max(pair)) for pair in matching) if 2 * len(matching) == size else None
    )


@tries(40)
@given(st.integers(2, 26), st.integers(0, 9), st.integers(0, 14), st.randoms(use_true_random=False))
def test_the_pairing_is_the_best_of_all_pairs(size, most_points, played, chance) -> None:
    """Though only near places are looked at: as many meetings and free rounds as a tournament has had, any of them."""
    halves = sorted((chance.randint(0, most_points) for _ in range(size)), reverse=True)
    barred = set()
    free = [0] * size
    for _ in range(min(played, size // 2)):
        places = chance.sample(range(size), size)
        meetings = zip(places[::2], places[1::2], strict=False)
        barred |= {(min(pair), max(pair)) for pair in meetings if chance.random() < 0.8}
        free[places[-1]] += size % 2
    assert best_pairs(halves, free, barred) == by_all_pairs(halves, free, barred)


def drawn(points: dict[str, str], *met: str, **more):
    """The pairs and byes of the round after these meetings ("anna-bo"), one a round."""
    rounds = []
    for number, each in enumerate(met, 1):
        first, second = each.split("-")
        rounds.append(
            Round(number=number, fixtures=(Fixture(round=number, first=first, second=second),))
        )
    score = {name: Fraction(number) for name, number in points.items()}
    found = draw_swiss(list(points), rounds, score, **more)
    return found and ([tuple(sorted(fixture.entrants)) for fixture in found.fixtures], found.byes)


def test_neighbours_in_the_table_meet() -> None:
    first = draw_swiss(NAMES[:4], [], dict.fromkeys(NAMES, Fraction()))
    assert [fixture.id for fixture in first.fixtures] == ["r1-anna-v-bo", "r1-dag-v-cia"]
    assert drawn({"anna": "0", "bo": "1", "cia": "1/2", "dag": "1/2"}) == (
        [("bo", "cia"), ("anna", "dag")],
        (),
    )


def test_entrants_that_have_met_get_other_opponents() -> None:
    """And no entrant floats needlessly: anna could meet bo, but then cia and dag, who have met, would both float."""
    level = {"anna": "1", "bo": "1", "cia": "1", "dag": "1", "eva": "0", "finn": "0"}
    assert drawn(level, "cia-dag") == ([("anna", "cia"), ("bo", "dag"), ("eva", "finn")], ())
    assert drawn(level, "anna-bo", "anna-cia", "anna-dag")[0][0] == ("anna", "eva")


def test_the_bye_goes_to_the_lowest_of_those_with_the_fewest_free_rounds() -> None:
    """A second bye is given only if no other pairing without a repeat is possible."""
    level = {"anna": "1", "bo": "1", "cia": "0"}
    assert drawn(level) == ([("anna", "bo")], ("cia",))
    assert drawn(level, had_free=["cia"]) == ([("anna", "cia")], ("bo",))
    assert drawn(level, had_free=["anna", "bo", "cia"]) == ([("anna", "bo")], ("cia",))
    assert drawn(level, had_free=["anna", "bo", "cia", "cia"]) == ([("anna", "cia")], ("bo",))
    assert drawn(level, "anna-cia", had_free=["cia"]) == ([("bo", "cia")], ("anna",))
    assert drawn(level, "anna-cia", "bo-cia", had_free=["cia"]) == ([("anna", "bo")], ("cia",))


def has_pairing(names: frozenset[str], met: set[frozenset[str]], byes: int) -> bool:
    """Say by trying whether all can be paired without a repeat, but for so many byes."""
    if len(names) == byes:
        return True
    first = min(names)
    remaining = names - {first}
    if byes and has_pairing(remaining, met, byes - 1):
        return True
    others = [other for other in remaining if frozenset((first, other)) not in met]
    return any(has_pairing(remaining - {other}, met, byes) for other in others)


@pytest.mark.parametrize("quits", [0.15, 0.3])
@pytest.mark.parametrize("size", range(5, 13))
def test_no_tournament_ends_early_while_a_pairing_without_a_repeat_exists(size, quits) -> None:
    """Bots leave in their matches, played or not, and byes run out long before pairings do."""
    names = [f"bot-{number}" for number in range(size)]
    for seed in range(25):
        chance = Random(f"{size} {quits} {seed}")
        swiss = SwissMonrad(rounds=chance.randint(1, most_rounds(size)))
        rounds: list[Round] = []
        results = []
        gone: set[str] = set()
        while True:
            so_far = SoFar(entrants=names, rounds=rounds, results=results, withdrawn=gone)
            following = swiss.next_round(so_far)
            if following is None:
                break
            rounds.append(following)
            for fixture in following.fixtures:
                quitters = {name for name in sorted(fixture.entrants) if chance.random() < quits}
                if not quitters or chance.random() < 0.5:
                    results.append(play(fixture, chance.choice(["won", "drawn", "lost"])))
                gone |= quitters
        remaining = frozenset(names) - gone
        met = {fixture.entrants for each in rounds for fixture in each.fixtures}
        early = swiss.early_end(so_far, ())
        assert (early is None) == (len(rounds) == swiss.rounds_due(size))
        if early is not None:
            assert len(remaining) < 2 or not has_pairing(remaining, met, byes=len(remaining) % 2)


def test_no_round_is_drawn_that_would_repeat_a_meeting() -> None:
    assert drawn({"anna": "1", "bo": "0"}, "anna-bo") is None
    assert drawn({"anna": "1", "bo": "0"}, gone={"bo"}) is None


def test_seat_1_goes_to_the_one_that_had_it_less() -> None:
    earlier = [
        Round(number=1, fixtures=(Fixture(round=1, first="anna", second="cia"),)),
        Round(number=2, fixtures=(Fixture(round=2, first="bo", second="dag"),)),
    ]
    score = {"anna": Fraction(1), "dag": Fraction(1), "bo": Fraction(), "cia": Fraction()}
    found = draw_swiss(list(score), earlier, score)
    assert [fixture.id for fixture in found.fixtures] == ["r3-dag-v-anna", "r3-cia-v-bo"]


def play(fixture: Fixture, outcome: str):
    if outcome == "drawn":
        return settle(fixture, (DRAWN_GAME,))
    return settle(fixture, games("anna jan" if outcome == "won" else "bo jan"))


@tries(30)
@given(st.integers(2, 11), st.data())
def test_a_whole_swiss_tournament_keeps_its_promises(size, data) -> None:
    names = NAMES[:size]
    rounds: list[Round] = []
    results = []
    swiss = SwissMonrad(rounds=most_rounds(size))
    while True:
        shuffled = data.draw(st.permutations(results))
        following = swiss.next_round(SoFar(entrants=names, rounds=rounds, results=results))
        assert following == swiss.next_round(SoFar(entrants=names, rounds=rounds, results=shuffled))
        if following is None:
            break
        rounds.append(following)
        assert following.number == len(rounds)
        assert following.names == set(names)
        outcomes = st.sampled_from(["won", "drawn", "lost"])
        results += [play(fixture, data.draw(outcomes)) for fixture in following.fixtures]
    assert len(rounds) == most_rounds(size)
    fixtures = [fixture for each in rounds for fixture in each.fixtures]
    assert len({fixture.entrants for fixture in fixtures}) == len(fixtures)
    byes = [name for each in rounds for name in each.byes]
    assert len(byes) == (size % 2) * len(rounds) == len(set(byes))
    table = standings(
        names,
        fixtures,
        results,
        additions=FormatAdditions(rounds=rounds, rounds_due=len(rounds)),
    )
    assert sum(row.match_points for row in table.rows) == len(fixtures) + len(byes)


def test_a_withdrawn_entrant_is_not_drawn_and_costs_its_opponents_nothing() -> None:
    """M5 with the rounds of the tournament as its matches; a match annulled is a free round for the other."""
    swiss = SwissMonrad(rounds=3)
    names = NAMES[:6]
    first = swiss.next_round(SoFar(entrants=names))
    results = [play(fixture, "lost") for fixture in first.fixtures]
    gone = {first.fixtures[0].first}
    table = standings(
        names,
        first.fixtures,
        results,
        withdrawn=gone,
        additions=FormatAdditions(rounds=[first], rounds_due=3),
    )
    assert tuple(map(say, table.notes)) == (
        "anna withdrew after 1 of 3 matches: fewer than half, so its results are annulled",
    )
    bo = next(row for row in table.rows if row.entrant == "bo")
    assert (bo.match_points, bo.played, bo.free_rounds) == (1, 0, 1)
    second = swiss.next_round(
        SoFar(entrants=names, rounds=[first], results=results, withdrawn=gone)
    )
    assert second.names == set(names) - gone
    assert second.byes not in ((), ("bo",))


def draw_many(size: int, rounds: int):
    """Draw a tournament of bots of all strengths, with draws; gives each round and how long its drawing took."""
    chance = Random(size)
    names = [f"bot-{number}" for number in range(size)]
    strength = {name: chance.gauss(0, 1) for name in names}
    points, had_free, drawn_rounds = dict.fromkeys(names, Fraction()), [], []
    for _ in range(rounds):
        begun = time.process_time()
        following = draw_swiss(names, drawn_rounds, points, had_free=had_free)
        yield following, time.process_time() - begun
        drawn_rounds.append(following)
        for name in following.byes:
            points[name] += 1
            had_free.append(name)
        for fixture in following.fixtures:
            margin = strength[fixture.first] - strength[fixture.second] + chance.gauss(0, 1)
            share = Fraction(1, 2) if abs(margin) < 0.2 else Fraction(margin > 0)
            points[fixture.first] += share
            points[fixture.second] += 1 - share


@pytest.mark.parametrize("size", [99, pytest.param(501, marks=pytest.mark.soak)])
def test_a_large_field_is_drawn_in_time(size) -> None:
    met, byes = set(), []
    for following, seconds in draw_many(size, 10):
        assert seconds < 10
        assert len(following.fixtures) == size // 2
        assert len(following.names) == size
        met |= {fixture.entrants for fixture in following.fixtures}
        byes += following.byes
        assert len(met) == following.number * (size // 2)
        assert len(set(byes)) == len(byes) == following.number * (size % 2)


@given(st.integers(2, 500), st.integers(0, 12), st.randoms(use_true_random=False))
@tries(5)
def test_few_pairs_of_a_large_field_are_possible(size, played, chance) -> None:
    """After r rounds an entrant can meet one of the next 2r + 1; the bye can go to r + 1."""
    barred = set()
    free = [0] * size
    for _ in range(played):
        places = chance.sample(range(size), size)
        barred |= {(min(pair), max(pair)) for pair in zip(places[::2], places[1::2], strict=False)}
        free[places[-1]] += size % 2
    found = possible_pairs(free, barred)
    assert all(other - one <= 2 * played + 1 for one, other in found if other < size)
    assert sum(other == size for _, other in found) <= played + 1

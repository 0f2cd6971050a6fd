"""M3: every pair meets once a cycle, nobody twice in a round, seats balanced within one."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments import TournamentError
from arena.tournaments.formats.round_robin import RoundRobin, round_robin
from arena.tournaments.schedule import Fixture, entrant_problems, parse_fixture
from tests.english import english

names = st.from_regex(r"[a-z][a-z0-9_-]{0,31}", fullmatch=True).filter(
    lambda name: "-v-" not in name and not name.endswith("-v")
)
fields = st.lists(names, min_size=2, max_size=20, unique=True)
cycles = st.integers(1, 4)


def test_M3_four_entrants_meet_in_three_rounds():
    assert [fixture.id for fixture in round_robin(["anna", "bo", "cia", "dag"])] == [
        "r1-anna-v-dag",
        "r1-bo-v-cia",
        "r2-dag-v-cia",
        "r2-anna-v-bo",
        "r3-bo-v-dag",
        "r3-cia-v-anna",
    ]


def test_M3_three_entrants_have_one_bye_each():
    schedule = round_robin(["anna", "bo", "cia"])
    assert [fixture.id for fixture in schedule] == ["r1-bo-v-cia", "r2-anna-v-bo", "r3-cia-v-anna"]


def test_M3_the_second_cycle_goes_on_counting_rounds_and_swaps_seats():
    assert [fixture.id for fixture in round_robin(["anna", "bo"], 2)] == [
        "r1-anna-v-bo",
        "r2-bo-v-anna",
    ]


@given(fields, cycles)
def test_M3_every_pair_meets_once_a_cycle(field, count):
    met = Counter(
        frozenset((fixture.first, fixture.second)) for fixture in round_robin(field, count)
    )
    assert met == {frozenset(pair): count for pair in combinations(field, 2)}
    rounds = len(field) - 1 if len(field) % 2 == 0 else len(field)
    for cycle in range(count):
        one = [
            f for f in round_robin(field, count) if cycle * rounds < f.round <= (cycle + 1) * rounds
        ]
        assert len({frozenset((f.first, f.second)) for f in one}) == len(one) == len(met)


@given(fields, cycles)
def test_M3_nobody_plays_twice_in_a_round_and_no_round_is_longer_than_it_must_be(field, count):
    rounds: dict[int, list[str]] = {}
    for fixture in round_robin(field, count):
        rounds.setdefault(fixture.round, []).extend([fixture.first, fixture.second])
    assert list(rounds) == list(range(1, len(rounds) + 1))
    for at_table in rounds.values():
        assert len(set(at_table)) == len(at_table) == len(field) // 2 * 2


@given(fields, cycles)
def test_M3_seats_are_balanced_within_one_for_everybody(field, count):
    seats = Counter()
    for fixture in round_robin(field, count):
        seats[fixture.first] += 1
        seats[fixture.second] -= 1
    assert all(abs(balance) <= 1 for balance in seats.values())


@given(fields, cycles)
def test_M3_a_pair_swaps_seats_from_one_meeting_to_the_next(field, count):
    last: dict[frozenset[str], Fixture] = {}
    for fixture in round_robin(field, count):
        pair = frozenset((fixture.first, fixture.second))
        if pair in last:
            assert last[pair].first == fixture.second
        last[pair] = fixture


@given(fields, cycles)
def test_M3_fixture_ids_are_unique_and_read_back(field, count):
    schedule = round_robin(field, count)
    assert len({fixture.id for fixture in schedule}) == len(schedule)
    assert [parse_fixture(fixture.id) for fixture in schedule] == list(schedule)


def test_M3_all_problems_of_a_field_are_listed():
    found = english(RoundRobin().problems(["Anna", "bo-v-cia", "dag", "dag"]))
    assert [problem.split(";")[0] for problem in found] == [
        "'Anna' is not a name: use 1 to 32 of a-z, 0-9, '-' and '_', a letter first",
        "'bo-v-cia' is not a name: '-v-' separates the names of a fixture",
        "'dag' is entered 2 times",
    ]


@pytest.mark.parametrize("field", [[], ["anna"]])
def test_M3_a_round_robin_needs_two_entrants(field):
    assert english(RoundRobin().problems(field)) == [
        f"round_robin needs at least 2 entrants, found {len(field)}"
    ]


@pytest.mark.parametrize("name", ["a", "wild-bg", "gnu_2", "v", "x" * 32, "rev", "vv-vv"])
def test_M3_good_names(name):
    assert entrant_problems([name]) == ()


@pytest.mark.parametrize(
    "name",
    [
        "",
        "2anna",
        "-anna",
        "_a",
        "Anna",
        "bräde",
        "a b",
        "a/b",
        "a.b",
        "x" * 33,
        "a-v",
        "a\n",
        "a-v-b",
    ],
)
def test_M3_bad_names(name):
    assert len(entrant_problems([name])) == 1


@pytest.mark.parametrize(
    "text",
    ["", "anna-v-bo", "r0-anna-v-bo", "r01-anna-v-bo", "r1-anna", "r1-Anna-v-bo", "r1-bo-v-bo"],
)
def test_M3_what_is_no_fixture_is_refused(text):
    with pytest.raises(TournamentError, match="is not a fixture"):
        parse_fixture(text)

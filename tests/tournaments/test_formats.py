"""Which fixtures each format gives: gauntlet, newcomers of a round robin, and what is refused."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats.gauntlet import Gauntlet, gauntlet
from arena.tournaments.formats.interface import Format
from arena.tournaments.formats.round_robin import RoundRobin, round_robin
from arena.tournaments.formats.swiss import SwissMonrad

LETTERS = "abcdefghijklmnop"
FIELD = ["anna", "bo", "cia", "dag", "eva"]


def seats_differ(fixtures, names):
    """How far apart the two seats of each name are."""
    first, second = Counter(f.first for f in fixtures), Counter(f.second for f in fixtures)
    return {abs(first[name] - second[name]) for name in names}


def test_a_gauntlet_of_one_is_that_one_against_each_other_in_turn() -> None:
    assert [fixture.id for fixture in gauntlet(["new"], ["anna", "bo", "cia"])] == [
        "r1-new-v-anna",
        "r2-bo-v-new",
        "r3-new-v-cia",
    ]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 3))
def test_in_a_gauntlet_every_challenger_meets_every_other_once_a_cycle(mine, theirs, cycles) -> None:
    challengers, others = LETTERS[:mine], LETTERS[6 : 6 + theirs]
    fixtures = gauntlet(challengers, others, cycles)
    met = Counter(fixture.entrants for fixture in fixtures)
    assert met == {frozenset((one, other)): cycles for one in challengers for other in others}
    for number in {fixture.round for fixture in fixtures}:
        names = [name for f in fixtures if f.round == number for name in (f.first, f.second)]
        assert len(names) == len(set(names))
    assert [fixture.round for fixture in fixtures] == sorted(fixture.round for fixture in fixtures)
    assert seats_differ(fixtures, challengers + others) <= {0, 1}
    swapped = [(f.second, f.first) for f in gauntlet(challengers, others, 1)]
    second = [(f.first, f.second) for f in fixtures[len(swapped) : 2 * len(swapped)]]
    assert second in ([], swapped)


@given(st.integers(2, 6), st.integers(1, 4), st.integers(1, 3))
def test_newcomers_of_a_round_robin_play_what_is_missing_and_nothing_else(old, new, cycles) -> None:
    field, newcomers = LETTERS[:old], LETTERS[old : old + new]
    before = round_robin(field, cycles)
    missing = RoundRobin(cycles=cycles).catch_up(field, newcomers, before[-1].round)
    met = Counter(fixture.entrants for fixture in before + missing)
    assert met == Counter(fixture.entrants for fixture in round_robin(field + newcomers, cycles))
    assert min(fixture.round for fixture in missing) == before[-1].round + 1
    for number in {fixture.round for fixture in missing}:
        names = [name for f in missing if f.round == number for name in (f.first, f.second)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (SwissMonrad(rounds=4), "rounds = 4: 5 entrants can play 1 to 3 rounds"),
        (Gauntlet(), 'gauntlet-1 needs challengers = ["name", ...]'),
        (Gauntlet(challengers=("zoe",)), "challenger 'zoe' is not an entrant"),
        (Gauntlet(challengers=("bo", "bo")), "a challenger is named twice"),
        (Gauntlet(challengers=tuple(FIELD)), "all entrants are challengers"),
    ],
    ids=str,
)
def test_a_format_that_cannot_be_played_is_refused(given: Format, problem: str) -> None:
    found = given.problems(FIELD)
    assert len(found) == 1
    assert found[0].startswith(problem)


def test_newcomers_of_a_gauntlet_meet_the_challengers_that_are_left() -> None:
    missing = Gauntlet(challengers=("bo", "cia")).catch_up(["anna", "cia"], ["dag", "eva"], 3)
    assert [fixture.id for fixture in missing] == ["r4-cia-v-dag", "r5-eva-v-cia"]


def test_a_swiss_of_which_nothing_is_said_has_rounds_for_one_clean_winner() -> None:
    swiss = SwissMonrad()
    assert [swiss.rounds_due(size) for size in (2, 3, 4, 6, 8, 9, 16, 17, 100)] == [1, 2, 2, 3, 3, 4, 4, 5, 7]

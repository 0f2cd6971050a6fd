"""Which fixtures each format gives: gauntlet, newcomers of a round robin, and what is refused."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats import Format
from arena.tournaments.gauntlet import gauntlet
from arena.tournaments.newcomers import catch_up
from arena.tournaments.schedule import round_robin

LETTERS = "abcdefghijklmnop"
FIELD = ["anna", "bo", "cia", "dag", "eva"]


def seats_differ(fixtures, names):
    """How far apart the two seats of each name are."""
    first, second = Counter(f.first for f in fixtures), Counter(f.second for f in fixtures)
    return {abs(first[name] - second[name]) for name in names}


def test_a_gauntlet_of_one_is_that_one_against_each_other_in_turn() -> None:
    """The seats of the challenger alternate."""
    assert [fixture.id for fixture in gauntlet(["new"], ["anna", "bo", "cia"])] == [
        "r1-new-v-anna",
        "r2-bo-v-new",
        "r3-new-v-cia",
    ]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 3))
def test_in_a_gauntlet_every_challenger_meets_every_other_once_a_cycle(mine, theirs, cycles) -> None:
    """Once a round at most, seats balanced within one, swapped from cycle to cycle."""
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
    """Then every pair has met once a cycle; the rounds follow those that were played."""
    field, newcomers = LETTERS[:old], LETTERS[old : old + new]
    before = round_robin(field, cycles)
    missing = catch_up(field, newcomers, cycles, before[-1].round)
    met = Counter(fixture.entrants for fixture in before + missing)
    assert met == Counter(fixture.entrants for fixture in round_robin(field + newcomers, cycles))
    assert min(fixture.round for fixture in missing) == before[-1].round + 1
    for number in {fixture.round for fixture in missing}:
        names = [name for f in missing if f.round == number for name in (f.first, f.second)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (Format(name="swiss-monrad-1", rounds=4), "rounds = 4: 5 entrants can play 1 to 3 rounds"),
        (Format(name="swiss-monrad-1", cycles=2), "swiss-monrad-1 has no cycles, found 2"),
        (Format(name="knockout-1", cycles=2), "knockout-1 has no cycles, found 2"),
        (Format(name="knockout-1", rounds=2), "knockout-1 says by itself how many rounds there are"),
        (Format(rounds=3), "round_robin says by itself how many rounds there are"),
        (Format(challengers=("anna",)), "round_robin has no challengers"),
        (Format(name="gauntlet-1"), 'gauntlet-1 needs challengers = ["name", ...]'),
        (Format(name="gauntlet-1", challengers=("zoe",)), "challenger 'zoe' is no entrant"),
        (Format(name="gauntlet-1", challengers=("bo", "bo")), "a challenger is named twice"),
        (Format(name="gauntlet-1", challengers=tuple(FIELD)), "all entrants are challengers"),
    ],
    ids=str,
)
def test_a_format_that_cannot_be_played_is_refused(given: Format, problem: str) -> None:
    """One sentence says what was found and what is expected."""
    found = given.problems(FIELD)
    assert len(found) == 1
    assert found[0].startswith(problem)


@pytest.mark.parametrize("name", ["gauntlet-1", "swiss-monrad-1", "knockout-1"])
def test_one_entrant_is_no_tournament(name) -> None:
    """In no format."""
    assert f"{name} needs at least 2 entrants, found 1" in Format(name=name).problems(["anna"])


def test_a_swiss_of_which_nothing_is_said_has_rounds_for_one_clean_winner() -> None:
    """As many as a knock-out, but never more than half the field."""
    swiss = Format(name="swiss-monrad-1")
    assert [swiss.rounds_of(size) for size in (2, 3, 4, 6, 8, 9, 16, 17, 100)] == [1, 2, 2, 3, 3, 4, 4, 5, 7]

"""The rules for every format, a new one as soon as it has a sample, and what gauntlets and newcomers get."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.formats import FORMATS, OPTIONS
from arena.tournaments.formats.gauntlet import Gauntlet, gauntlet
from arena.tournaments.formats.interface import Format, SoFar
from arena.tournaments.formats.round_robin import RoundRobin, round_robin
from arena.tournaments.formats.swiss import SwissMonrad
from arena.tournaments.standings import FormatAdditions, standings
from tests.english import english
from tests.examples import tries
from tests.fixtures.sample_formats import ROOT, SAMPLES
from tests.fixtures.tournament_builders import DRAWN_GAME, games, settle

MORE = ["gun", "hans", "ida", "jon", "kaj", "lena"]
every_format = pytest.mark.parametrize("name", FORMATS)


def test_every_format_has_a_sample_and_is_described() -> None:
    assert set(SAMPLES) == set(FORMATS)
    page = (ROOT / "docs" / "formats.md").read_text()
    assert all(f"| `{name}` |" in page for name in FORMATS)


def test_formats_that_share_an_option_share_its_type() -> None:
    for kind in FORMATS.values():
        for field in msgspec.structs.fields(kind):
            assert field.type == OPTIONS[field.name].type


@every_format
def test_the_sample_can_be_played_and_one_entrant_cannot(name) -> None:
    plan = SAMPLES[name]
    assert plan.format.problems(plan.entrants) == []
    assert f"{name} needs at least 2 entrants, found 1" in english(
        plan.format.problems(plan.entrants[:1])
    )


def settled(data, fixture):
    winner = data.draw(st.sampled_from([fixture.first, fixture.second, None]))
    return settle(
        fixture,
        (DRAWN_GAME,) if winner is None else games(f"{winner} jan", fixture.first, fixture.second),
    )


def played(data, played_format: Format, so_far: SoFar):
    """Play everything that is known, then round after round; before each the results are shuffled."""
    fixtures = list(played_format.fixtures(so_far.entrants))
    results = [settled(data, fixture) for fixture in fixtures]
    rounds = []
    while True:
        now = SoFar(
            entrants=so_far.entrants, rounds=rounds, results=results, withdrawn=so_far.withdrawn
        )
        shuffled = SoFar(
            entrants=so_far.entrants,
            rounds=rounds,
            results=data.draw(st.permutations(results)),
            withdrawn=so_far.withdrawn,
        )
        drawn = played_format.next_round(now)
        assert played_format.next_round(shuffled) == drawn, "the order of results decides nothing"
        if drawn is None:
            return fixtures, now
        assert drawn.number == len(rounds) + 1 <= 50, "a format comes to an end"
        assert not drawn.names & set(so_far.withdrawn)
        rounds.append(drawn)
        fixtures += drawn.fixtures
        results += [settled(data, fixture) for fixture in drawn.fixtures]


@every_format
@tries(15)
@given(st.data())
def test_nobody_plays_twice_in_a_round_and_everything_is_played(name, data) -> None:
    plan = SAMPLES[name]
    names = plan.entrants + MORE[: data.draw(st.integers(0, len(MORE)))]
    fixtures, so_far = played(data, plan.format, SoFar(entrants=names))
    assert [fixture.round for fixture in fixtures] == sorted(fixture.round for fixture in fixtures)
    assert (
        len({fixture.id for fixture in fixtures})
        == len(fixtures)
        >= plan.format.matches(len(names))
    )
    at_table = Counter((fixture.round, each) for fixture in fixtures for each in fixture.entrants)
    assert set(at_table.values()) == {1}
    assert {each for _, each in at_table} <= set(names)
    assert plan.format.known_matches(len(names)) == len(plan.format.fixtures(names))
    columns = plan.format.columns(so_far)
    table = standings(
        names,
        fixtures,
        so_far.results,
        additions=FormatAdditions(rounds=so_far.rounds, columns=columns),
    )
    assert sorted(row.entrant for row in table.rows) == sorted(names)
    assert all(set(column.numbers) == set(names) for column in columns)


@every_format
@tries(15)
@given(st.data())
def test_withdrawn_entrants_are_drawn_no_more(name, data) -> None:
    plan = SAMPLES[name]
    names = plan.entrants + MORE
    gone = data.draw(st.sets(st.sampled_from(names)))
    played(data, plan.format, SoFar(entrants=names, withdrawn=gone))


@every_format
def test_newcomers_play_among_themselves_and_the_field_or_are_not_taken(name) -> None:
    plan = SAMPLES[name]
    known = plan.format.fixtures(plan.entrants)
    last_round = max((fixture.round for fixture in known), default=0)
    missing = plan.format.catch_up(plan.entrants, MORE, last_round)
    if missing is None:
        return
    assert missing
    assert min(fixture.round for fixture in missing) == last_round + 1
    assert all(fixture.entrants & set(MORE) for fixture in missing)
    assert Counter(fixture.entrants for fixture in (*known, *missing)) == Counter(
        fixture.entrants for fixture in plan.format.fixtures([*plan.entrants, *MORE])
    )


# Which fixtures each format gives: gauntlet, newcomers of a round robin, and what is refused


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
def test_in_a_gauntlet_every_challenger_meets_every_other_once_a_cycle(
    mine, theirs, cycles
) -> None:
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
    found = english(given.problems(FIELD))
    assert len(found) == 1
    assert found[0].startswith(problem)


def test_newcomers_of_a_gauntlet_meet_the_challengers_that_are_left() -> None:
    missing = Gauntlet(challengers=("bo", "cia")).catch_up(["anna", "cia"], ["dag", "eva"], 3)
    assert [fixture.id for fixture in missing] == ["r4-cia-v-dag", "r5-eva-v-cia"]


def test_a_swiss_of_which_nothing_is_said_has_rounds_for_one_clean_winner() -> None:
    swiss = SwissMonrad()
    assert [swiss.rounds_due(size) for size in (2, 3, 4, 6, 8, 9, 16, 17, 100)] == [
        1,
        2,
        2,
        3,
        3,
        4,
        4,
        5,
        7,
    ]

"""The rules for every format: a new one is tested by these as soon as it has a sample in docs/tournaments."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.formats.interface import Format, SoFar
from arena.tournaments.formats.registry import FORMATS, OPTIONS
from arena.tournaments.standings import standings
from tests.tournaments.builders import DRAWN_GAME, games, settle
from tests.tournaments.sample_formats import ROOT, SAMPLES

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
    assert f"{name} needs at least 2 entrants, found 1" in plan.format.problems(plan.entrants[:1])


def settled(data, fixture):
    """A match won by either side, or drawn."""
    winner = data.draw(st.sampled_from([fixture.first, fixture.second, None]))
    return settle(fixture, (DRAWN_GAME,) if winner is None else games(f"{winner} jan", fixture.first, fixture.second))


def played(data, played_format: Format, so_far: SoFar):
    """Play everything that is known, then round after round; before each the results are shuffled."""
    fixtures = list(played_format.fixtures(so_far.entrants))
    results = [settled(data, fixture) for fixture in fixtures]
    rounds = []
    while True:
        now = SoFar(entrants=so_far.entrants, rounds=rounds, results=results, withdrawn=so_far.withdrawn)
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
@settings(max_examples=30)
@given(st.data())
def test_nobody_plays_twice_in_a_round_and_everything_is_played(name, data) -> None:
    plan = SAMPLES[name]
    names = plan.entrants + MORE[: data.draw(st.integers(0, len(MORE)))]
    fixtures, so_far = played(data, plan.format, SoFar(entrants=names))
    assert [fixture.round for fixture in fixtures] == sorted(fixture.round for fixture in fixtures)
    assert len({fixture.id for fixture in fixtures}) == len(fixtures) >= plan.format.matches(len(names))
    at_table = Counter((fixture.round, each) for fixture in fixtures for each in fixture.entrants)
    assert set(at_table.values()) == {1}
    assert {each for _, each in at_table} <= set(names)
    columns = plan.format.columns(so_far)
    table = standings(names, fixtures, so_far.results, rounds=so_far.rounds, columns=columns)
    assert sorted(row.entrant for row in table.rows) == sorted(names)
    assert all(set(column.numbers) == set(names) for column in columns)


@every_format
@settings(max_examples=30)
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

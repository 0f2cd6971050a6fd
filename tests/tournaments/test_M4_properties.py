"""M4 and M5 as properties: what holds for every tournament, played wholly or in part."""
# ruff: noqa: N802 - clause ids keep their spelling in the names of tests

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.standings import standings
from arena.tournaments.tie_breaks import TieStep
from tests.tournaments.builders import any_tournament, no_deadline

readings = st.sampled_from(["value", "rank"])


@no_deadline
@given(any_tournament(), readings, st.randoms())
def test_M4_the_order_of_results_and_of_entrants_never_matters(drawn, reading, random):
    names, schedule, results = drawn
    shuffled = [random.sample(each, len(each)) for each in (names, schedule, results)]
    assert standings(*drawn, best_game=reading) == standings(*shuffled, best_game=reading)


@no_deadline
@given(any_tournament(), readings, st.permutations(["anna", "bo", "cia", "dag", "eva", "finn"]), st.data())
def test_M4_renaming_entrants_never_matters(drawn, reading, permuted, data):
    names, schedule, results = drawn
    gone = data.draw(st.sets(st.sampled_from(names)))
    new = dict(zip(["anna", "bo", "cia", "dag", "eva", "finn"], permuted, strict=True)) | {None: None}
    renamed_schedule = [replace(one, first=new[one.first], second=new[one.second]) for one in schedule]
    ids = {old.id: one.id for old, one in zip(schedule, renamed_schedule, strict=True)}
    renamed_results = [
        replace(
            one,
            fixture=ids[one.fixture],
            first=new[one.first],
            second=new[one.second],
            games=tuple(replace(game, winner=new[game.winner]) for game in one.games),
        )
        for one in results
    ]
    before = standings(*drawn, best_game=reading, withdrawn=gone)
    after = standings(
        [new[name] for name in names],
        renamed_schedule,
        renamed_results,
        best_game=reading,
        withdrawn={new[name] for name in gone},
    )
    assert {new[row.entrant]: row.place for row in before.rows} == {row.entrant: row.place for row in after.rows}

    def broken(table, rename):
        return [
            (tie.step, tie.place, *({rename(name) for name in side} for side in (tie.above, tie.below)))
            for tie in table.tie_breaks
        ]

    assert broken(before, new.get) == broken(after, lambda name: name)


@no_deadline
@given(any_tournament(), readings)
def test_M4_what_is_won_by_one_is_lost_by_another(drawn, reading):
    names, _, results = drawn
    rows = standings(*drawn, best_game=reading).rows
    played = sum(not result.voided for result in results)
    assert sorted(row.entrant for row in rows) == sorted(names)
    assert sum(row.match_points for row in rows) == played
    assert sum(row.played for row in rows) == 2 * played
    assert sum(row.won for row in rows) == sum(row.lost for row in rows)
    assert sum(row.points_for for row in rows) == sum(row.points_against for row in rows)
    for row in rows:
        assert row.played == row.won + row.drawn + row.lost
        assert row.match_points == row.won + Fraction(row.drawn, 2)
        assert len(row.best_games) <= sum(count.won for count in row.endings)


@no_deadline
@given(any_tournament(), readings)
def test_M4_neighbours_level_on_match_points_stand_in_exactly_one_tie_break(drawn, reading):
    table = standings(*drawn, best_game=reading)
    ties = list(table.tie_breaks)
    for upper, lower in pairwise(table.rows):
        assert upper.match_points >= lower.match_points
        pair = (upper.entrant, lower.entrant)
        about = [
            tie
            for tie in ties
            if (pair[0] in tie.above and pair[1] in tie.below)
            or (tie.step is TieStep.SHARED and {*pair} <= {*tie.above})
        ]
        assert len(about) == (upper.match_points == lower.match_points)
        for tie in about:
            assert tie.place == upper.place
            assert (upper.place == lower.place) == (tie.step is TieStep.SHARED)
            assert {*tie.above, *tie.below} <= {*tie.group}
            assert all(name in tie.sentence for name in pair)
    assert [tie.place for tie in ties] == sorted(tie.place for tie in ties)


@no_deadline
@given(any_tournament(), readings)
def test_M4_places_count_everybody_above(drawn, reading):
    rows = standings(*drawn, best_game=reading).rows
    for row in rows:
        level = [other for other in rows if other.place == row.place]
        assert row.place == 1 + sum(other.place < row.place for other in rows)
        assert row.is_shared == (len(level) > 1)
        assert len({(other.match_points, other.points_for, other.sonneborn_berger) for other in level}) == 1

"""M4 and M5 as properties, and the worked examples of docs/tie-breaks.md."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournaments.results import decide_match, format_points
from arena.tournaments.standings import standings
from arena.tournaments.tie_breaks import TieStep
from arena.words import say
from tests.examples import tries
from tests.fixtures.tournament_builders import any_tournament, tournament

readings = st.sampled_from(["value", "rank"])
few = tries(20)
"""A tournament takes long to make up, and every example is a whole one."""


@few
@given(any_tournament(), readings, st.randoms(), st.data())
def test_M4_the_order_of_results_and_of_entrants_never_matters(drawn, reading, random, data):
    names, schedule, results = drawn
    gone = data.draw(st.sets(st.sampled_from(names)))
    shuffled = [random.sample(each, len(each)) for each in (names, schedule, results)]
    before = standings(*drawn, best_game=reading, withdrawn=gone)
    assert before == standings(*shuffled, best_game=reading, withdrawn=gone)


def unseated(table):
    """The rows, with every best game as if it had been won at seat 1."""
    games = [tuple(replace(game, winner=1) for game in row.best_games) for row in table.rows]
    return [replace(row, best_games=won) for row, won in zip(table.rows, games, strict=True)]


@few
@given(any_tournament(), readings, st.randoms())
def test_M4_the_order_of_games_and_the_seats_never_matter(drawn, reading, random):
    names, schedule, results = drawn
    swapped = {one.id for one in schedule if random.random() < 0.5}

    def turned(one):
        return replace(one, first=one.second, second=one.first)

    def turned_games(one):
        seats = {1: 2, 2: 1, None: None} if one.fixture in swapped else {1: 1, 2: 2, None: None}
        return tuple(
            replace(game, winner=seats[game.winner])
            for game in random.sample(one.games, len(one.games))
        )

    ids = {one.id: turned(one).id if one.id in swapped else one.id for one in schedule}
    other_schedule = [turned(one) if one.id in swapped else one for one in schedule]
    other_results = [
        replace(
            turned(one) if one.fixture in swapped else one,
            fixture=ids[one.fixture],
            games=turned_games(one),
        )
        for one in results
    ]
    before = standings(*drawn, best_game=reading)
    after = standings(names, other_schedule, other_results, best_game=reading)
    assert (unseated(before), before.tie_breaks) == (unseated(after), after.tie_breaks)


@few
@given(any_tournament())
def test_M4_a_forfeited_game_counts_in_points_and_in_no_list_of_best_games(drawn):
    _, _, results = drawn
    for row in standings(*drawn).rows:
        own = [one for one in results if row.entrant in (one.first, one.second)]
        assert row.points_for == sum(one.points_of(row.entrant) for one in own)
        assert all(game.ending != "forfeit" for game in row.best_games)
        given_away = [game for one in own for game in one.won_by(one.opponent_of(row.entrant))]
        assert row.forfeits == sum(game.ending == "forfeit" for game in given_away)


@few
@given(any_tournament(), st.data())
def test_M4_sonneborn_berger_counts_the_opponents_beaten_whole_and_those_drawn_with_half(
    drawn, data
):
    names, _, results = drawn
    gone = data.draw(st.sets(st.sampled_from(names), max_size=1))
    table = standings(*drawn, withdrawn=gone)
    totals = {row.entrant: row.match_points for row in table.rows}
    for row in table.rows:
        expected = Fraction()
        for one in results:
            if one.fixture in table.counted and row.entrant in (one.first, one.second):
                winner = decide_match(one).winner
                share = Fraction(1, 2) if winner is None else Fraction(winner == row.entrant)
                expected += share * totals[one.opponent_of(row.entrant)]
        assert row.sonneborn_berger == expected


@few
@given(
    any_tournament(),
    readings,
    st.permutations(["anna", "bo", "cia", "dag", "eva", "finn"]),
    st.data(),
)
def test_M4_renaming_entrants_never_matters(drawn, reading, permuted, data):
    names, schedule, results = drawn
    gone = data.draw(st.sets(st.sampled_from(names)))
    new = dict(zip(["anna", "bo", "cia", "dag", "eva", "finn"], permuted, strict=True))
    renamed_schedule = [
        replace(one, first=new[one.first], second=new[one.second]) for one in schedule
    ]
    ids = {old.id: one.id for old, one in zip(schedule, renamed_schedule, strict=True)}
    renamed_results = [
        replace(one, fixture=ids[one.fixture], first=new[one.first], second=new[one.second])
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
    assert {new[row.entrant]: row.place for row in before.rows} == {
        row.entrant: row.place for row in after.rows
    }

    def broken(table, rename):
        return [
            (
                tie.step,
                tie.place,
                *({rename(name) for name in side} for side in (tie.above, tie.below)),
            )
            for tie in table.tie_breaks
        ]

    assert broken(before, new.get) == broken(after, lambda name: name)


@few
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
        assert len(row.best_games) <= sum(
            len(result.won_by(row.entrant))
            for result in results
            if row.entrant in (result.first, result.second)
        )


@few
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
            assert all(name in say(tie.sentence) for name in pair)
    assert [tie.place for tie in ties] == sorted(tie.place for tie in ties)


@few
@given(any_tournament(), readings)
def test_M4_places_count_everybody_above(drawn, reading):
    rows = standings(*drawn, best_game=reading).rows
    for row in rows:
        level = [other for other in rows if other.place == row.place]
        assert row.place == 1 + sum(other.place < row.place for other in rows)
        assert row.is_shared == (len(level) > 1)
        assert (
            len({(other.match_points, other.points_for, other.sonneborn_berger) for other in level})
            == 1
        )


# M4 and M5: the worked examples of docs/tie-breaks.md are what the arena says


PAGE = (Path(__file__).parents[2] / "docs" / "tie-breaks.md").read_text()
EXAMPLES = re.findall(
    r"```results\n(?:withdrawn: ([^\n]*)\n)?(.*?)```\n```standings\n(.*?)```", PAGE, flags=re.DOTALL
)


def test_M4_every_example_of_the_page_is_found():
    assert len(EXAMPLES) == PAGE.count("```results") == PAGE.count("```standings") == 7


@pytest.mark.parametrize(("withdrawn", "results", "expected"), EXAMPLES)
def test_M4_the_worked_examples_are_what_the_arena_says(withdrawn, results, expected):
    table = standings(*tournament(results), withdrawn=withdrawn.split())
    lines = []
    for row in table.rows:
        place = "-" if row.place is None else f"{row.place}{'=' if row.is_shared else ''}"
        matches = (
            f"{format_points(row.match_points)} match point{'' if row.match_points == 1 else 's'}"
        )
        lines.append(
            f"{place} {row.entrant} {matches}, {row.points_for} game point{'' if row.points_for == 1 else 's'}"
        )
    lines += [say(tie.sentence) for tie in table.tie_breaks]
    lines += map(say, table.notes)
    assert "\n".join(lines) + "\n" == expected

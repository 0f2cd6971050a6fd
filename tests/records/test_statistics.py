"""The statistics of a run: conduct, units, and where ratings disagree with the standings."""

from dataclasses import replace

import pytest

from arena.records.facts import FixtureSettled, TournamentFact, TournamentOpened
from arena.records.lines import RecordError, read_tournament
from arena.records.statistics import (
    EndingKind,
    Field,
    RunStatistics,
    conduct_of,
    counted_of,
    disagreements,
    games_in_unit,
    kinds_of,
    statistics_of,
    units_in,
)
from arena.tournaments.standings import Column, FormatAdditions, Standings, standings
from arena.tournaments.statistics.ratings import order_probabilities, rate_fields
from arena.tournaments.statistics.units import halves_of, units_of
from arena.words import say
from tests.fixtures.caller import CALLER
from tests.fixtures.small_run import (
    RECORD,
    Files,
    called_attempt,
    opened_tournament,
    pairs_attempt,
    run_of,
    small_run,
)
from tests.fixtures.tournament_builders import tournament


def facts_of(files: Files) -> list[TournamentFact]:
    return [fact for _, fact in read_tournament("tournament.jsonl", files["tournament.jsonl"])]


def settled_of(files: Files) -> list[FixtureSettled]:
    return [fact for fact in facts_of(files) if isinstance(fact, FixtureSettled)]


def test_conduct_is_that_of_the_attempt_that_was_settled() -> None:
    """Three games: drawn by the turn limit, forfeited by illegal turns, forfeited by the flag; a connection lost."""
    files = small_run()
    anna, bo = conduct_of(["anna", "bo"], settled_of(files), files).values()
    assert (anna.games, bo.games) == (3, 3)
    assert (anna.forfeits, bo.forfeits) == ({}, {"illegal_turns": 1, "time": 1})
    assert (anna.rejections, bo.rejections) == (1, 2)
    assert (anna.lost_connections, bo.lost_connections) == (1, 0)
    assert anna.drawn == bo.drawn == {EndingKind("turn_limit", monk=False, rank=None): 1}
    assert anna.won == bo.lost == {EndingKind("forfeit", monk=False, rank=None): 2}
    assert not anna.lost
    assert not bo.won


def test_the_percentile_is_the_shortest_time_that_suffices() -> None:
    """Nearest rank: of 100 turns the 99th; of 101 the 100th."""
    one = conduct_of(["anna"], [], {})["anna"]
    assert (one.mean_ms, one.percentile_ms(99)) == (None, None)
    one.spent_ms.update({5: 98, 70: 1, 900: 1})
    assert (one.mean_ms, one.percentile_ms(99), one.percentile_ms(100)) == (14.6, 70, 900)
    one.spent_ms[5] += 1
    assert (one.turns, one.percentile_ms(99), one.percentile_ms(1)) == (101, 70, 5)


def test_a_call_and_its_turn_are_one_turn() -> None:
    """A rejected call is a rejection; a flag that falls before the dice are called for is a turn, too."""
    sitting = called_attempt()
    files = run_of(opened_tournament(sitting.opened.terms, rules=CALLER), sitting)
    found = conduct_of(["anna", "bo"], settled_of(files), files)
    played = [fact for fact in sitting.facts if type(fact).__name__ in ("TurnPlayed", "FlagFell")]
    assert sum(each.turns for each in found.values()) == len(played)
    assert sum(sum(ms * n for ms, n in each.spent_ms.items()) for each in found.values()) == sum(
        fact.spent_ms for fact in played
    )


def test_kinds_of_endings_are_ordered_by_their_rank() -> None:
    forced, jan = (
        EndingKind("forced_jan", monk=False, rank=1),
        EndingKind("jan", monk=False, rank=2),
    )
    off, monk = (
        EndingKind("bearing_off", monk=False, rank=6),
        EndingKind("bearing_off", monk=True, rank=5),
    )
    drawn = EndingKind("turn_limit", monk=False, rank=None)
    assert kinds_of([{off: 1, drawn: 1}, {jan: 2, monk: 1, forced: 1, off: 3}]) == [
        forced,
        jan,
        monk,
        off,
        drawn,
    ]
    assert [say(kind.said) for kind in (forced, monk)] == ["forced jan", "bearing off + monk"]


def test_a_missing_or_unreadable_record_is_named() -> None:
    files = small_run()
    facts = settled_of(files)
    for broken, problem in (
        ({name: data for name, data in files.items() if name != RECORD}, "is missing"),
        (files | {RECORD: b""}, "attempt 2, which was settled, is missing"),
        (files | {RECORD: b"{}\n"}, "not a line of this record"),
    ):
        with pytest.raises(RecordError, match=problem) as caught:
            conduct_of(["anna", "bo"], facts, broken)
        assert caught.value.where.startswith(RECORD)


def test_the_statistics_of_a_run() -> None:
    files = small_run()
    facts = facts_of(files)
    opened = facts[0]
    assert isinstance(opened, TournamentOpened)
    conduct = conduct_of(["anna", "bo"], counted_of(opened, facts), files)
    found = statistics_of(opened, facts, conduct, seed=1, draws=100)
    (one,) = found.units
    assert (found.games_in_unit, one.games, one.score, one.points) == (3, 3, 2.5, 12)
    (field,) = found.fields
    assert field.ratings.entrants == ("anna", "bo")
    assert field.ratings.lead("anna", "bo")[0] > 0
    assert found.points["anna"] is not None
    assert (found.points["anna"].mean, found.points["anna"].margin) == (4.0, None)
    assert found.conduct["bo"].forfeits.total() == 2


def test_what_was_annulled_does_not_count() -> None:
    files = small_run()
    facts = facts_of(files)
    opened = facts[0]
    assert isinstance(opened, TournamentOpened)
    assert len(counted_of(opened, facts)) == 1
    assert counted_of(opened, facts[:1]) == []
    empty = statistics_of(opened, facts[:1], {}, seed=1, draws=100)
    assert (empty.units, empty.fields, empty.points) == ((), (), {"anna": None, "bo": None})


def test_of_duplicate_pairs_each_is_a_unit() -> None:
    sitting = pairs_attempt()
    header = opened_tournament(sitting.opened.terms)
    files = run_of(header, sitting)
    facts = facts_of(files)
    found = statistics_of(header, facts, {}, seed=1, draws=100)
    assert (found.unit, found.games_in_unit, [unit.games for unit in found.units]) == (
        "pair",
        2,
        [2, 2],
    )
    units = units_in(header, counted_of(header, facts))
    halves = halves_of(units, "anna", games_in_unit(header.terms))
    assert (len(halves), sum(halves)) == (5, 2)
    assert halves == halves_of(units, "bo", games_in_unit(header.terms))[::-1]
    assert sum(half * count for half, count in enumerate(halves)) == 2 * sum(
        unit.score for unit in found.units
    )


NAMES = {"anna": "Anna Ek", "bo": "Bo", "cia": "cia"}
MORE_GAMES = """
anna-bo: anna jan, anna jan, anna jan, bo jan, bo jan
anna-cia: anna jan, anna jan, anna jan, cia jan, cia jan
bo-cia: bo jan, bo jan, bo jan, bo jan, bo jan
"""
"""Anna wins both its matches narrowly, Bo wins one by far."""


def found_in(text: str, *columns: Column) -> tuple[Standings, RunStatistics]:
    """The standings and the ratings of some matches of five games."""
    entrants, schedule, results = tournament(text.strip())
    units = tuple(unit for result in results for unit in units_of(result, 5))
    fields = tuple(
        Field(ratings=each, order=order_probabilities(each, seed=1, draws=10))
        for each in rate_fields(units)
    )
    found = RunStatistics(
        entrants=tuple(entrants),
        names=NAMES,
        unit="match",
        games_in_unit=5,
        units=units,
        fields=fields,
        points={},
        conduct={},
    )
    return standings(
        entrants, schedule, results, names=NAMES, additions=FormatAdditions(columns=columns)
    ), found


def test_more_games_but_fewer_matches() -> None:
    [told] = disagreements(*found_in(MORE_GAMES))
    assert told == (
        "Anna Ek stands above Bo by match points, 2 against 1, but Bo is rated higher: "
        "ratings count games, a draw as a half: it scored 70.0 % against 60.0 %"
    )


def test_what_a_format_compares_first_is_named_first() -> None:
    columns = (Column(heading="rounds won", numbers={"anna": 2, "bo": 1, "cia": 0}),)
    [told] = disagreements(*found_in(MORE_GAMES, *columns))
    assert "by rounds won, 2 against 1, but" in told


def test_stronger_opponents() -> None:
    """Bo has won no larger share of its games than cia, but against anna, who beats cia's only opponent."""
    text = """
anna-bo: anna jan, anna jan, anna jan, bo jan, bo jan
anna-dag: anna jan, anna jan, anna jan, anna jan, anna jan
cia-dag: cia jan, cia jan, cia jan, dag jan, dag jan
"""
    table, found = found_in(text)
    [told] = disagreements(table, replace(found, names=NAMES | {"dag": "dag"}))
    assert told == (
        "cia stands above Bo by match points, 1 against 0, but Bo is rated higher: "
        "ratings weigh the opponents, and those of Bo were stronger"
    )


def test_a_tie_that_was_broken_names_the_step() -> None:
    """Level on match points: the standings go on with game points, the ratings do not look at points."""
    text = """
anna-bo: anna jan, anna jan, anna jan, bo off, bo off
anna-bo: bo off, bo off, bo off, -, -
"""
    [told] = disagreements(*found_in(text))
    assert told.startswith(
        "Anna Ek stands above Bo by game points, but Bo is rated higher: ratings count games"
    )


@pytest.mark.parametrize(
    "text", ["anna-bo: anna jan, -, -, -, -", "anna-bo: anna jan, bo jan, -, -, -", "anna-bo:"]
)
def test_nothing_is_said_where_both_agree_or_a_place_is_shared(text: str) -> None:
    assert disagreements(*found_in(text)) == []

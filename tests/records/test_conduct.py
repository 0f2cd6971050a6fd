"""What the records say of each bot's conduct, and the statistics of a whole run."""

from __future__ import annotations

import pytest

from arena.records.facts import FixtureSettled, TournamentFact, TournamentOpened
from arena.records.lines import RecordError, read_tournament
from arena.records.statistics import EndingKind, conduct_of, counted_of, halves_in, kinds_of, statistics_of
from arena.words import say
from tests.matches.caller import CALLER
from tests.records.small_run import (
    RECORD,
    TERMS,
    Files,
    called_attempt,
    opened_tournament,
    pairs_attempt,
    run_of,
    small_run,
)


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


def test_thinking_time_is_that_of_every_turn_and_flag() -> None:
    files = small_run()
    anna, bo = conduct_of(["anna", "bo"], settled_of(files), files).values()
    assert anna.turns + bo.turns == 4
    assert sum(bo.spent_ms) >= TERMS.delay_ms + TERMS.bank_ms
    assert bo.percentile_ms(99) == max(bo.spent_ms)


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
    forced, jan = EndingKind("forced_jan", monk=False, rank=1), EndingKind("jan", monk=False, rank=2)
    off, monk = EndingKind("bearing_off", monk=False, rank=6), EndingKind("bearing_off", monk=True, rank=5)
    drawn = EndingKind("turn_limit", monk=False, rank=None)
    assert kinds_of([{off: 1, drawn: 1}, {jan: 2, monk: 1, forced: 1, off: 3}]) == [forced, jan, monk, off, drawn]
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
    found = statistics_of(opened, facts, files, seed=1, draws=100)
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
    found = statistics_of(header, facts, files, seed=1, draws=100)
    assert (found.unit, found.games_in_unit, [unit.games for unit in found.units]) == ("pair", 2, [2, 2])
    halves = halves_in(header, facts, "anna")
    assert (len(halves), sum(halves)) == (5, 2)
    assert halves == halves_in(header, facts, "bo")[::-1]
    assert sum(half * count for half, count in enumerate(halves)) == 2 * sum(unit.score for unit in found.units)

"""What follows from a tournament record fact by fact: newcomers after a withdrawal, and what is left to play."""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from arena.records.facts import (
    FAILED,
    FAILURES,
    STOPPED,
    BotsContained,
    EntrantsAbsent,
    EntrantsAdded,
    EntrantsAwaited,
    EntrantWithdrawn,
    FixtureVoided,
)
from arena.records.lines_of_play import drawn_fact, ended_fact, withdrawal_facts
from arena.records.state import TournamentState, round_of, state_of
from arena.tournaments import TournamentError
from arena.tournaments.formats.interface import Format
from arena.tournaments.formats.round_robin import RoundRobin
from arena.tournaments.formats.swiss import SwissMonrad
from arena.tournaments.schedule import parse_fixture
from arena.tournaments.standings import Withdrawal
from arena.words import Said, say
from tests.fixtures.sample_runs import won_by_forfeit
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import (
    concluded,
    opened_tournament,
    pairs_attempt,
    played_attempt,
    settled,
    voided_attempt,
)

THREE = opened_tournament(entrants=("anna", "bo", "cia"), violations=0)


def joined(*names: str) -> EntrantsAdded:
    return EntrantsAdded(at_ms=1, entrants=list(names), file_sha256="0" * 64)


def left(state: TournamentState) -> list[str]:
    return [fixture.id for fixture in state.left_to_play()]


def test_newcomers_do_not_meet_entrants_withdrawn_before() -> None:
    fixtures = list(state_of(THREE, []).fixtures.values())
    [first] = [fixture for fixture in fixtures if fixture.entrants == {"bo", "cia"}]
    facts = [
        settled(won_by_forfeit(first, "bo"), b""),
        EntrantWithdrawn(at_ms=1, entrant="cia", violations=1),
    ]
    state = state_of(THREE, facts)
    assert len(left(state)) == 1
    before = {row.entrant: row.withdrawal for row in state.standings().rows}
    state.apply(joined("dag", "eva", "finn"))
    assert not [fixture for fixture in left(state) if "cia" in fixture]
    assert len(left(state)) == 1 + 2 * 3 + 3
    after = {row.entrant: row.withdrawal for row in state.standings().rows}
    assert before["cia"] == after["cia"] == Withdrawal.STANDS


def test_a_record_with_more_matches_than_can_be_kept_is_refused_before_they_are_made() -> None:
    many = [f"b{number}" for number in range(100_000)]
    with pytest.raises(TournamentError, match="4,999,950,000 matches"):
        TournamentState(opened_tournament(entrants=many))
    with pytest.raises(TournamentError, match="5,000,250,003 matches"):
        TournamentState(THREE).apply(joined(*many))


def test_only_what_an_entrant_missed_is_void_and_notes_say_who_is_waited_for_and_who_was_away() -> (
    None
):
    state = state_of(THREE, [EntrantsAwaited(at_ms=1, away=["bo", "cia"])])
    assert [say(note) for note in state.standings().notes] == [
        "no other match can be played: waiting for bo and cia"
    ]
    state.apply(EntrantsAbsent(at_ms=2, away=["cia"]))
    assert [fixture for fixture in left(state) if "cia" in fixture] == []
    assert len(left(state)) == 1
    state.apply(joined("dag"))
    assert len([fixture for fixture in left(state) if "cia" in fixture]) == 1
    table = state.standings()
    assert [say(note) for note in table.notes] == [
        "cia was away: 2 of its matches were not played and do not count"
    ]
    assert {row.withdrawal for row in table.rows} == {Withdrawal.NONE}


def test_matches_that_do_not_count_because_of_withdrawals_are_told() -> None:
    four = opened_tournament(entrants=("anna", "bo", "cia", "dag"), violations=0)
    first, *others = state_of(four, []).fixtures.values()
    name = first.second
    settled_first = settled(won_by_forfeit(first, first.first), b"")
    state = state_of(four, [settled_first])
    assert say(state.matches_counted(state.standings())) == "1 of 6 matches counted"
    state.apply(EntrantWithdrawn(at_ms=1, entrant=name, violations=1))
    told = state.matches_counted(state.standings())
    lost = f"2 not played and 1 annulled, because {name} withdrew"
    assert say(told) == f"0 of 6 matches counted ({lost})"
    assert (
        say(told, "sv")
        == f"0 av 6 matcher räknas (2 spelades inte och 1 ströks, eftersom {name} uteslöts)"
    )
    for fixture in others:
        if not state.is_barred(fixture):
            state.apply(settled(won_by_forfeit(fixture, fixture.first), b""))
    told = state.matches_counted(state.standings())
    assert say(told) == f"3 of 6 matches counted ({lost})"


def test_how_bots_were_contained_is_told_in_every_way_they_were() -> None:
    state = state_of(
        THREE, [BotsContained(at_ms=1, bots={"bo": "bubblewrap", "anna": "bubblewrap"})]
    )
    assert [say(one) for one in state.containment()] == [
        "launched in the sandbox of bubblewrap: anna, bo"
    ]
    state.apply(BotsContained(at_ms=2, bots={"bo": "none", "anna": "landlock"}))
    state.apply(BotsContained(at_ms=3, bots={"anna": "landlock_filter"}))
    assert [say(one) for one in state.containment()] == [
        "launched in the sandbox of bubblewrap: anna, bo",
        "launched NOT IN A SANDBOX, held by Landlock and a filter of system calls: anna",
        "launched NOT IN A SANDBOX, held by Landlock: anna",
        "launched NOT CONTAINED, without a sandbox: bo",
    ]


def test_a_fixture_is_left_until_it_is_settled_or_void_for_good() -> None:
    state = state_of(THREE, [])
    name = left(state)[0]
    void = {
        "at_ms": 1,
        "fixture": name,
        "reason": Said("void.both_gone"),
        "violations": (0, 0),
        "record_sha256": "0" * 64,
    }
    state.apply(FixtureVoided(**void, attempt=1, is_last=False))
    assert (name in left(state), state.over, state.is_last_void(name, "both bots are gone")) == (
        True,
        0,
        False,
    )
    state.apply(FixtureVoided(**void, attempt=2, is_last=False))
    assert state.is_last_void(name, "both bots are gone")
    assert not state.is_last_void(name, STOPPED)  # that was neither bot
    state.apply(FixtureVoided(**void, attempt=3, is_last=True))
    assert (name in left(state), state.over, state.is_decided(name)) == (False, 1, True)


def test_failures_of_the_arena_are_counted_by_themselves_and_end_too() -> None:
    """No bot is to blame; but one that comes every time must not keep the run from its end."""
    state = state_of(THREE, [])
    name = left(state)[0]
    void = {
        "at_ms": 1,
        "fixture": name,
        "violations": (0, 0),
        "record_sha256": "0" * 64,
        "is_last": False,
    }
    for attempt in range(1, FAILURES):
        assert not state.is_last_void(name, FAILED)
        state.apply(FixtureVoided(**void, attempt=attempt, reason=FAILED))
    assert state.is_last_void(name, FAILED)
    assert not state.is_last_void(name, "both bots are gone")


def test_a_finished_tournament_is_not_finished_any_more_when_somebody_joins() -> None:
    state = state_of(THREE, [])
    state.is_finished = True
    state.apply(joined("dag"))
    assert (state.is_finished, state.scheduled) == (False, 6)


@pytest.mark.parametrize(
    ("played", "score", "winner", "violations"),
    [(played_attempt, (12, 0), "anna", (1, 2)), (pairs_attempt, (12, 6), "anna", (1, 2))],
)
def test_a_fixture_is_settled_as_its_match_ended(
    played: Callable[[], Sitting], score: Any, winner: str | None, violations: Any
) -> None:
    fact = settled(played(), b"the whole match record")
    assert (fact.score, fact.winner, fact.violations) == (score, winner, violations)
    assert fact.record_sha256 == hashlib.sha256(b"the whole match record").hexdigest()


def test_the_third_attempt_that_both_bots_leave_void_is_the_last() -> None:
    state = state_of(opened_tournament(), [])
    for is_last in (False, False, True):
        fact = concluded(state, voided_attempt(), b"")
        assert isinstance(fact, FixtureVoided)
        assert (fact.is_last, fact.reason, fact.violations) == (
            is_last,
            Said("void.both_gone"),
            (1, 1),
        )
        state.apply(fact)


def test_entrants_with_more_violations_than_allowed_are_withdrawn_once() -> None:
    state = state_of(opened_tournament(entrants=("anna", "bo", "cia"), violations=1), [])
    state.violations.update(cia=2, anna=3, bo=1)
    facts = withdrawal_facts(state, 7)
    assert facts == [
        EntrantWithdrawn(at_ms=7, entrant="anna", violations=3),
        EntrantWithdrawn(at_ms=7, entrant="cia", violations=2),
    ]
    for fact in facts:
        state.apply(fact)
    assert withdrawal_facts(state, 8) == []


@pytest.mark.parametrize(
    "schedule", [RoundRobin(), SwissMonrad(rounds=1)], ids=["round-robin", "swiss"]
)
def test_the_matches_of_a_run_with_an_id_begin_with_it(schedule: Format) -> None:
    """Also those of rounds that are drawn later, and of newcomers."""
    state = TournamentState(
        msgspec.structs.replace(opened_tournament(), schedule=schedule, run="cup-2")
    )
    drawn = state.next_round()
    if drawn is not None:
        fact = drawn_fact(drawn, 1)
        state.apply(fact)
        assert round_of(fact) == drawn
    assert left(state) == ["cup-2.r1-anna-v-bo"]
    assert [parse_fixture(name).id for name in left(state)] == left(state)
    if state.format.catch_up(["anna", "bo"], ["cia"], 1) is not None:
        state.apply(joined("cia"))
        assert {name.partition(".")[0] for name in left(state)} == {"cup-2"}


def settle_all(state: TournamentState, *winners: str) -> None:
    """Settle the open matches in their order, each won by one of these names."""
    for fixture, winner in zip(state.left_to_play(), winners, strict=True):
        state.apply(settled(won_by_forfeit(fixture, winner), b""))


def places(state: TournamentState) -> dict[str, int | None]:
    return {row.entrant: row.place for row in state.standings().rows}


def test_the_last_settled_match_moves_entrants() -> None:
    state = TournamentState(THREE)
    fixtures = {fixture.entrants: fixture for fixture in state.left_to_play()}

    def win(winner: str, loser: str) -> dict[str, int]:
        fixture = fixtures[frozenset((winner, loser))]
        state.apply(settled(won_by_forfeit(fixture, winner), b""))
        return state.moves(state.standings())

    assert state.moves(state.standings()) == {}
    assert win("anna", "bo") == {}, "no match counted before"
    assert places(state) == {"anna": 1, "bo": 2, "cia": 2}
    assert win("bo", "cia") == {"anna": 0, "bo": 0, "cia": -1}
    assert win("cia", "anna") == {"anna": 0, "bo": 1, "cia": 2}, "all share the first place"


def test_a_withdrawal_moves_entrants_as_well_as_the_match_before_it() -> None:
    state = TournamentState(THREE)
    first, second, _ = state.left_to_play()
    state.apply(settled(won_by_forfeit(first, first.first), b""))
    before = places(state)
    state.apply(settled(won_by_forfeit(second, second.first), b""))
    state.apply(EntrantWithdrawn(at_ms=1, entrant=second.second, violations=1))
    after = places(state)
    moves = state.moves(state.standings())
    for name, place in after.items():
        earlier = before[name]
        if place is None:
            assert name not in moves
        else:
            assert earlier is not None
            assert moves[name] == earlier - place


def test_in_rounds_entrants_move_since_the_draw_of_the_present_one() -> None:
    header = opened_tournament(entrants=("anna", "bo", "cia", "dag"))
    state = TournamentState(msgspec.structs.replace(header, schedule=SwissMonrad(rounds=2)))
    draw_round(state)
    settle_all(state, "anna", "bo")
    assert state.moves(state.standings()) == {}, "no match counted before"
    draw_round(state)
    assert set(state.moves(state.standings()).values()) == {0}, "nothing was played in it"
    before = places(state)
    settle_all(state, "bo", "dag")
    after = places(state)
    assert before != after
    moves = state.moves(state.standings())
    assert {name: after[name] for name in moves} == after
    assert all(after[name] == before[name] - move for name, move in moves.items())
    table = state.standings()
    state.apply(ended_fact(table, 1))
    assert state.moves(table) == {}, "the table is final"


def draw_round(state: TournamentState) -> None:
    drawn = state.next_round()
    assert drawn is not None
    state.apply(drawn_fact(drawn, 1))

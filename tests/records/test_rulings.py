"""The lines of a tournament record that follow from what was played."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from arena.matches.facts import MatchEnded, MatchVoided
from arena.records.facts import EntrantWithdrawn
from arena.records.rulings import settled_fact, voided_fact, withdrawal_facts
from arena.records.state import state_of
from tests.matches.sitting import Sitting
from tests.records.small_run import opened_tournament, pairs_attempt, played_attempt, settled, voided, voided_attempt

RECORD = b"the whole match record"
DIGEST = hashlib.sha256(RECORD).hexdigest()


@pytest.mark.parametrize("played", [played_attempt, pairs_attempt])
def test_a_fixture_is_settled_as_its_match_ended(played: Callable[[], Sitting]) -> None:
    sitting = played()
    assert isinstance(sitting.end, MatchEnded)
    state = state_of(opened_tournament(sitting.opened.terms), [])
    games = [game.result for game in sorted(sitting.ended, key=lambda game: game.game)]
    fact = settled_fact(
        state,
        sitting.opened.match,
        sitting.opened.attempt,
        games,
        sitting.end,
        record_sha256=DIGEST,
        now_ms=sitting.now_ms,
    )
    assert fact == settled(sitting, RECORD)


def test_the_third_attempt_that_both_bots_leave_void_is_the_last() -> None:
    sitting = voided_attempt()
    assert isinstance(sitting.end, MatchVoided)
    state = state_of(opened_tournament(), [])
    for is_last in (False, False, True):
        fact = voided_fact(
            state,
            sitting.opened.match,
            sitting.opened.attempt,
            sitting.end,
            record_sha256=DIGEST,
            now_ms=sitting.now_ms,
        )
        assert fact == voided(sitting, RECORD, is_last=is_last)
        state.take(fact)


def test_entrants_with_more_violations_than_allowed_are_withdrawn_once() -> None:
    state = state_of(opened_tournament(entrants=("anna", "bo", "cia"), violations=1), [])
    state.violations.update(cia=2, anna=3, bo=1)
    facts = withdrawal_facts(state, 7)
    assert facts == [
        EntrantWithdrawn(at_ms=7, entrant="anna", violations=3),
        EntrantWithdrawn(at_ms=7, entrant="cia", violations=2),
    ]
    for fact in facts:
        state.take(fact)
    assert withdrawal_facts(state, 8) == []

"""`verify_run` of games with a choice of dice (B11.3)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.records.verify import Verified, verify_run
from tests.matches.caller import CALLER, by_these_rules
from tests.records.forgeries import LEDGER, Line, assert_refused, setting, twice, without, without_field
from tests.records.small_run import RECORD, Files, called_attempt, forge, opened_tournament, run_of, small_run


def called_run() -> Files:
    """A finished run under rules with a choice of dice."""
    sitting = called_attempt()
    return run_of(opened_tournament(sitting.opened.terms), sitting)


def test_a_run_with_calls_for_dice_is_in_order() -> None:
    with by_these_rules(CALLER):
        assert verify_run(called_run()) == Verified(fixtures=1, scheduled=1, games=3, turns=1, is_finished=True)


def test_calls_that_were_not_allowed_are_found() -> None:
    """The same record under rules without a choice, as its header says."""
    assert "no choice of dice" in str(assert_refused(called_run(), RECORD))


def test_calls_that_are_missing_are_found() -> None:
    """A record without any, under rules with the choice: the first turn cannot follow."""
    with by_these_rules(CALLER):
        message = str(assert_refused(small_run(), RECORD))
    assert "turn_played cannot follow here: a turn is rolled, or its dice called for, before it is answered" in message


CALLED_FORGERIES = {
    "another number of dice": setting("dice_called", 0, dice=2),
    "a number that may not be called for": setting("dice_called", 0, dice=3),
    "no dice": setting("dice_called", 0, dice=0),
    "dice that were not called for": setting("turn_played", 0, dice=[4, 1]),
    "a die less": setting("turn_played", 0, dice=[]),
    "who called": setting("dice_called", 0, seat=2),
    "for which turn": setting("dice_called", 0, turn=2),
    "in which game": setting("dice_called", 0, game=2),
    "a call that took more than the turn": setting("dice_called", 0, spent_ms=131),
    "a call that took all the time there was": setting("dice_called", 0, spent_ms=301),
    "the time of call and turn": setting("turn_played", 0, spent_ms=131),
    "a call left out": without("dice_called"),
    "a call told twice": twice("dice_called"),
    "a good call as rejected": setting("turn_rejected", 0, call=1),
    "a rejected call as an illegal turn": without_field("turn_rejected", "call"),
    "a rejected call as moves": setting("turn_rejected", 0, moves=[[1, 7]]),
    "the code of a rejected call": setting("turn_rejected", 0, code="no_such_die"),
    "an illegal turn as a rejected call": setting("turn_rejected", 1, call=3),
    "dice under a flag that fell before the call": setting("flag_fell", 0, dice=[1]),
    "a flag during the call that fell in time": setting("flag_fell", 0, spent_ms=300),
    "a flag after the call that fell in time": setting("flag_fell", 1, spent_ms=300),
    "the dice under a flag after the call": setting("flag_fell", 1, dice=[]),
}


@pytest.mark.parametrize("change", CALLED_FORGERIES.values(), ids=CALLED_FORGERIES)
def test_a_false_line_about_a_call_is_found(change: Callable[[list[Line]], None]) -> None:
    """What was called for decides how many dice the seed gives, and runs on the clock of the turn."""
    with by_these_rules(CALLER):
        assert_refused(forge(called_run(), RECORD, change), RECORD, LEDGER)

"""`verify_run` of runs in which bots did not come: withdrawals, and fixtures void for good (M5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.records.state import state_of
from arena.records.verify import verify_run
from tests.records.forgeries import LEDGER, Line, assert_refused, no_show, nth, setting, twice, without
from tests.records.small_run import FIXTURE, Files, forge, opened_tournament, run_of


def test_an_end_before_every_fixture_is_decided_is_found() -> None:
    header = opened_tournament(entrants=("anna", "bo", "cia"))
    files = run_of(header, no_show(next(iter(state_of(header, ()).fixtures)), 2))
    assert_refused(files, LEDGER)


def strict_run(*, violations: int = 0, is_finished: bool = True) -> Files:
    """Three entrants; one does not come to its first match, is withdrawn, and the other two play theirs."""
    header = opened_tournament(entrants=("anna", "bo", "cia"), violations=violations)
    first, *others = state_of(header, ()).fixtures.values()
    [last] = [fixture for fixture in others if first.second not in (fixture.first, fixture.second)]
    return run_of(header, no_show(first.id, 2), no_show(last.id, 1), is_finished=is_finished)


def test_a_run_with_a_withdrawal_is_in_order_without_the_matches_it_prevents() -> None:
    found = verify_run(strict_run())
    assert (found.fixtures, found.scheduled, found.is_finished) == (2, 3, True)


STRICT_FORGERIES = {
    "the withdrawal left out": without("entrant_withdrawn"),
    "the withdrawal told twice": twice("entrant_withdrawn"),
    "another is withdrawn": setting("entrant_withdrawn", entrant="anna"),
    "for more violations": setting("entrant_withdrawn", violations=2),
    "the withdrawal told before its reason": lambda found: found.insert(1, found.pop(3)),
    "the withdrawal told after the next match": lambda found: found.insert(4, found.pop(3)),
    "a limit that was not passed": setting("tournament_opened", violations=1),
}


@pytest.mark.parametrize("change", STRICT_FORGERIES.values(), ids=STRICT_FORGERIES)
def test_a_false_withdrawal_is_found_although_every_hash_fits(change: Callable[[list[Line]], None]) -> None:
    """Who is withdrawn, when and for how many violations follows from the matches (M5)."""
    assert_refused(forge(strict_run(), LEDGER, change), LEDGER)


def test_a_match_of_an_entrant_that_was_withdrawn_is_found() -> None:
    header = opened_tournament(entrants=("anna", "bo", "cia"), violations=0)
    first, second, third = state_of(header, ()).fixtures.values()
    absent = {first.first, first.second} & {second.first, second.second}
    seat = 1 if first.first in absent else 2
    files = run_of(header, no_show(first.id, seat), no_show(second.id, 1), no_show(third.id, 1))
    assert_refused(files, LEDGER)


def voided_run(times: int) -> Files:
    """The one fixture, to which nobody came so many times."""
    attempts = [no_show(FIXTURE, 0, attempt=number) for number in range(1, times + 1)]
    return run_of(opened_tournament(), *attempts)


def test_a_fixture_that_both_bots_left_three_times_is_void_for_good() -> None:
    found = verify_run(voided_run(3))
    assert (found.fixtures, found.scheduled, found.is_finished) == (0, 1, True)
    assert_refused(voided_run(2), LEDGER)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_when_a_fixture_is_void_for_good_cannot_be_told_otherwise(number: int) -> None:

    def change(found: list[Line]) -> None:
        line = nth(found, "fixture_voided", number)
        line["is_last"] = not line["is_last"]

    assert_refused(forge(voided_run(3), LEDGER, change), LEDGER)

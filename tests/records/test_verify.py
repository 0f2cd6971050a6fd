"""`verify_run`: runs in order, finished or not; with calls for dice (B11.3), and with withdrawals (M5)."""

from collections.abc import Callable

import pytest

from arena.records.state import state_of
from arena.records.verify import Verified, verify_run
from arena.words import DEFAULT, Said, catalogue, say
from tests.matches.caller import CALLER, by_these_rules
from tests.records.forgeries import LEDGER, Line, assert_refused, no_show, nth, setting, twice, without, without_field
from tests.records.small_run import (
    FIXTURE,
    RECORD,
    Files,
    called_attempt,
    forge,
    opened_tournament,
    run_of,
    small_run,
    unfinished_run,
)


def test_the_run_itself_is_in_order() -> None:
    assert verify_run(small_run()) == Verified(fixtures=1, scheduled=1, games=3, turns=3, is_finished=True)


def test_a_sentence_may_be_reworded_without_making_an_older_record_wrong(monkeypatch) -> None:
    """A rejected turn, a void attempt and a decision are kept as codes with values."""
    files = small_run()
    words = dict.fromkeys(catalogue(DEFAULT), "something else")
    monkeypatch.setattr("arena.words.saying.catalogue", lambda _language: words)
    assert say(Said("void.stopped")) == "something else"
    assert all(kind in files[RECORD] + files[LEDGER] for kind in (b"turn_rejected", b"voided", b'"decision"'))
    assert verify_run(files).is_finished


def test_a_run_that_is_not_finished_verifies_as_far_as_it_goes() -> None:
    """Cut after any whole line of either record, in the order in which they were written, it is in order so far."""
    files = small_run()
    tournament_log = files[LEDGER].splitlines(keepends=True)
    record = files[RECORD].splitlines(keepends=True)
    first = next(number for number, line in enumerate(record) if b"record_closed" in line) + 1
    states = [(1, 0)]
    states += [(2, number) for number in range(first + 1)]
    states += [(3, first), *((4, number) for number in range(first, len(record) + 1))]
    states += [(5, len(record))]
    for in_ledger, in_record in states:
        written = {LEDGER: b"".join(tournament_log[:in_ledger])}
        if in_record:
            written[RECORD] = b"".join(record[:in_record])
        found = verify_run({"tournament.toml": files["tournament.toml"]} | written)
        assert (found.is_finished, found.fixtures) == (False, int(in_ledger == 5))


def test_false_dice_in_a_match_under_way_are_found_as_soon_as_the_seed_is_known() -> None:
    """Before that the dice can only be checked for being what the machine asked for."""
    changed = forge(unfinished_run(), RECORD, setting("turn_played", 1, dice=[4, 5], moves=[[1, 5], [1, 6]]))
    assert verify_run(changed).is_finished is False
    assert_refused(forge(small_run(), RECORD, setting("turn_played", 1, dice=[4, 5], moves=[[1, 5], [1, 6]])), RECORD)
    assert_refused(forge(unfinished_run(), RECORD, setting("turn_played", 1, dice=[4])), RECORD)
    assert_refused(
        forge(unfinished_run(), RECORD, setting("turn_played", 1, dice=[4, 7], moves=[[1, 5], [1, 8]])), RECORD
    )
    assert_refused(forge(unfinished_run(), RECORD, setting("turn_played", 1, dice=[4, 6, 6])), RECORD)


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

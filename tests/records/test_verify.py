"""`verify_run`: runs in order, finished or not; with calls for dice (B11.3), and with withdrawals (M5)."""

from contextlib import nullcontext

import pytest

from arena.records.state import state_of
from arena.records.verify import Verified, verify_run
from arena.words import DEFAULT, Said, catalogue, say
from tests.matches.caller import CALLER, by_these_rules
from tests.records.forgeries import LEDGER, Line, assert_refused, nth, setting
from tests.records.sample_runs import no_show, run_with, strict_run, voided_run
from tests.records.small_run import (
    RECORD,
    Files,
    agreed_attempt,
    brandubh_attempt,
    called_attempt,
    forge,
    opened_tournament,
    pairs_attempt,
    run_of,
    small_run,
    unfinished_run,
)

IN_ORDER = {
    "small": (small_run(), 3, 3),
    "calls": (run_with(called_attempt()), 3, 1),
    "brandubh": (run_with(brandubh_attempt()), 3, 18),
    "agreed": (run_with(agreed_attempt()), 3, 6),
    "pairs": (run_with(pairs_attempt()), 4, 4),
}


@pytest.mark.parametrize(("files", "games", "turns"), IN_ORDER.values(), ids=IN_ORDER)
def test_the_run_itself_is_in_order(files: Files, games: int, turns: int) -> None:
    expected = Verified(fixtures=1, scheduled=1, games=games, turns=turns, is_finished=True)
    with by_these_rules(CALLER) if b'"dice_called"' in files[RECORD] else nullcontext():
        assert verify_run(files) == expected


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


def test_calls_that_were_not_allowed_are_found() -> None:
    """The same record under rules without a choice, as its header says."""
    assert "no choice of dice" in str(assert_refused(run_with(called_attempt()), RECORD))


def test_calls_that_are_missing_are_found() -> None:
    """A record without any, under rules with the choice: the first turn cannot follow."""
    with by_these_rules(CALLER):
        message = str(assert_refused(small_run(), RECORD))
    assert "turn_played cannot follow here: a turn is rolled, or its dice called for, before it is answered" in message


def test_an_end_before_every_fixture_is_decided_is_found() -> None:
    header = opened_tournament(entrants=("anna", "bo", "cia"))
    files = run_of(header, no_show(next(iter(state_of(header, ()).fixtures)), 2))
    assert_refused(files, LEDGER)


def test_a_run_with_a_withdrawal_is_in_order_without_the_matches_it_prevents() -> None:
    found = verify_run(strict_run())
    assert (found.fixtures, found.scheduled, found.is_finished) == (2, 3, True)


def test_a_match_of_an_entrant_that_was_withdrawn_is_found() -> None:
    header = opened_tournament(entrants=("anna", "bo", "cia"), violations=0)
    first, second, third = state_of(header, ()).fixtures.values()
    absent = {first.first, first.second} & {second.first, second.second}
    seat = 1 if first.first in absent else 2
    files = run_of(header, no_show(first.id, seat), no_show(second.id, 1), no_show(third.id, 1))
    assert_refused(files, LEDGER)


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

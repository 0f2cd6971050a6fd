"""`verify_run`: a run is in order, finished or not."""

from __future__ import annotations

from arena.records.verify import Verified, verify_run
from arena.words import DEFAULT, Said, catalogue, say
from tests.records.forgeries import LEDGER, assert_refused, setting
from tests.records.small_run import RECORD, forge, small_run, unfinished_run


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

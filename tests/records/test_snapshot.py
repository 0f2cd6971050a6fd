"""`as_it_stands`: an unfinished run is verified as far as it goes; a finished one to the last byte."""

from __future__ import annotations

import pytest

from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError
from arena.records.snapshot import Snapshot, as_it_stands
from arena.records.verify import Verified, verify_run
from tests.records.small_run import RECORD, Files, small_run


def written(in_ledger: int, record: bytes, torn: bytes = b"") -> Files:
    """The small run when the tournament record had so many lines, and the match record was as it is given."""
    tournament_log = small_run()[TOURNAMENT_RECORD].splitlines(keepends=True)
    return small_run() | {TOURNAMENT_RECORD: b"".join(tournament_log[:in_ledger]) + torn, RECORD: record}


def verified(files: Files) -> Verified:
    """What `arena verify` finds."""
    return verify_run(as_it_stands(files))


@pytest.mark.parametrize("in_ledger", [1, 2, 3, 4, 5, 6])
def test_a_tournament_record_that_was_read_before_the_match_records_is_in_order(in_ledger: int) -> None:
    found = verified(written(in_ledger, small_run()[RECORD]))
    assert (found.is_finished, found.fixtures) == (False, int(in_ledger >= 5))


def test_last_lines_that_a_killed_run_has_torn_are_left_out_and_named() -> None:
    """In the tournament record and in that of a match under way, cut around every end of a line and at many places."""
    whole = small_run()
    first = whole[RECORD].index(b'{"event":"match_opened"', 1)
    ends = {place for place in range(first, len(whole[RECORD])) if whole[RECORD][place - 1 : place + 1].count(b"\n")}
    for place in sorted({*range(first, len(whole[RECORD]), 23), *ends}):
        files = as_it_stands(written(4, whole[RECORD][:place], b'{"event":"fixture_'))
        assert verify_run(files).fixtures == 0
        assert isinstance(files, Snapshot)
        is_torn = whole[RECORD][place - 1 : place] != b"\n"
        assert files.torn == {TOURNAMENT_RECORD, RECORD} if is_torn else {TOURNAMENT_RECORD}


def test_the_record_of_a_settled_match_may_not_be_torn() -> None:
    with pytest.raises(RecordError, match="has no closed attempt 2"):
        verified(written(5, small_run()[RECORD][:-1]))


def test_a_finished_run_is_looked_at_to_the_last_byte() -> None:
    """Neither a torn last line nor a record or an attempt too many is passed over."""
    files = small_run()
    assert verified(files).is_finished
    for name in (TOURNAMENT_RECORD, RECORD):
        for changed in (files[name][:-1], files[name][:-20], files[name] + b"{", files[name][:-2] + b" \n"):
            with pytest.raises(RecordError):
                verified(files | {name: changed})
    with pytest.raises(RecordError, match="no fixture of this tournament"):
        verified(files | {"matches/notes.txt": b""})

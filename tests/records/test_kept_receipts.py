"""Receipts that bots have kept: each must fit a record of the run, so that no match can be taken out of it."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from arena.records.confirmations import ReceiptCounts, ReceiptLine, read_receipts
from arena.records.facts import FixtureIssued, TournamentOpened
from arena.records.lines import RecordError, tournament_lines
from arena.records.snapshot import Snapshot, as_it_stands
from arena.records.verify import verify_run
from tests.fixtures.forgeries import LEDGER
from tests.fixtures.sample_runs import joined, knockout
from tests.fixtures.signed_run import another_history, receipts_of, signed_run
from tests.fixtures.small_run import RECORD, Files, file_of, small_run

GONE = "which is not in this run: it was rolled back, or is an older copy"


def kept(files: Files, **changes: Any) -> list[tuple[str, ReceiptLine]]:
    """The receipts of anna; some fields of the first may be others."""
    first, *others = receipts_of(files).splitlines()
    changed = msgspec.json.encode(msgspec.json.decode(first) | changes)
    return read_receipts("mine", b"\n".join([changed, *others]))


def rollbacks(files: Files) -> Iterator[Files]:
    """The run as it stood before each attempt was issued: what follows is taken out as a whole."""
    lines = files[LEDGER].splitlines(keepends=True)
    [(_, opened)] = tournament_lines.read(LEDGER, lines[0])
    assert isinstance(opened, TournamentOpened)
    for number, line in enumerate(lines):
        if b'"event":"fixture_issued"' in line:
            ledger = b"".join(lines[:number])
            matches = {name: data for name, data in files.items() if name[8:-6].encode() in ledger}
            file = (
                files["tournament.toml"]
                if b'"event":"entrants_added"' in ledger
                else file_of(opened)
            )
            yield matches | {"tournament.toml": file, LEDGER: ledger}


@pytest.mark.parametrize("make", [small_run, joined, knockout])
def test_a_run_that_was_rolled_back_by_whole_matches_or_attempts_is_told(
    make: Callable[[], Files],
) -> None:
    """It is in order by itself, as a run that goes on.

    The receipts of what is gone tell, and how many there are.
    """
    files = make()
    mine = [
        one
        for bot in ("anna", "bo", "cia", "dag", "eva")
        for one in read_receipts(bot, receipts_of(files, bot))
    ]
    assert verify_run(files, None, mine).receipts == ReceiptCounts(used=len(mine))
    for rolled_back in rollbacks(files):
        stands = as_it_stands(rolled_back)
        assert isinstance(stands, Snapshot)
        verify_run(stands)
        issued = [
            (fact.fixture, fact.attempt) for fact in stands.facts if isinstance(fact, FixtureIssued)
        ]
        missing = [one for _, one in mine if (one.match, one.attempt) not in issued]
        used = len(mine) - len(missing)
        with pytest.raises(RecordError, match=GONE) as caught:
            verify_run(stands, None, mine)
        told = f"receipts: {len(mine)} of this run ({used} used, {len(missing)} missing), 0 of other runs"
        assert told in caught.value.message


def test_a_record_that_was_rolled_back_is_told() -> None:
    """Its last lines are gone, and the tournament's too: what is left is in order but for the receipts."""
    files = signed_run()
    record, ledger = (
        files[RECORD].splitlines(keepends=True),
        files[LEDGER].splitlines(keepends=True),
    )
    settled = next(number for number, line in enumerate(ledger) if b"fixture_settled" in line)
    ended = [number for number, line in enumerate(record) if b"game_ended" in line][-1]
    files |= {RECORD: b"".join(record[: ended - 4]), LEDGER: b"".join(ledger[:settled])}
    verify_run(files)
    with pytest.raises(RecordError, match=r"anna has a receipt of \d+ lines, but there are \d+"):
        verify_run(files, None, kept(signed_run()))


def test_receipts_of_other_runs_are_passed_over_if_there_may_be_some() -> None:
    """They are known by the commitment to the dice, since a match of the same name is in many runs."""
    mine = [*kept(another_history()), *kept(small_run())]
    with pytest.raises(
        RecordError, match=r"6 of this run \(3 used, 3 missing\).*give --other-runs"
    ):
        verify_run(small_run(), None, mine)
    found = verify_run(small_run(), None, mine, other_runs=True)
    assert found.receipts == ReceiptCounts(used=3, of_other_runs=3)
    assert found.receipts.sentence == "receipts: 3 of this run (3 used, 0 missing), 3 of other runs"


@pytest.mark.parametrize(
    "changes", [{"attempt": 1}, {"match": "r2-anna-v-bo"}, {"match": "r1-bo-v-anna"}]
)
def test_a_receipt_with_dice_of_this_run_must_fit_it(changes: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match=GONE) as caught:
        verify_run(small_run(), None, kept(small_run(), **changes), other_runs=True)
    assert (caught.value.where, "--other-runs" in caught.value.message) == ("mine:1", False)


def test_a_match_that_was_issued_and_has_no_record_is_missed() -> None:
    files, ledger = small_run(), small_run()[LEDGER].splitlines(keepends=True)
    files = {name: data for name, data in files.items() if name != RECORD} | {
        LEDGER: b"".join(ledger[:2])
    }
    verify_run(as_it_stands(files))
    mine = kept(
        small_run(), attempt=1, dice_commitment=msgspec.json.decode(ledger[1])["dice_commitment"]
    )
    with pytest.raises(RecordError, match=r"1 of this run \(0 used, 1 missing\), 2 of other runs"):
        verify_run(as_it_stands(files), None, mine, other_runs=True)


def test_a_bot_that_did_not_play_has_no_receipt() -> None:
    with pytest.raises(
        RecordError, match="mine:1: zoe has a receipt of r1-anna-v-bo, but did not play it"
    ):
        verify_run(small_run(), None, kept(small_run(), bot="zoe"))


@pytest.mark.parametrize("lines", ["0", "-1", "1" * 5000, '"1"', "null", "1.0"])
def test_a_receipt_is_of_at_least_one_line(lines: str) -> None:
    """One of no lines would fit every record."""
    line = re.sub(
        rb'"lines":\d+', f'"lines":{lines}'.encode(), receipts_of(small_run()).splitlines()[0]
    )
    with pytest.raises(RecordError, match="mine:1: this is no receipt"):
        read_receipts("mine", line)


@pytest.mark.parametrize("line", [b"{}", b"", b"\xff", b'{"info":' + b"[" * 100_000, b"[]"])
def test_a_file_that_is_no_receipts_is_named(line: bytes) -> None:
    with pytest.raises(RecordError, match="mine:2: this is no receipt"):
        read_receipts("mine", receipts_of(small_run()).splitlines()[0] + b"\n" + line + b"\n")

"""Runs that are gone on with, or looked at while they go on: what is damaged, and what is only torn."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arena.records import lines_of_play
from arena.records.files import TOURNAMENT_RECORD
from arena.records.intact import check_intact
from arena.records.lines import RecordError
from arena.records.snapshot import Snapshot, as_it_stands
from arena.records.verify import Verified, verify_run
from arena.tournaments.results import MatchDecision, decide_match
from arena.words import Said
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena, arena, here  # noqa: F401 - fixtures
from tests.fixtures.forgeries import setting
from tests.fixtures.sitting import SEED
from tests.fixtures.small_run import RECORD, Files, forge, small_run, unfinished_run

LOG = "tournament.jsonl"
SEEDS = {1: SEED, 2: bytes(range(32, 64))}


def check(files: Files, *, entrants: int = 2, has_key: bool = True) -> None:
    check_intact(
        files, lambda _, attempt: SEEDS[attempt] if has_key else None, ["somebody"] * entrants
    )


def without_line(name: str, word: bytes, number: int, files: Files) -> None:
    lines = files[name].splitlines(keepends=True)
    at = [at for at, line in enumerate(lines) if word in line][number]
    files[name] = b"".join(lines[:at] + lines[at + 1 :])


def edited(name: str, old: bytes, new: bytes, files: Files) -> None:
    assert old in files[name]
    files[name] = files[name].replace(old, new)


def cut_after(word: bytes, files: Files) -> None:
    """The tournament record ends before the last line with this word."""
    files[LOG] = files[LOG][: files[LOG][: files[LOG].rindex(word)].rindex(b"\n") + 1]


def gone(name: str, files: Files) -> None:
    del files[name]


DAMAGES: dict[str, tuple[Callable[[Files], None], str]] = {
    "settled-record-deleted": (partial(gone, RECORD), f"{RECORD}: the file is missing"),
    "tournament-record-deleted": (partial(gone, LOG), f"{LOG}: the file is missing"),
    "frozen-file-edited": (
        partial(edited, "tournament.toml", b"100", b"101"),
        "tournament.toml: the file was changed",
    ),
    "last-issue-cut": (partial(cut_after, b"fixture_issued"), f"{RECORD}: the file was changed"),
    "both-issues-cut": (
        lambda files: [cut_after(b"fixture_issued", files) for _ in range(2)] and None,
        f"{RECORD}: {LOG} does not mention it",
    ),
    "first-issue-dropped": (
        partial(without_line, LOG, b"fixture_issued", 0),
        f"{LOG}:2: .*never issued",
    ),
    "second-issue-dropped": (
        partial(without_line, LOG, b"fixture_issued", 1),
        f"{LOG}:4: .*never issued",
    ),
    "void-dropped": (
        partial(without_line, LOG, b"fixture_voided", 0),
        f"{LOG}:3: .*cannot begin here",
    ),
    "header-dropped": (
        partial(without_line, LOG, b"tournament_opened", 0),
        f"{LOG}:1: .*begins with",
    ),
    "turn-dropped": (partial(without_line, RECORD, b"turn_played", 1), RECORD),
    "settled-record-edited": (
        partial(edited, RECORD, b'"attempt":2,"dice_seed"', b'"attempt":2, "dice_seed"'),
        RECORD,
    ),
    "result-edited": (
        partial(edited, LOG, b'"score":[', b'"score":[1'),
        f"{LOG}:5: the line was changed",
    ),
    "no-line": (
        partial(edited, LOG, b'"event":"fixture_issued"', b'"event":"fixture_issued'),
        f"{LOG}:2",
    ),
    "unknown-record": (
        lambda files: files.update({"matches/r9-x-v-y.jsonl": b""}),
        "matches/r9-x-v-y.jsonl",
    ),
}


def damaged(name: str) -> Files:
    """The small run, settled and not closed, with a damage."""
    files = small_run()
    cut_after(b"tournament_ended", files)
    DAMAGES[name][0](files)
    return files


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_told_with_its_place(name: str) -> None:
    with pytest.raises(RecordError, match=DAMAGES[name][1]):
        check(damaged(name))


def test_a_damaged_run_is_not_gone_on_with(here: Path, arena: Arena) -> None:  # noqa: F811 - fixtures
    run = write_run(here / "run", damaged("settled-record-edited"))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    result = arena("run", run)
    assert (result.exit_code, RECORD in result.stderr) == (1, True)
    assert {path: data for path in before if (data := path.read_bytes()) != before[path]} == {}


def test_runs_in_order_are_let_through() -> None:
    """Finished, settled, under way, with a last line that was cut short, and before their first line."""
    check(small_run())
    check(unfinished_run())
    for cut in (1, 10):
        torn = unfinished_run()
        torn[RECORD] = torn[RECORD][:-cut]
        check(torn)
        torn = small_run()
        cut_after(b"tournament_ended", torn)
        torn[LOG] += b'{"event":"tour'
        check(torn)
    check({"tournament.toml": b"anything"})
    check({"tournament.toml": b"anything", LOG: b'{"event":'})


def test_a_tournament_file_may_enter_newcomers() -> None:
    """The arena may have been killed before it wrote so to the record."""
    files = small_run()
    edited("tournament.toml", b"100", b"101", files)
    check(files, entrants=3)


def test_what_is_under_way_needs_the_key_of_its_dice() -> None:
    with pytest.raises(RecordError, match="no longer holds the dice key"):
        check(unfinished_run(), has_key=False)
    with pytest.raises(RecordError, match="another dice key"):
        check_intact(unfinished_run(), lambda *_: bytes(32), ["anna", "bo"])


def test_a_changed_line_of_a_match_under_way_is_found() -> None:
    files = unfinished_run()
    edited(RECORD, b'"entropy":"' + b"bb" * 16, b'"entropy":"' + b"bc" * 16, files)
    with pytest.raises(RecordError, match=RECORD):
        check(files)


def test_a_decision_with_values_in_its_values_is_the_same_when_it_is_read_again(
    monkeypatch,
) -> None:
    """As by best games: `["decided.best_game", {"why": ["...", {}]}]`."""

    nested = Said("verdict.illegal", {"wrong": Said("list.or"), "legal": [Said("list.or")]})

    def decided(*arguments: Any) -> MatchDecision:
        return replace(decide_match(*arguments), reason=nested)

    monkeypatch.setattr(lines_of_play, "decide_match", decided)
    files = forge(small_run(), LOG, setting("fixture_settled", decision=nested))
    assert b'["list.or",{}]' in files[LOG]
    assert verify_run(files).is_finished
    check(files)


def written(in_ledger: int, record: bytes, torn: bytes = b"") -> Files:
    """The small run when the tournament record had so many lines, and the match record was as it is given."""
    tournament_log = small_run()[TOURNAMENT_RECORD].splitlines(keepends=True)
    return small_run() | {
        TOURNAMENT_RECORD: b"".join(tournament_log[:in_ledger]) + torn,
        RECORD: record,
    }


def verified(files: Files) -> Verified:
    """What `arena verify` finds."""
    return verify_run(as_it_stands(files))


@pytest.mark.parametrize("in_ledger", [1, 2, 3, 4, 5, 6])
def test_a_tournament_record_that_was_read_before_the_match_records_is_in_order(
    in_ledger: int,
) -> None:
    found = verified(written(in_ledger, small_run()[RECORD]))
    assert (found.is_finished, found.fixtures) == (False, int(in_ledger >= 5))


def test_last_lines_that_a_killed_run_has_torn_are_left_out_and_named() -> None:
    """In the tournament record and in that of a match under way, cut around every end of a line and at many places."""
    whole = small_run()
    first = whole[RECORD].index(b'{"event":"match_opened"', 1)
    ends = {
        place
        for place in range(first, len(whole[RECORD]))
        if whole[RECORD][place - 1 : place + 1].count(b"\n")
    }
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
        for changed in (
            files[name][:-1],
            files[name][:-20],
            files[name] + b"{",
            files[name][:-2] + b" \n",
        ):
            with pytest.raises(RecordError):
                verified(files | {name: changed})
    with pytest.raises(RecordError, match="no fixture of this tournament"):
        verified(files | {"matches/notes.txt": b""})

"""Records that can be read line by line, and whose hashes fit, but whose lines contradict one another."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from arena.pages.report.building import report_of
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError, read_tournament
from arena.records.state import state_of
from arena.records.tabulate import rows_of_run
from arena.records.verify import verify_run
from arena.words import say
from tests.records.forgeries import Line, twice, without
from tests.records.small_run import RECORD, Files, forge, small_run
from tests.records.test_verify_formats import knockout


def standings(files: Files) -> None:
    """The question that `arena standings`, `stats` and `report` all ask."""
    facts = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, files[TOURNAMENT_RECORD])]
    state_of(facts[0], facts).standings()  # type: ignore[arg-type]  # the first line opens it


def add_round(found: list[Line]) -> None:
    """One more round after the final, with its number."""
    last = max(place for place, line in enumerate(found) if line["event"] == "round_drawn")
    found.insert(-2, found[last] | {"round": found[last]["round"] + 1})


def part(found: list[Line]) -> None:
    """Neighbours of the last round have byes instead of a match."""
    drawn = [line for line in found if line["event"] == "round_drawn"][-1]
    found[:] = found[: found.index(drawn) + 1]
    _, first, _, second = drawn["fixtures"].pop().split("-")
    drawn["byes"] = [first, second]


@pytest.mark.parametrize(
    ("run", "change", "message"),
    [
        (small_run, twice("fixture_settled"), "tournament.jsonl:6: .* is decided twice"),
        (knockout, without("round_drawn", 1), r"tournament.jsonl:\d+: .* is decided, but not in the schedule"),
        (knockout, twice("round_drawn"), "tournament.jsonl: .*round 1 is drawn where round 2 must be"),
        (knockout, twice("round_drawn", 2), "tournament.jsonl: .*round 3 is drawn where round 4 must be"),
        (knockout, add_round, "tournament.jsonl: .*round 4 is drawn after the final"),
        (knockout, part, "tournament.jsonl: .* are neighbours, but do not meet in round 3"),
    ],
)
def test_a_tournament_record_that_contradicts_itself_is_named(
    run: Callable[[], Files], change: Callable[[list[Line]], None], message: str
) -> None:
    with pytest.raises(RecordError, match=message):
        standings(forge(run(), TOURNAMENT_RECORD, change))


def end_first(found: list[Line]) -> None:
    """The end of the first game before its last turn."""
    end = next(place for place, line in enumerate(found) if line["event"] == "game_ended")
    found[end - 1], found[end] = found[end], found[end - 1]


@pytest.mark.parametrize("change", [without("game_started"), end_first])
def test_a_turn_of_a_game_that_is_not_open_is_named(change: Callable[[list[Line]], None]) -> None:
    """By everything that reads match records; the report leaves the record out and tells of it."""
    files = forge(small_run(), RECORD, change)
    message = rf"{RECORD}:\d+: game 1 is not open here"
    with pytest.raises(RecordError, match=message):
        list(rows_of_run(files, tables=("turns",), with_positions=True))
    with pytest.raises(RecordError, match=message):
        verify_run(files)
    assert "game 1 is not open here" in say(report_of(files, games="all").figures.audit.sentence)

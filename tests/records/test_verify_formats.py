"""`verify_run` of every format, and of runs that took newcomers: each fixture is one that the format gives."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from arena.pages.report.building import report_of
from arena.records.facts import RecordClosed
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError, read_tournament, tournament_lines
from arena.records.state import state_of
from arena.records.tabulate import rows_of_run
from arena.records.verify import verify_run
from arena.tournaments.formats import FORMATS
from arena.words import say
from tests.records.forgeries import LEDGER, Line, twice, without
from tests.records.sample_runs import joined, knockout, whole_run
from tests.records.small_run import (
    FILE,
    RECORD,
    Files,
    forge,
    lines,
    opened_tournament,
    small_run,
)
from tests.tournaments.sample_formats import SAMPLES


def events(files: Files) -> list[str]:
    return [type(fact).__name__ for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]


def test_a_knock_out_is_in_order() -> None:
    files = knockout()
    found = verify_run(files)
    assert (found.fixtures, found.scheduled, found.is_finished) == (4, 4, True)
    assert events(files).count("RoundDrawn") == 3
    facts = [fact for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]
    part = facts[: [type(fact).__name__ for fact in facts].index("FixtureSettled") + 1]
    names = {f"matches/{fact.fixture}.jsonl" for fact in part if hasattr(fact, "fixture")}
    found = verify_run(
        {name: data for name, data in files.items() if name in names} | {"tournament.toml": FILE, LEDGER: lines(part)}
    )
    assert (found.fixtures, found.scheduled, found.is_finished) == (1, 4, False)


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_of_any_format_is_in_order(name: str) -> None:
    plan = SAMPLES[name]
    header = replace(opened_tournament(entrants=plan.entrants, violations=100), schedule=plan.format)
    found = verify_run(whole_run(header))
    assert found.fixtures == found.scheduled > 0
    assert found.is_finished


def test_a_round_robin_that_was_joined_is_in_order() -> None:
    files = joined()
    found = verify_run(files)
    assert (found.fixtures, found.scheduled, found.is_finished) == (6, 6, True)
    assert events(files).count("RecordClosed") == 2


def test_only_newcomers_open_a_record_again() -> None:
    files = knockout()
    facts = [fact for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]
    assert isinstance(facts[-1], RecordClosed)
    more = files | {LEDGER: files[LEDGER] + lines([facts[2]])}
    with pytest.raises(RecordError, match="only entrants_added may follow a closing line"):
        verify_run(more)


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

"""`verify_run`: runs in order, finished or not; with calls for dice (B11.3), and with withdrawals (M5)."""

from collections.abc import Callable
from contextlib import nullcontext

import pytest
from msgspec.structs import replace

from arena.pages.report.building import report_of
from arena.records.facts import RecordClosed
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import RecordError, read_tournament, tournament_lines
from arena.records.state import state_of
from arena.records.tabulate import rows_of_run
from arena.records.verify import Verified, verify_run
from arena.tournaments.formats import FORMATS
from arena.words import DEFAULT, Said, catalogue, say
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.forgeries import LEDGER, Line, assert_refused, nth, setting, twice, without
from tests.fixtures.sample_formats import SAMPLES
from tests.fixtures.sample_runs import (
    joined,
    knockout,
    no_show,
    run_with,
    strict_run,
    voided_run,
    whole_run,
)
from tests.fixtures.small_run import (
    RECORD,
    Files,
    agreed_attempt,
    brandubh_attempt,
    called_attempt,
    forge,
    lines,
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
    assert all(
        kind in files[RECORD] + files[LEDGER]
        for kind in (b"turn_rejected", b"voided", b'"decision"')
    )
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
    changed = forge(
        unfinished_run(), RECORD, setting("turn_played", 1, dice=[4, 5], moves=[[1, 5], [1, 6]])
    )
    assert verify_run(changed).is_finished is False
    assert_refused(
        forge(small_run(), RECORD, setting("turn_played", 1, dice=[4, 5], moves=[[1, 5], [1, 6]])),
        RECORD,
    )
    assert_refused(forge(unfinished_run(), RECORD, setting("turn_played", 1, dice=[4])), RECORD)
    assert_refused(
        forge(
            unfinished_run(), RECORD, setting("turn_played", 1, dice=[4, 7], moves=[[1, 5], [1, 8]])
        ),
        RECORD,
    )
    assert_refused(
        forge(unfinished_run(), RECORD, setting("turn_played", 1, dice=[4, 6, 6])), RECORD
    )


def test_calls_that_were_not_allowed_are_found() -> None:
    """The same record under rules without a choice, as its header says."""
    assert "no choice of dice" in str(assert_refused(run_with(called_attempt()), RECORD))


def test_calls_that_are_missing_are_found() -> None:
    """A record without any, under rules with the choice: the first turn cannot follow."""
    with by_these_rules(CALLER):
        message = str(assert_refused(small_run(), RECORD))
    assert (
        "turn_played cannot follow here: a turn is rolled, or its dice called for, before it is answered"
        in message
    )


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


def events(files: Files) -> list[str]:
    return [type(fact).__name__ for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]


def test_a_knock_out_is_in_order() -> None:
    files = knockout()
    found = verify_run(files)
    assert (found.fixtures, found.scheduled, found.is_finished) == (4, 4, True)
    assert events(files).count("RoundDrawn") == 3
    facts = [fact for _, fact in tournament_lines.read(LEDGER, files[LEDGER])]
    part = facts[: [type(fact).__name__ for fact in facts].index("FixtureSettled") + 1]
    names = {
        "tournament.toml",
        *(f"matches/{fact.fixture}.jsonl" for fact in part if hasattr(fact, "fixture")),
    }
    found = verify_run(
        {name: data for name, data in files.items() if name in names} | {LEDGER: lines(part)}
    )
    assert (found.fixtures, found.scheduled, found.is_finished) == (1, 4, False)


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_of_any_format_is_in_order(name: str) -> None:
    plan = SAMPLES[name]
    header = replace(
        opened_tournament(entrants=plan.entrants, violations=100), schedule=plan.format
    )
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
        (
            knockout,
            without("round_drawn", 1),
            r"tournament.jsonl:\d+: .* is decided, but not scheduled",
        ),
        (
            knockout,
            twice("round_drawn"),
            "tournament.jsonl: .*round 1 is drawn where round 2 must be",
        ),
        (
            knockout,
            twice("round_drawn", 2),
            "tournament.jsonl: .*round 3 is drawn where round 4 must be",
        ),
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

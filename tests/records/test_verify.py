"""`verify_run`: no byte of a run can change unnoticed, and no hash makes a false record true."""

from __future__ import annotations

import copy
import hashlib
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from arena.records.lines import RecordError
from arena.records.standings import schedule_of
from arena.records.verify import Verified, verify_run
from tests.matches.caller import CALLER, by_these_rules
from tests.matches.sitting import Sitting
from tests.records.small_run import (
    FIXTURE,
    RECORD,
    TERMS,
    Files,
    agreed_attempt,
    attempt_record,
    brandubh_attempt,
    called_attempt,
    forge,
    opened_tournament,
    run_of,
    small_run,
    unfinished_run,
)

LEDGER = "tournament.jsonl"


def bytes_of(files: Files) -> Iterator[tuple[str, int]]:
    """Every byte of a run: file and place."""
    for name, data in files.items():
        for place in range(len(data)):
            yield name, place


def replaced(files: Files, name: str, place: int, old: int, new: bytes) -> Files:
    """The run with `old` bytes at a place of a file replaced by others."""
    data = files[name]
    return files | {name: data[:place] + new + data[place + old :]}


def assert_refused(files: Files, *places: str) -> RecordError:
    """Verification fails with a RecordError, one that names one of the places if any is given."""
    with pytest.raises(RecordError) as caught:
        verify_run(files)
    assert not places or any(place in str(caught.value) for place in places), str(caught.value)
    return caught.value


def assert_in_order_or_refused(files: Files) -> None:
    """Verification of a run that may be changed unnoticed: it ends well or with a RecordError, and never else."""
    with suppress(RecordError):
        verify_run(files)


def test_the_run_itself_is_in_order() -> None:
    """The sample that all tests here change verifies as it is."""
    assert verify_run(small_run()) == Verified(fixtures=1, scheduled=1, games=3, turns=3, is_finished=True)


# Any byte


@pytest.mark.unmeasured
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_any_byte_with_a_bit_flipped_is_found(every: int) -> None:
    """Every byte of every file, each with one bit flipped, makes a RecordError that names the file or one it covers."""
    files = small_run()
    for number, (name, place) in list(enumerate(bytes_of(files)))[::every]:
        flipped = bytes([files[name][place] ^ 1 << number % 8])
        assert_refused(replaced(files, name, place, 1, flipped), name)


@pytest.mark.slow
def test_other_bits_flipped_are_found() -> None:
    """The same for another bit of every byte."""
    files = small_run()
    for number, (name, place) in enumerate(bytes_of(files)):
        assert_refused(replaced(files, name, place, 1, bytes([files[name][place] ^ 1 << (number + 3) % 8])), name)


@pytest.mark.unmeasured
def test_a_byte_inserted_or_left_out_is_found() -> None:
    """At every 29th place: one byte less, a byte twice, a space, a line break or a zero more."""
    files = small_run()
    for name, place in list(bytes_of(files))[::29]:
        byte = files[name][place : place + 1]
        assert_refused(replaced(files, name, place, 1, b""), name)
        for more in (byte, b" ", b"\n", b"\x00"):
            assert_refused(replaced(files, name, place, 0, more), name)
    for name, data in files.items():
        for more in (b" ", b"\n", b"\x00", b"{}\n"):
            assert_refused(files | {name: data + more}, name)


@pytest.mark.unmeasured
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_any_byte_of_a_run_that_is_not_finished_changed_is_an_answer_not_a_crash(every: int) -> None:
    """Without closing lines some changes cannot be seen; but nothing else than a RecordError is ever raised."""
    files = unfinished_run()
    for number, (name, place) in list(enumerate(bytes_of(files)))[::every]:
        assert_in_order_or_refused(replaced(files, name, place, 1, bytes([files[name][place] ^ 1 << number % 8])))


def test_random_noise_in_place_of_a_file_is_refused() -> None:
    """Files of random bytes, and of lines of random bytes, are a RecordError."""
    chance = random.Random(1)
    for _ in range(200):
        for name in small_run():
            assert_refused(small_run() | {name: chance.randbytes(chance.randrange(1, 200))}, name)


# Whole files and lines


@pytest.mark.parametrize("name", sorted(small_run()))
def test_a_file_that_is_missing_is_named(name: str) -> None:
    """Each of the three files is needed."""
    files = small_run()
    del files[name]
    assert_refused(files, name, FIXTURE)


@pytest.mark.parametrize("name", sorted(small_run()))
def test_a_file_that_is_empty_is_named(name: str) -> None:
    """An empty file is no record."""
    assert_refused(small_run() | {name: b""}, name, FIXTURE)


@pytest.mark.parametrize(
    "name",
    [
        "matches/r2-anna-v-bo.jsonl",
        "matches/r1-bo-v-anna.jsonl",
        "matches/notes.txt",
        "matches/r1-anna-v-bo.jsonl.bak",
        "matches/r1-anna-v-bo",
        "matches/.jsonl",
    ],
)
@pytest.mark.parametrize("data", [b"", small_run()[RECORD]], ids=["empty", "a record"])
def test_a_file_too_many_in_matches_is_named(name: str, data: bytes) -> None:
    """Nothing but the records of the schedule's fixtures may lie there."""
    assert_refused(small_run() | {name: data}, name)


@pytest.mark.parametrize("name", ["tournament.jsonl", RECORD])
def test_a_record_cut_short_in_a_line_is_named_with_the_line(name: str) -> None:
    """Every cut inside a line names that line."""
    data = small_run()[name]
    for place in range(1, len(data), 11):
        if data[place - 1 : place] != b"\n":
            line = data[:place].count(b"\n") + 1
            assert_refused(small_run() | {name: data[:place]}, f"{name}:{line}:")


def cuts_between_lines(data: bytes) -> Iterator[bytes]:
    """The file cut after each line but the last."""
    lines = data.splitlines(keepends=True)
    for number in range(1, len(lines)):
        yield b"".join(lines[:number])


def test_a_match_record_cut_between_lines_is_found_when_it_was_settled() -> None:
    """The tournament record covers the whole of a settled match record."""
    for cut in cuts_between_lines(small_run()[RECORD]):
        assert_refused(small_run() | {RECORD: cut}, FIXTURE)


def test_two_neighbouring_lines_that_are_swapped_are_found() -> None:
    """Every two lines of every record, with and without the hashes made to fit."""
    for name in (LEDGER, RECORD):
        lines = small_run()[name].splitlines(keepends=True)
        for first in range(len(lines) - 1):
            if lines[first] == lines[first + 1]:
                continue
            swapped = [*lines[:first], lines[first + 1], lines[first], *lines[first + 2 :]]
            assert_refused(small_run() | {name: b"".join(swapped)}, name)


# Forgeries: the hashes fit, what the lines say does not

Line = dict[str, Any]


def nth(found: list[Line], event: str, number: int = 0) -> Line:
    """The line of an event, the first unless another is asked for."""
    return [line for line in found if line["event"] == event][number]


def setting(event: str, number: int = 0, **fields: Any) -> Callable[[list[Line]], None]:
    """Change fields of one line; `a__b` is field b inside a."""

    def change(found: list[Line]) -> None:
        for name, value in fields.items():
            *path, last = name.split("__")
            inner: Any = nth(found, event, number)
            for step in path:
                inner = inner[int(step) if step.isdigit() else step]
            inner[int(last) if last.isdigit() else last] = value

    return change


def without(event: str, number: int = 0) -> Callable[[list[Line]], None]:
    """Leave one line out."""
    return lambda found: found.remove(nth(found, event, number))


def twice(event: str, number: int = 0) -> Callable[[list[Line]], None]:
    """Tell one line twice."""

    def change(found: list[Line]) -> None:
        line = nth(found, event, number)
        found.insert(found.index(line), copy.deepcopy(line))

    return change


MATCH_FORGERIES = {
    "a die of a roll": setting("turn_played", 1, dice=[5, 6]),
    "the dice of a roll in the other order": setting("turn_played", 1, dice=[6, 4]),
    "the throw for the start": setting("game_started", 0, opening=[[3, 1]]),
    "one throw more for the start": setting("game_started", 0, opening=[[2, 2], [2, 1]]),
    "who starts": setting("game_started", 1, starter=1),
    "who starts a later game": setting("game_started", 2, starter=2),
    "a throw in a later game": setting("game_started", 2, opening=[[1, 2]]),
    "an illegal turn as played": setting("turn_played", 1, moves=[[1, 9], [1, 5]]),
    "a legal turn as rejected": setting("turn_rejected", 0, moves=[[1, 7], [1, 5]]),
    "the code of a rejection": setting("turn_rejected", 0, code="fewer_dice"),
    "the clause of a rejection": setting("turn_rejected", 0, clause="B3.3"),
    "the sentence of a rejection": setting("turn_rejected", 0, message="no."),
    "rejections left": setting("turn_rejected", 0, left=1),
    "legal turns of a rejected roll": setting("turn_rejected", 0, legal_turns=3),
    "whose turn it was": setting("turn_played", 1, seat=1),
    "the number of a turn": setting("turn_played", 1, turn=2),
    "the number of a game": setting("turn_played", 1, game=2),
    "what is left on the clock": setting("turn_played", 2, left_ms=151),
    "the time of a turn": setting("turn_played", 2, spent_ms=120),
    "a turn that took more than there was": setting("turn_played", 2, spent_ms=301),
    "a flag that fell in time": setting("flag_fell", 0, spent_ms=300),
    "the dice under a flag": setting("flag_fell", 0, dice=[1, 5]),
    "who won a game": setting("game_ended", 1, result__winner=2),
    "a winner of a drawn game": setting("game_ended", 0, result__winner=1),
    "how a game ended": setting("game_ended", 0, result__ending="jan"),
    "by which clause": setting("game_ended", 0, result__clause="B9.1"),
    "the points of a game": setting("game_ended", 1, result__points=5),
    "the monk": setting("game_ended", 1, result__monk=True),
    "the rank": setting("game_ended", 1, result__rank=1),
    "why a game was forfeited": setting("game_ended", 1, result__cause="time"),
    "the turns of a game": setting("game_ended", 0, turns=3),
    "the score after a game": setting("game_ended", 1, score=[7, 0]),
    "the score of the match": setting("match_ended", 0, score=[13, 0]),
    "the violations of the match": setting("match_ended", 0, violations=[0, 2]),
    "the violations of a void match": setting("match_voided", 0, violations=[1, 0]),
    "a bot's entropy": setting("bot_ready", 0, entropy="0b"),
    "a bot of another name": setting("bot_ready", 0, entrant__name="zoe"),
    "the seed": setting("dice_revealed", 0, dice_seed="00" * 32),
    "the attempt of the seed": setting("dice_revealed", 0, attempt=2),
    "the commitment": setting("match_opened", 0, dice_commitment="00" * 32),
    "seed and commitment": lambda found: (
        setting("dice_revealed", 0, dice_seed="00" * 32)(found),
        setting("match_opened", 0, dice_commitment=hashlib.sha256(bytes(32)).hexdigest())(found),
    ),
    "a rule": setting("match_opened", 0, ruleset__fields__points_jan=5),
    "the hash of the rules": setting("match_opened", 0, ruleset__hash="00" * 32),
    "the name of the rules": setting("match_opened", 0, ruleset__name="classic"),
    "no rules at all": setting("match_opened", 0, ruleset={}),
    "rules that are no table": setting("match_opened", 0, ruleset={"name": "vasa", "hash": "", "fields": 1}),
    "the clock": setting("match_opened", 0, terms__bank_ms=201),
    "the number of games": setting("match_opened", 0, terms__games=2),
    "the entrants": setting("match_opened", 0, entrants=["bo", "anna"]),
    "the name of the match": setting("match_opened", 0, match="r1-bo-v-anna"),
    "the number of the attempt": setting("match_opened", 0, attempt=2),
    "the version of the format": setting("match_opened", 0, v=2),
    "the version of a line": setting("turn_played", 0, v=2),
    "no attempt of that number": lambda found: found.__delitem__(slice(10, None)),
    "a bot that never left comes back": lambda found: found.insert(
        found.index(nth(found, "turn_played", 1)),
        {"event": "bot_returned", "v": 1, "at_ms": 1_700_000_010_030, "seat": 1},
    ),
    "the seed left out": without("dice_revealed", 1),
    "the seed told twice": twice("dice_revealed", 1),
    "the end left out": without("match_ended"),
    "the void left out": without("match_voided"),
    "the end told twice": twice("match_ended"),
    "a roll left out": without("turn_played", 1),
    "time that runs backwards": setting("match_ended", 0, at_ms=1_700_000_010_000),
    "readiness after the start-up deadline": lambda found: (
        setting("bot_ready", 3, at_ms=1_700_000_011_001)(found),
        setting("game_started", 1, at_ms=1_700_000_011_001)(found),
    ),
}


@pytest.mark.parametrize("change", MATCH_FORGERIES.values(), ids=MATCH_FORGERIES)
def test_a_false_line_in_a_match_record_is_found_although_every_hash_fits(change: Callable[[list[Line]], None]) -> None:
    """The replay gives something else, and the message names the record."""
    assert_refused(forge(small_run(), RECORD, change), RECORD, LEDGER)


TOURNAMENT_FORGERIES = {
    "the points of a game": setting("fixture_settled", games__1__points=5),
    "the winner of a game": setting("fixture_settled", games__1__winner=2),
    "the cause of a game": setting("fixture_settled", games__1__cause="time"),
    "a game less": setting("fixture_settled", games=[]),
    "the score": setting("fixture_settled", score=[11, 0]),
    "the winner": setting("fixture_settled", winner="bo"),
    "the decision": setting("fixture_settled", decision="anna won"),
    "the violations": setting("fixture_settled", violations=[0, 0]),
    "the hash of the record": setting("fixture_settled", record_sha256="00" * 32),
    "the attempt": setting("fixture_settled", attempt=1),
    "the reason of the void": setting("fixture_voided", reason="the arena was stopped"),
    "the violations of the void": setting("fixture_voided", violations=[0, 0]),
    "the hash of the void record": setting("fixture_voided", record_sha256="00" * 32),
    "void for good, and played": setting("fixture_voided", is_last=True),
    "the commitment": setting("fixture_issued", dice_commitment="00" * 32),
    "the number of an attempt": setting("fixture_issued", 1, attempt=3),
    "a fixture nobody scheduled": setting("fixture_issued", 1, fixture="r2-anna-v-bo"),
    "a fixture that is none": setting("fixture_settled", fixture="anna and bo"),
    "the standings": setting("tournament_ended", standings__0__points=99),
    "the places": setting("tournament_ended", standings__0__place=2),
    "the match points": setting("tournament_ended", standings__0__match_points=0.5),
    "the order": lambda found: nth(found, "tournament_ended")["standings"].reverse(),
    "a row less": lambda found: nth(found, "tournament_ended")["standings"].pop(),
    "a step that was not needed": setting("tournament_ended", tie_breaks=["anna above bo: by lot"]),
    "a note": setting("tournament_ended", notes=["bo was ill"]),
    "the entrants": setting("tournament_opened", entrants=["anna", "cia"]),
    "one entrant more": setting("tournament_opened", entrants=["anna", "bo", "cia"]),
    "one entrant alone": setting("tournament_opened", entrants=["anna"]),
    "an entrant that is no name": setting("tournament_opened", entrants=["anna", "B o"]),
    "no cycle": setting("tournament_opened", schedule__cycles=0),
    "the rules": setting("tournament_opened", ruleset__fields__points_jan=5),
    "the clock": setting("tournament_opened", terms__delay_ms=1),
    "the tournament file": setting("tournament_opened", file_sha256="00" * 32),
    "the version of the format": setting("tournament_opened", v=2),
    "an attempt never issued": without("fixture_issued", 0),
    "an attempt issued twice": twice("fixture_issued", 1),
    "a match settled twice": twice("fixture_settled"),
    "an attempt void twice": twice("fixture_voided"),
    "opened twice": twice("tournament_opened"),
    "ended twice": twice("tournament_ended"),
    "a match that was played left out": without("fixture_settled"),
    "the end left out": without("tournament_ended"),
    "a withdrawal without violations": lambda found: found.insert(
        -2, {"event": "entrant_withdrawn", "v": 1, "at_ms": 1_700_000_010_585, "entrant": "bo", "violations": 3}
    ),
    "a withdrawal of a stranger": lambda found: found.insert(
        -2, {"event": "entrant_withdrawn", "v": 1, "at_ms": 1_700_000_010_585, "entrant": "zoe", "violations": 6}
    ),
    "a withdrawal that was due left out": setting("tournament_opened", violations=2),
}


@pytest.mark.parametrize("change", TOURNAMENT_FORGERIES.values(), ids=TOURNAMENT_FORGERIES)
def test_a_false_line_in_the_tournament_record_is_found_although_every_hash_fits(
    change: Callable[[list[Line]], None],
) -> None:
    """The match records or the standings say something else, and the message names a record."""
    assert_refused(forge(small_run(), LEDGER, change), LEDGER, "matches/", "tournament.toml")


def test_a_forgery_that_changes_nothing_is_in_order() -> None:
    """The forger's tool itself leaves a run as it was."""
    for name in (LEDGER, RECORD):
        assert forge(small_run(), name, lambda _: None) == small_run()


def test_an_attempt_nobody_issued_is_found() -> None:
    """Neither a third attempt after the settled one nor a record without any line in the tournament's is in order."""
    files = small_run()
    more = Sitting(terms=TERMS, attempt=3)
    more.ready()
    more.void()
    assert_refused(files | {RECORD: attempt_record(more, files[RECORD])}, FIXTURE)
    lines = files[LEDGER].splitlines(keepends=True)
    assert_refused(files | {LEDGER: lines[0]}, FIXTURE)


def test_an_end_before_every_fixture_is_decided_is_found() -> None:
    """A record that is closed although a match is still to be played is not in order."""
    header = opened_tournament(entrants=("anna", "bo", "cia"))
    files = run_of(header, no_show(schedule_of(header)[0].id, 2))
    assert_refused(files, LEDGER)


# Runs that are not finished


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


# Withdrawals and fixtures void for good


def no_show(fixture: str, absent: int, *, attempt: int = 1) -> Sitting:
    """A match that one bot, or neither (0), came to."""
    sitting = Sitting(terms=TERMS, fixture=fixture, attempt=attempt)
    if absent:
        sitting.ready(2 if absent == 1 else 1)
    sitting.waits(5000)
    return sitting


def strict_run(*, violations: int = 0, is_finished: bool = True) -> Files:
    """Three entrants; one does not come to its first match, is withdrawn, and the other two play theirs."""
    header = opened_tournament(entrants=("anna", "bo", "cia"), violations=violations)
    first, *others = schedule_of(header)
    [last] = [fixture for fixture in others if first.second not in (fixture.first, fixture.second)]
    return run_of(header, no_show(first.id, 2), no_show(last.id, 1), is_finished=is_finished)


def test_a_run_with_a_withdrawal_is_in_order_without_the_matches_it_prevents() -> None:
    """The fixture of the withdrawn entrant that was not played is not missed."""
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
    """After its withdrawal it plays no further fixture."""
    header = opened_tournament(entrants=("anna", "bo", "cia"), violations=0)
    first, second, third = schedule_of(header)
    absent = {first.first, first.second} & {second.first, second.second}
    seat = 1 if first.first in absent else 2
    files = run_of(header, no_show(first.id, seat), no_show(second.id, 1), no_show(third.id, 1))
    assert_refused(files, LEDGER)


def voided_run(times: int) -> Files:
    """The one fixture, to which nobody came so many times."""
    attempts = [no_show(FIXTURE, 0, attempt=number) for number in range(1, times + 1)]
    return run_of(opened_tournament(), *attempts)


def test_a_fixture_that_both_bots_left_three_times_is_void_for_good() -> None:
    """The run is finished without it; with one attempt less it is not."""
    found = verify_run(voided_run(3))
    assert (found.fixtures, found.scheduled, found.is_finished) == (0, 1, True)
    assert_refused(voided_run(2), LEDGER)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_when_a_fixture_is_void_for_good_cannot_be_told_otherwise(number: int) -> None:
    """Neither too early nor too late."""

    def change(found: list[Line]) -> None:
        line = nth(found, "fixture_voided", number)
        line["is_last"] = not line["is_last"]

    assert_refused(forge(voided_run(3), LEDGER, change), LEDGER)


def test_rules_that_cannot_be_used_are_named() -> None:
    """Also when tournament and match agree about them."""

    def change(found: list[Line]) -> None:
        for line in found:
            if "ruleset" in line:
                line["ruleset"]["fields"]["points_jan"] = "many"

    files = forge(small_run(), LEDGER, change)
    assert_refused(forge(files, RECORD, change), "ruleset")


# Games without dice


def brandubh_run() -> Files:
    """A finished run of Brandubh."""
    sitting = brandubh_attempt()
    return run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)


def test_a_run_of_brandubh_is_in_order() -> None:
    """Games without dice, drawn by repetition, verify as any others."""
    assert verify_run(brandubh_run()) == Verified(fixtures=1, scheduled=1, games=3, turns=18, is_finished=True)
    endings = [(one.result.ending, one.result.winner, one.result.points) for one in brandubh_attempt().ended]
    assert endings == [("turn_limit", None, 0), ("repetition", None, 0), ("forfeit", 1, 1)]


BRANDUBH_FORGERIES = {
    "dice in a game without": setting("turn_played", 0, dice=[6, 1]),
    "another move": setting("turn_played", 9, moves=[["d1", "b1"]]),
    "an illegal move as played": setting("turn_played", 9, moves=[["d1", "d2"]]),
    "who starts": setting("game_started", 1, starter=1),
    "a throw for the start": setting("game_started", 0, opening=[[3, 1]]),
    "a winner of a repetition": setting("game_ended", 1, result__winner=1),
    "points for a repetition": setting("game_ended", 1, result__points=1),
    "another reason for the draw": setting("game_ended", 1, result__ending="no_move"),
    "a rank": setting("game_ended", 2, result__rank=1),
}


@pytest.mark.parametrize("change", BRANDUBH_FORGERIES.values(), ids=BRANDUBH_FORGERIES)
def test_a_false_line_in_a_record_of_brandubh_is_found(change: Callable[[list[Line]], None]) -> None:
    """As in tables games."""
    assert_refused(forge(brandubh_run(), RECORD, change), RECORD, LEDGER)


def agreed_run() -> Files:
    """A finished run with games drawn by agreement."""
    sitting = agreed_attempt()
    return run_of(opened_tournament(sitting.opened.terms, rules=sitting.rules), sitting)


def test_a_run_with_draws_by_agreement_is_in_order() -> None:
    """Offers and acceptances are played again from the record."""
    assert verify_run(agreed_run()) == Verified(fixtures=1, scheduled=1, games=3, turns=6, is_finished=True)
    assert [one.result.ending for one in agreed_attempt().ended] == ["agreement", "turn_limit", "agreement"]


def without_field(event: str, name: str, number: int = 0) -> Callable[[list[Line]], None]:
    """Leave a field out of one line."""
    return lambda found: nth(found, event, number).__delitem__(name)


AGREED_FORGERIES = {
    "an agreement without an offer": without_field("turn_played", "draw_offered"),
    "an offer taken back": setting("turn_played", 0, draw_offered=False),
    "an offer said not to be one": setting("turn_played", 2, draw_offered=False),
    "an acceptance too early": lambda found: found.insert(3, found.pop(6)),
    "an acceptance left out": without("draw_agreed"),
    "an acceptance told twice": twice("draw_agreed"),
    "who accepted": setting("draw_agreed", 0, seat=1),
    "the turn of an acceptance": setting("draw_agreed", 0, turn=1),
    "the game of an acceptance": setting("draw_agreed", 0, game=2),
    "the time of an acceptance": setting("draw_agreed", 0, spent_ms=140),
    "what is left after an acceptance": setting("draw_agreed", 0, left_ms=200),
    "an acceptance that took more than there was": setting("draw_agreed", 0, spent_ms=301),
    "a rejected acceptance as moves": setting("turn_rejected", 0, moves=[["d1", "d2"]]),
    "a rejected acceptance as an offer": setting("turn_rejected", 0, draw="offer"),
    "a rejected acceptance as a turn": without_field("turn_rejected", "draw"),
    "a rejected acceptance as accepted": setting("turn_rejected", 0, code="no_agreement"),
    "the ending": setting("game_ended", 0, result__ending="repetition"),
    "the clause": setting("game_ended", 0, result__clause="T8"),
    "a winner of a draw": setting("game_ended", 0, result__winner=1, result__points=1),
    "the turns": setting("game_ended", 0, turns=2),
    "an agreement as a limit": setting("game_ended", 2, result__ending="turn_limit", result__clause="B10.3"),
}


@pytest.mark.parametrize("change", AGREED_FORGERIES.values(), ids=AGREED_FORGERIES)
def test_a_false_line_about_a_draw_is_found(change: Callable[[list[Line]], None]) -> None:
    """An agreement needs the offer of the turn before; what follows from both is worked out anew."""
    assert_refused(forge(agreed_run(), RECORD, change), RECORD, LEDGER)


@pytest.mark.unmeasured
@pytest.mark.parametrize("run", [brandubh_run(), agreed_run()], ids=["brandubh", "agreed"])
def test_any_byte_of_a_run_of_brandubh_with_a_bit_flipped_is_found(run: Files) -> None:
    """Every third byte, which is enough for every field."""
    for number, (name, place) in list(enumerate(bytes_of(run)))[::3]:
        assert_refused(replaced(run, name, place, 1, bytes([run[name][place] ^ 1 << number % 8])), name)


def test_won_games_of_brandubh_cannot_have_been_compared_by_rank() -> None:
    """The endings have none, so that no arena has played such a tournament."""
    forged = forge(brandubh_run(), LEDGER, setting("tournament_opened", best_game="rank"))
    assert "the endings of brandubh-1 have no ranks" in str(assert_refused(forged, LEDGER))


@pytest.mark.parametrize("ruleset", [{}, {"name": "vasa", "hash": "", "fields": 1}, {"fields": {"name": "vasa"}}])
def test_a_tournament_whose_ruleset_cannot_be_used_is_refused(ruleset: dict[str, Any]) -> None:
    """Also before any match is played."""
    files = run_of(opened_tournament(), is_finished=False)
    assert_refused(forge(files, LEDGER, setting("tournament_opened", ruleset=ruleset)), LEDGER)


# A choice of dice


def called_run() -> Files:
    """A finished run under rules with a choice of dice."""
    sitting = called_attempt()
    return run_of(opened_tournament(sitting.opened.terms), sitting)


def test_a_run_with_calls_for_dice_is_in_order() -> None:
    """As many dice are worked out from the seed as were called for."""
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

"""`verify_run`: no byte, line or file of a run can change unnoticed."""

import random
from collections.abc import Iterator
from contextlib import suppress

import pytest

from arena.records.lines import RecordError
from arena.records.verify import verify_run
from tests.fixtures.forgeries import assert_refused, bytes_of, replaced
from tests.fixtures.small_run import FIXTURE, RECORD, Files, small_run, unfinished_run


def assert_in_order_or_refused(files: Files) -> None:
    """Verification of a run that may be changed unnoticed: it ends well or with a RecordError, and never else."""
    with suppress(RecordError):
        verify_run(files)


# Any byte


@pytest.mark.unmeasured
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.soak)])
def test_any_byte_with_a_bit_flipped_is_found(every: int) -> None:
    """Every byte of every file, each with one bit flipped, makes a RecordError that names the file or one it covers."""
    files = small_run()
    for number, (name, place) in list(enumerate(bytes_of(files)))[::every]:
        flipped = bytes([files[name][place] ^ 1 << number % 8])
        assert_refused(replaced(files, name, place, 1, flipped), name)


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
@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.soak)])
def test_any_byte_of_a_run_that_is_not_finished_changed_is_an_answer_not_a_crash(
    every: int,
) -> None:
    """Without closing lines some changes cannot be seen; but nothing else than a RecordError is ever raised."""
    files = unfinished_run()
    for number, (name, place) in list(enumerate(bytes_of(files)))[::every]:
        assert_in_order_or_refused(
            replaced(files, name, place, 1, bytes([files[name][place] ^ 1 << number % 8]))
        )


def test_random_noise_in_place_of_a_file_is_refused() -> None:
    chance = random.Random(1)
    for _ in range(200):
        for name in small_run():
            assert_refused(small_run() | {name: chance.randbytes(chance.randrange(1, 200))}, name)


# Whole files and lines


@pytest.mark.parametrize("name", sorted(small_run()))
def test_a_file_that_is_missing_or_empty_is_named(name: str) -> None:
    files = small_run()
    assert_refused(files | {name: b""}, name, FIXTURE)
    del files[name]
    assert_refused(files, name, FIXTURE)


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
    assert_refused(small_run() | {name: data}, name)


@pytest.mark.parametrize("name", ["tournament.jsonl", RECORD])
def test_a_record_cut_short_in_a_line_is_named_with_the_line(name: str) -> None:
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
    for cut in cuts_between_lines(small_run()[RECORD]):
        assert_refused(small_run() | {RECORD: cut}, FIXTURE)

"""15,000 cases whenever the tests run; a million by `python -m tests.fuzz --frames 1000000`."""

from __future__ import annotations

import pytest

from protocol.errors import ErrorCode
from tests.fuzz.__main__ import fuzzed, memory_stays

ORDERED = list(ErrorCode)
CODES = set(ORDERED[: ORDERED.index(ErrorCode.UNSUPPORTED_PROTOCOL) + 1])
"""Every way in which a frame can be wrong."""


def test_no_frame_raises_anything_unexpected() -> None:
    fuzz = fuzzed("wire", 12_000, seed=2)
    assert fuzz.counts.keys() == CODES | {"message"}
    assert fuzz.counts["message"] > 500


def test_the_same_seed_gives_the_same_frames() -> None:
    one, two, other = (fuzzed("wire", 300, seed).counts for seed in (5, 5, 6))
    assert one == two != other


def test_no_answer_upsets_the_referee_and_every_record_verifies() -> None:
    fuzz = fuzzed("referee", 2_000, seed=1)
    ends = {what for what in fuzz.counts if what.startswith("game: ")}
    assert ends >= {
        "game: disconnect",
        "game: illegal_turns",
        "game: time",
        "game: no_show",
        "game: turn_limit",
    }
    assert fuzz.counts.keys() >= {
        "match: MatchEnded",
        "match: MatchVoided",
        "error: stale_turn",
        "error: bad_signature",
    }
    assert fuzz.counts.keys() >= {"fact: ReceiptSigned", "fact: ReceiptDisputed", "break"}
    told = fuzz.strangers.counts.keys()
    assert {"stranger: welcome", "stranger: bad_login", "stranger: already_connected"} <= told


def test_no_file_of_an_evaluator_raises_anything_unexpected() -> None:
    fuzz = fuzzed("files", 400, seed=1)
    assert fuzz.counts.keys() >= {"read", "is no", "is damaged", "cannot be used", "has format"}
    assert fuzz.counts["read"] > 25


def test_no_request_upsets_the_pages() -> None:
    fuzz = fuzzed("http", 500, seed=1)
    assert fuzz.counts.keys() >= {
        "200",
        "307",
        "400",
        "403",
        "404",
        "405",
        "409",
        "411",
        "413",
        "415",
        "421",
    }


def test_no_run_folder_upsets_who_reads_it() -> None:
    fuzz = fuzzed("folders", 110, seed=2)
    assert fuzz.counts.keys() >= {
        "verify: 0",
        "verify: 1",
        "pages: 200",
        "pages: 503",
        "FolderError",
        "RecordError",
    }


def test_no_tournament_file_upsets_who_reads_it() -> None:
    fuzz = fuzzed("plans", 100, seed=1)
    assert fuzz.counts.keys() >= {"it has problems", "it is in order", "its files cannot be used"}


@pytest.mark.soak
@pytest.mark.parametrize(
    ("target", "cases"),
    [
        ("wire", 150_000),
        ("referee", 12_500),
        ("files", 20_000),
        ("http", 2_000),
        ("folders", 1_000),
        ("plans", 2_000),
    ],
)
def test_memory_does_not_grow(target: str, cases: int) -> None:
    assert memory_stays(target, cases, 2)

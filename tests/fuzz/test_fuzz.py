"""20,000 cases whenever the tests run; a million by `python -m tests.fuzz --frames 1000000`."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from tests.fuzz.__main__ import fuzz_files, fuzz_folders, fuzz_http, fuzz_referee, fuzz_wire
from tests.fuzz.files import FileFuzz
from tests.fuzz.folders import FolderFuzz
from tests.fuzz.http import fuzzed
from tests.fuzz.referee import RefereeFuzz
from tests.fuzz.wire import WireFuzz

WIRE_FRAMES = 12_000
REFEREE_FRAMES = 4_000
FILES = 2_000
REQUESTS = 1_500
FOLDERS = 500
CODES = {
    "bad_field",
    "bad_key",
    "bad_msgpack",
    "bad_value",
    "duplicate_key",
    "frame_too_large",
    "not_a_map",
    "too_deep",
    "unexpected_message",
    "unknown_type",
    "unsupported_protocol",
    "wrong_direction",
}
"""Every way in which a frame can be wrong."""


def test_no_frame_raises_anything_unexpected() -> None:
    fuzz = WireFuzz(seed=1)
    while fuzz.frames < WIRE_FRAMES:
        fuzz.step()
    assert fuzz.counts.keys() == CODES | {"message"}
    assert fuzz.counts["message"] > 500


def test_the_same_seed_gives_the_same_frames() -> None:
    one, two, other = WireFuzz(seed=5), WireFuzz(seed=5), WireFuzz(seed=6)
    for fuzz in (one, two, other):
        for _ in range(50):
            fuzz.step()
    assert one.counts == two.counts != other.counts


def test_no_answer_upsets_the_referee_and_every_record_verifies(tmp_path: Path) -> None:

    async def play() -> RefereeFuzz:
        async with trio.open_nursery() as nursery:
            fuzz = RefereeFuzz(1, tmp_path, nursery)
            while fuzz.frames < REFEREE_FRAMES:
                await fuzz.match()
            nursery.cancel_scope.cancel()
        return fuzz

    fuzz = trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))
    ends = {what for what in fuzz.counts if what.startswith("game: ")}
    assert ends >= {"game: disconnect", "game: illegal_turns", "game: time", "game: no_show", "game: turn_limit"}
    assert {
        "match: MatchEnded",
        "match: MatchVoided",
        "error: stale_turn",
        "error: bad_signature",
    } <= fuzz.counts.keys()
    assert {"fact: ReceiptSigned", "fact: ReceiptDisputed"} <= fuzz.counts.keys()
    told = fuzz.strangers.counts.keys()
    assert {"stranger: welcome", "stranger: bad_login", "stranger: already_connected"} <= told
    assert list(tmp_path.iterdir()) == []


def test_no_file_of_an_evaluator_raises_anything_unexpected(tmp_path: Path) -> None:
    fuzz = FileFuzz(1, tmp_path)
    while fuzz.cases < FILES:
        fuzz.step()
    assert fuzz.counts.keys() >= {"read", "is no", "is damaged", "cannot be used", "has format"}
    assert fuzz.counts["read"] > 100
    assert list(tmp_path.iterdir()) == []


async def test_no_request_upsets_the_pages(tmp_path: Path) -> None:
    async with fuzzed(1, tmp_path) as fuzz:
        while fuzz.cases < REQUESTS:
            await fuzz.step()
    assert fuzz.counts.keys() >= {"200", "307", "400", "403", "404", "405", "409", "411", "413", "415", "421"}


def test_no_run_folder_upsets_who_reads_it(tmp_path: Path) -> None:
    fuzz = FolderFuzz(1, tmp_path)
    while fuzz.cases < FOLDERS:
        fuzz.step()
    assert fuzz.counts.keys() >= {"verify: 0", "verify: 1", "pages: 200", "pages: 503", "FolderError", "RecordError"}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.soak
@pytest.mark.parametrize(
    ("fuzz", "frames"),
    [(fuzz_wire, 150_000), (fuzz_referee, 12_500), (fuzz_files, 20_000), (fuzz_http, 2_000), (fuzz_folders, 1_000)],
    ids=["wire", "referee", "files", "http", "folders"],
)
def test_memory_does_not_grow(fuzz, frames: int) -> None:
    assert fuzz(frames, 2)

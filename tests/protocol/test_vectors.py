"""The test vectors for bots in other languages hold what this side really sends and refuses."""

import json
from typing import Any

import pytest

from protocol.codec import TO_ARENA, TO_BOT, decode, encode
from protocol.errors import ErrorCode
from tests.generators import make_vectors
from tests.protocol.ends import open_pair
from tests.protocol.samples import all_samples

VECTORS = json.loads(make_vectors.PATH.read_text(encoding="utf-8"))
SAMPLES = {name: message for name, _, message in all_samples()}


def named(vectors: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in vectors]


def test_the_committed_file_is_current() -> None:
    assert make_vectors.PATH.read_text(encoding="utf-8") == make_vectors.text()


@pytest.mark.parametrize("vector", named(VECTORS["messages"]))
def test_message_vector(vector: dict[str, Any]) -> None:
    message = SAMPLES[vector["name"]]
    frame = bytes.fromhex(vector["frame"])
    assert encode(message) == frame
    assert decode(frame[4:], TO_ARENA if vector["from"] == "bot" else TO_BOT) == message


@pytest.mark.parametrize("vector", named(VECTORS["bad_frames"]))
def test_bad_frame_vector(vector: dict[str, Any]) -> None:
    arena, _ = open_pair()
    assert arena.receive(bytes.fromhex(vector["bytes"])) == []
    assert arena.fault is not None
    assert arena.fault.code == vector["code"]


def test_every_code_a_frame_can_cause_has_a_vector() -> None:
    of_frames = list(ErrorCode)[: list(ErrorCode).index(ErrorCode.UNSUPPORTED_PROTOCOL)]
    assert {vector["code"] for vector in VECTORS["bad_frames"]} == set(of_frames)

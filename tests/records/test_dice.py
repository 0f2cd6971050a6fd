"""Verifiable dice: the vectors of docs/dice.md."""

from __future__ import annotations

import hashlib
import json
from itertools import islice
from pathlib import Path

import pytest

from arena.records.dice import commitment, dice_stream

VECTORS = json.loads((Path(__file__).parent / "dice_vectors.json").read_text())
SEED = bytes(range(32))
PAGE = (Path(__file__).parents[2] / "docs" / "dice.md").read_text()


@pytest.mark.parametrize(
    "vector", VECTORS, ids=[f"attempt{one['attempt']}-game{one['game']}-{len(one['dice'])}" for one in VECTORS]
)
def test_the_dice_of_every_vector_are_reproduced(vector):
    """Seed, fixture, attempt, game and both entropies give exactly these dice."""
    one, two = map(bytes.fromhex, vector["entropy"])
    dice = dice_stream(
        bytes.fromhex(vector["seed"]),
        fixture=vector["fixture"],
        attempt=vector["attempt"],
        game=vector["game"],
        entropies=(one, two),
    )
    assert list(islice(dice, len(vector["dice"]))) == vector["dice"]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_page_shows_the_same_vectors(vector):
    """Every vector for programs stands in docs/dice.md for people, without spaces or line breaks."""
    shown = "".join(PAGE.split())
    assert "".join(map(str, vector["dice"])) in shown


def test_the_commitment_is_the_sha_256_of_the_seed():
    """The commitment of the vectors' seed is the one in docs/dice.md."""
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()
    assert commitment(SEED) in PAGE


def first_dice(fixture="r1-anna-v-bo", attempt=1, game=1, entropies=(b"", b""), seed=SEED):
    return list(islice(dice_stream(seed, fixture=fixture, attempt=attempt, game=game, entropies=entropies), 40))


@pytest.mark.parametrize(
    "other",
    [
        {"fixture": "r2-anna-v-bo"},
        {"attempt": 2},
        {"game": 2},
        {"entropies": (b"\x00", b"")},
        {"entropies": (b"", b"\x00")},
        {"seed": bytes(32)},
    ],
    ids=["fixture", "attempt", "game", "entropy of seat 1", "entropy of seat 2", "seed"],
)
def test_everything_the_dice_depend_on_changes_them(other):
    """Another fixture, attempt, game, entropy or seed gives other dice."""
    assert first_dice(**other) != first_dice()


def test_the_entropies_do_not_run_into_each_other():
    """The same bytes parted in another way between the seats are other entropies."""
    assert first_dice(entropies=(b"\x01\x02", b"")) != first_dice(entropies=(b"\x01", b"\x02"))


def test_every_face_is_as_likely_as_another():
    """In 60,000 dice every face comes up 10,000 times, give or take four standard deviations."""
    dice = islice(dice_stream(SEED, fixture="r1-a-v-b", attempt=1, game=1, entropies=(b"", b"")), 60_000)
    counts = [0] * 7
    for die in dice:
        counts[die] += 1
    assert counts[0] == 0
    assert all(abs(count - 10_000) < 4 * 91.3 for count in counts[1:])

"""Verifiable dice: the vectors of docs/dice.md."""

import hashlib
import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from arena.records.dice import commitment, dice_stream, step_stream

VECTORS = json.loads((Path(__file__).parent / "dice_vectors.json").read_text())
PAIR_VECTORS = json.loads((Path(__file__).parent / "pair_dice_vectors.json").read_text())
SEED = bytes(range(32))
PAGE = (Path(__file__).parents[2] / "docs" / "dice.md").read_text()


@pytest.mark.parametrize(
    "vector", VECTORS, ids=[f"attempt{one['attempt']}-game{one['game']}-{len(one['dice'])}" for one in VECTORS]
)
def test_the_dice_of_every_vector_are_reproduced(vector):
    one, two = map(bytes.fromhex, vector["entropy"])
    dice = dice_stream(
        bytes.fromhex(vector["seed"]),
        fixture=vector["fixture"],
        attempt=vector["attempt"],
        game=vector["game"],
        entropies=(one, two),
    )
    assert list(islice(dice, len(vector["dice"]))) == vector["dice"]


@pytest.mark.parametrize(
    "vector", PAIR_VECTORS, ids=[f"attempt{one['attempt']}-pair{one['pair']}-step{one['step']}" for one in PAIR_VECTORS]
)
def test_the_dice_of_every_vector_of_pairs_are_reproduced(vector):
    one, two = map(bytes.fromhex, vector["entropy"])
    dice = step_stream(
        bytes.fromhex(vector["seed"]),
        fixture=vector["fixture"],
        attempt=vector["attempt"],
        pair=vector["pair"],
        step=vector["step"],
        entropies=(one, two),
    )
    assert list(islice(dice, len(vector["dice"]))) == vector["dice"]


def test_the_page_shows_the_longest_vector():
    """It crosses two blocks; every vector has the seed and the fixture that docs/dice.md names."""
    long = max((one["dice"] for one in VECTORS), key=len)
    assert "".join(map(str, long)) in "".join(PAGE.split())
    assert {(one["seed"], one["fixture"]) for one in VECTORS + PAIR_VECTORS} == {(SEED.hex(), "r1-anna-v-bo")}
    assert SEED.hex() in PAGE


def test_the_program_on_the_page_gives_the_same_dice():
    """The fifteen lines of Python in docs/dice.md are the specification, so they have to run."""
    [program] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    for one in VECTORS:
        stream = names["dice"](
            bytes.fromhex(one["seed"]), one["fixture"], one["attempt"], one["game"], *map(bytes.fromhex, one["entropy"])
        )
        assert list(islice(stream, len(one["dice"]))) == one["dice"]


def test_the_commitment_is_the_sha_256_of_the_seed():
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
    assert first_dice(**other) != first_dice()


@pytest.mark.parametrize("other", [{"pair": 2}, {"step": 2}, {"attempt": 2}], ids=["pair", "step", "attempt"])
def test_every_step_of_every_pair_has_dice_of_its_own(other):
    same = {"fixture": "r1-anna-v-bo", "attempt": 1, "pair": 1, "step": 1, "entropies": (b"", b"")}
    dice = list(islice(step_stream(SEED, **same), 40))
    assert list(islice(step_stream(SEED, **{**same, **other}), 40)) != dice
    assert dice != first_dice()


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

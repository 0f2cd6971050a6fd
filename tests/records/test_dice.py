"""Verifiable dice: the vectors of docs/dice.md."""

import hashlib
import json
import re
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from arena.records.dice import commitment, game_label, step_label
from tests.fixtures.dice_streams import dice_stream

VECTORS = json.loads((Path(__file__).parent / "dice_vectors.json").read_text())
PAIR_VECTORS = json.loads((Path(__file__).parent / "pair_dice_vectors.json").read_text())
SEED = bytes(range(32))
PAGE = (Path(__file__).parents[2] / "docs" / "dice.md").read_text()


@pytest.mark.parametrize("vector", VECTORS + PAIR_VECTORS)
def test_the_dice_of_every_vector_are_reproduced(vector):
    label_of, keys = (step_label, ("pair", "step")) if "step" in vector else (game_label, ("game",))
    label = label_of(
        vector["fixture"], vector["attempt"], *(vector[key] for key in keys), *vector["entropy"]
    )
    dice = dice_stream(bytes.fromhex(vector["seed"]), label)
    assert list(islice(dice, len(vector["dice"]))) == vector["dice"]


def test_the_page_shows_the_longest_vector():
    """It crosses two blocks; every vector has the seed and the fixture that docs/dice.md names."""
    long = max((one["dice"] for one in VECTORS), key=len)
    assert "".join(map(str, long)) in "".join(PAGE.split())
    assert {(one["seed"], one["fixture"]) for one in VECTORS + PAIR_VECTORS} == {
        (SEED.hex(), "r1-anna-v-bo")
    }
    assert SEED.hex() in PAGE


def test_the_program_on_the_page_gives_the_same_dice():
    """The fifteen lines of Python in docs/dice.md are the specification, so they have to run."""
    [program] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(program, names)
    for one in VECTORS:
        stream = names["dice"](
            bytes.fromhex(one["seed"]),
            one["fixture"],
            one["attempt"],
            one["game"],
            *map(bytes.fromhex, one["entropy"]),
        )
        assert list(islice(stream, len(one["dice"]))) == one["dice"]


def test_the_commitment_is_the_sha_256_of_the_seed():
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()
    assert commitment(SEED) in PAGE

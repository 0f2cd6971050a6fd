"""The JSON Schema in the documentation belongs to the messages as they are."""

import json
from pathlib import Path
from typing import Any

import msgpack
import pytest

from protocol import schema
from protocol.codec import TO_ARENA, TO_BOT, decode
from protocol.errors import InvalidMessageError

PATH = Path(__file__).parents[2] / "docs" / "protocol.schema.json"


def test_the_committed_schema_is_current() -> None:
    assert PATH.read_text(encoding="utf-8") == schema.text()


def test_every_message_is_defined_with_its_type() -> None:
    definitions = json.loads(schema.text())["$defs"]
    for tag, cls in {**TO_ARENA.types, **TO_BOT.types}.items():
        assert definitions[cls.__name__]["properties"]["type"] == {"enum": [tag]}


def test_bytes_are_shown_as_binary() -> None:
    """No field is shown as base64: the wire has byte strings of its own."""
    assert "base64" not in schema.text()
    definitions = schema.schema()["$defs"]
    assert definitions["MatchStart"]["properties"]["dice_commitment"]["contentEncoding"] == "binary"


@pytest.mark.parametrize(
    ("answer", "is_good"),
    [
        ({"moves": []}, True),
        ({"choice": 0}, True),
        ({"moves": [], "draw": "offer"}, True),
        ({"choice": 0, "draw": "offer"}, True),
        ({"draw": "accept"}, True),
        ({}, False),
        ({"draw": "offer"}, False),
        ({"moves": [], "choice": 0}, False),
        ({"moves": [], "draw": "accept"}, False),
        ({"choice": 0, "draw": "accept"}, False),
        ({"moves": [], "choice": 0, "draw": "accept"}, False),
    ],
    ids=str,
)
def test_the_schema_of_a_play_allows_what_the_arena_reads(answer: dict[str, Any], is_good: bool) -> None:
    play = {"type": "play", "game": 1, "turn": 1} | answer

    def fits(part: dict[str, Any]) -> bool:
        assert part.keys() <= {"required", "properties"}
        constants = {name: one["const"] for name, one in part.get("properties", {}).items()}
        return play.keys() >= set(part["required"]) and all(
            play.get(name, word) == word for name, word in constants.items()
        )

    alternatives = schema.schema()["$defs"]["Play"]["oneOf"]
    assert (sum(map(fits, alternatives)) == 1) is is_good
    payload = msgpack.packb(play)
    if is_good:
        assert decode(payload, TO_ARENA)
    else:
        with pytest.raises(InvalidMessageError):
            decode(payload, TO_ARENA)

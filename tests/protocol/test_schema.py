"""The JSON Schema in the documentation belongs to the messages as they are."""

import json
from pathlib import Path

from protocol import schema
from protocol.codec import TO_ARENA, TO_BOT

PATH = Path(__file__).parents[2] / "docs" / "protocol.schema.json"


def test_the_committed_schema_is_current() -> None:
    """docs/protocol.schema.json is what `python -m protocol.schema` prints."""
    assert PATH.read_text(encoding="utf-8") == schema.text()


def test_every_message_is_defined_with_its_type() -> None:
    """Every message of both directions has a definition that fixes its `type`."""
    definitions = json.loads(schema.text())["$defs"]
    for tag, cls in {**TO_ARENA.types, **TO_BOT.types}.items():
        assert definitions[cls.__name__]["properties"]["type"] == {"enum": [tag]}


def test_bytes_are_shown_as_binary() -> None:
    """No field is shown as base64: the wire has byte strings of its own."""
    assert "base64" not in schema.text()
    definitions = schema.schema()["$defs"]
    assert definitions["MatchStart"]["properties"]["dice_commitment"]["contentEncoding"] == "binary"

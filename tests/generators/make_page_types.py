"""Writes what the pages get, as types for their scripts: arena/pages/assets/contents.d.ts.

The structs of `arena.pages` say what it is; a test compares the file with them.

    python -m tests.generators.make_page_types
"""

from pathlib import Path
from typing import Any, Final

import msgspec

from arena.pages.by_hand.hand_pages import Act
from arena.pages.by_hand.hand_state import PageState
from arena.pages.contents import BotPage, MatchPage, Overview, PairingsPage, ReplayedGame
from arena.pages.findings import Report
from arena.pages.games import Change

FILE: Final = Path(__file__).parents[2] / "arena" / "pages" / "assets" / "contents.d.ts"
STRUCTS: Final = (
    Report,
    Overview,
    PairingsPage,
    BotPage,
    MatchPage,
    ReplayedGame,
    Change,
    PageState,
    Act,
)
"""What a page gets or sends; the structs in them follow."""
HEAD: Final = """\
// What the pages get from the arena, and send to it: made from the structs of arena.pages by
// `python -m tests.generators.make_page_types`.
"""
NAMES: Final = {"boolean": "boolean", "integer": "number", "number": "number", "null": "null"}


def page_types() -> str:
    """Return the file as it should be."""
    refs, components = msgspec.json.schema_components(STRUCTS, ref_template="{name}")
    types = [f"export type {name} = {_type_of(schema)};\n" for name, schema in components.items()]
    return "\n".join([HEAD, *types])


def _type_of(schema: dict[str, Any]) -> str:
    """Return a schema of msgspec as a type."""
    if "$ref" in schema:
        return str(schema["$ref"])
    if "anyOf" in schema:
        return " | ".join(_type_of(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return " | ".join(msgspec.json.encode(value).decode() for value in values)
    kind = schema.get("type")
    if kind == "string":
        return "string"
    if kind == "array":
        return _type_of_array(schema)
    if kind == "object":
        return _type_of_object(schema)
    return NAMES.get(str(kind), "any")


def _type_of_array(schema: dict[str, Any]) -> str:
    if "prefixItems" not in schema:
        items = schema.get("items", {})
        return f"({_type_of(items)})[]"
    required = schema.get("minItems", 0)
    parts = []
    for place, part in enumerate(schema["prefixItems"]):
        optional = "?" if place >= required else ""
        parts.append(f"({_type_of(part)}){optional}")
    return f"[{', '.join(parts)}]"


def _type_of_object(schema: dict[str, Any]) -> str:
    if "properties" not in schema:
        values = schema.get("additionalProperties", {})
        return f"Record<string, {_type_of(values or {})}>"
    fields = []
    for name, field in schema["properties"].items():
        optional = "" if name in schema.get("required", ()) else "?"
        fields.append(f"  {name}{optional}: {_type_of(field)};\n")
    return "{\n" + "".join(fields) + "}"


if __name__ == "__main__":
    FILE.write_text(page_types(), encoding="utf-8")

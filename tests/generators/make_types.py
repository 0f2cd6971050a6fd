"""Writes the messages as TypeScript types, for bots in JavaScript: `python -m tests.generators.make_types`.

They come from the JSON Schema and say the same; what JSON cannot say, bytes and positions, stands
here.
"""

import json
import textwrap
from pathlib import Path
from typing import Any

from tests.generators.make_schema import schema

PATH = Path(__file__).parents[2] / "sample_bots" / "javascript" / "protocol.d.ts"

_HEAD = """\
// The messages of wire protocol 1. Made from its JSON Schema by python -m tests.generators.make_types; do not edit.

/** The whole position, from the side of the bot that is to move. Some rulesets add fields. */
export type Position = TablesPosition | BrandubhPosition;

/** Of all games but Brandubh: points[0] is my point 1, positive counts are mine; bar and off are [mine, theirs]. */
export interface TablesPosition {
  points: number[];
  bar: [number, number];
  off: [number, number];
  board?: undefined;
}

/** Seven rows of seven letters, from rank 7 down: b and w warriors, k the king, . an empty square. */
export interface BrandubhPosition {
  board: string[];
  to_move: "black" | "white";
  points?: undefined;
}
"""
_POSITION = "position"
_LINE = 110


def text() -> str:
    """Give the file as it should be, with a line feed at its end."""
    return _HEAD + "".join(_definition(name, form) for name, form in schema()["$defs"].items())


def _definition(name: str, form: dict[str, Any]) -> str:
    if "oneOf" in form and "properties" not in form:
        return (
            f"\nexport type {name} =\n  | "
            + "\n  | ".join(_type(one) for one in form["oneOf"])
            + ";\n"
        )
    fields = "".join(
        _field(key, one, is_needed=key in form["required"])
        for key, one in form["properties"].items()
    )
    return f"\n{_comment(form['description'])}export interface {name} {{\n{fields}}}\n"


def _comment(description: str) -> str:
    lines = textwrap.wrap(description, _LINE)
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "/**\n" + "".join(f" * {line}\n" for line in lines) + " */\n"


def _field(key: str, form: dict[str, Any], *, is_needed: bool) -> str:
    kind = "Position" if key == _POSITION else _type(form)
    return f"  {key}{'' if is_needed else '?'}: {kind};\n"


def _type(form: dict[str, Any]) -> str:
    if "$ref" in form:
        return str(form["$ref"]).rpartition("/")[2]
    if "enum" in form:
        return " | ".join(json.dumps(value) for value in form["enum"])
    if "anyOf" in form:
        return " | ".join(_type(one) for one in form["anyOf"])
    if form.get("contentEncoding") == "binary":
        return "Uint8Array"
    match form.get("type"):
        case "array" if form.get("minItems") == form.get("maxItems") == 2:
            return f"[{_type(form['items'])}, {_type(form['items'])}]"
        case "array":
            item = _type(form["items"])
            return f"({item})[]" if "|" in item and "[" not in item else f"{item}[]"
        case "object":
            return "Record<string, unknown>"
        case "integer":
            return "number"
        case "boolean" | "string" | "null" as kind:
            return str(kind)
        case None:
            return "unknown"
    raise AssertionError(f"the schema has a form that is not known here: {form}")


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")

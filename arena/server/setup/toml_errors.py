"""The errors of `tomllib`, which have no codes, in the words of the catalogues."""

import re
from typing import Final

from arena.words import Said, quoted

CONSTANT: Final = {
    "Expected '=' after a key in a key/value pair": "assign",
    "Invalid value": "value",
    "Unclosed array": "array",
    "Expected newline or end of document after a statement": "newline",
    "Expected ']' at the end of a table declaration": "table_end",
    "Expected ']]' at the end of an array declaration": "array_end",
    "Cannot overwrite a value": "overwrite",
    "Unterminated string": "string",
    "Unescaped '\\' in a string": "backslash",
    "Invalid statement": "statement",
    "Unclosed inline table": "inline_table",
    "Invalid initial character for a key part": "key",
    "Invalid hex value": "hex",
    "Escaped character is not a Unicode scalar value": "scalar",
    "Invalid date or datetime": "date",
}
ABOUT_A_SIGN: Final = {
    re.compile("Expected (.+)"): "expected",
    re.compile("Illegal character (.+)"): "character",
    re.compile("Found invalid character (.+)"): "invalid_character",
    re.compile("Cannot declare (.+) twice"): "declared",
    re.compile("Cannot mutate immutable namespace (.+)"): "immutable",
    re.compile("Cannot redefine namespace (.+)"): "redefined",
    re.compile("Duplicate inline table key (.+)"): "duplicate",
}
"""Errors that name a character or a key."""


def toml_reason(error: str) -> Said:
    """Say an error of `tomllib` without its place; an unknown one is quoted."""
    reason, _, _ = error.partition(" (at ")
    if reason in CONSTANT:
        return Said(f"toml_error.{CONSTANT[reason]}")
    for pattern, code in ABOUT_A_SIGN.items():
        match = pattern.fullmatch(reason)
        if match is not None:
            return Said(f"toml_error.{code}", {"sign": match[1]})
    lowered = reason[:1].lower() + reason[1:]
    return quoted(lowered)

"""Sentences for the errors of msgspec, which have no codes: why a line is not JSON of a record."""

import re
from typing import Final

from arena.words import Said, quoted
from arena.words.recognizing import recognize

_WHERE: Final = re.compile(r"(.+) - at `(.+)`", re.DOTALL)
_MALFORMED: Final = re.compile(r"JSON is malformed: (.+) \(byte (\d+)\)")
_WHY: Final = {
    "invalid character": "json.character",
    "trailing characters": "json.trailing",
    "invalid escape character in string": "json.escape",
}
_ERRORS: Final = (
    (re.compile("Input data was truncated"), "json.truncated"),
    (re.compile("Expected (?P<expected>.+), got (?P<found>.+)", re.DOTALL), "json.expected"),
    (re.compile("Expected (?P<kind>.+) of length (?P<length>.+)"), "json.of_length"),
    (re.compile("Expected (?P<kind>.+) matching regex (?P<pattern>.+)"), "json.matching"),
    (re.compile("Expected (?P<expected>.+)"), "json.limit"),
    (re.compile("Object missing required field (?P<field>.+)"), "json.missing_field"),
    (re.compile("Object contains unknown field (?P<field>.+)", re.DOTALL), "json.unknown_field"),
    (re.compile("Invalid value (?P<value>.+)", re.DOTALL), "json.invalid_value"),
    (re.compile("Invalid enum value (?P<value>.+)", re.DOTALL), "json.enum"),
)


def json_reason(error: Exception) -> Said:
    """Return a sentence for an error of msgspec; quote an error that is not in the tables."""
    if isinstance(error, UnicodeDecodeError):
        return Said("json.not_utf_8")
    if isinstance(error, RecursionError):
        return Said("json.deep")
    message = str(error)
    malformed = _MALFORMED.fullmatch(message)
    if malformed is not None:
        problem, byte = malformed.groups()
        why = quoted(problem)
        if problem in _WHY:
            why = Said(_WHY[problem])
        return Said("json.malformed", {"why": why, "byte": int(byte)})
    placed = _WHERE.fullmatch(message)
    if placed is not None:
        problem, place = placed.groups()
        return Said(
            "json.at",
            {
                "problem": recognize(problem, _ERRORS),
                "place": f"`{place}`",
            },
        )
    return recognize(message, _ERRORS)

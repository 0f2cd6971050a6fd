"""Why a line is not the JSON of a record: the errors of msgspec, which have no codes, as sentences."""

import re
from typing import Final

from arena.words import Said, quoted

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
    """Return what msgspec says of a line; an error that is not known as it stands."""
    if isinstance(error, UnicodeDecodeError):
        return Said("json.not_utf_8")
    if isinstance(error, RecursionError):
        return Said("json.deep")
    if malformed := _MALFORMED.fullmatch(str(error)):
        why = malformed[1]
        known = Said(_WHY[why]) if why in _WHY else quoted(why)
        return Said("json.malformed", {"why": known, "byte": int(malformed[2])})
    if at := _WHERE.fullmatch(str(error)):
        return Said("json.at", {"problem": _known(at[1]), "place": f"`{at[2]}`"})
    return _known(str(error))


def _known(problem: str) -> Said:
    for pattern, code in _ERRORS:
        if match := pattern.fullmatch(problem):
            return Said(code, match.groupdict())
    return quoted(problem)

"""Problems of a TOML text, in which line, and how its values are written."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final

_HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
_CURLY: Final = re.compile("[\u2018-\u201f]")
"""Quotes as word processors write them."""
_FIELD: Final = re.compile(r"""\s*(["']?)([\w-]+)\1\s*[=.]""")


class TomlPlaces:
    """The lines of sections and fields, as far as they can be told without reading the whole of TOML."""

    def __init__(self, text: str) -> None:
        self._lines: dict[tuple[str, str], int] = {}
        self._options: dict[tuple[str, str], str] = {}
        numbers: Counter[str] = Counter()
        section = ""
        for line, words in enumerate(text.splitlines(), 1):
            if header := _HEADER.match(words):
                section = f"[{header[2]}]"
                if header[1] == "[[":
                    numbers[header[2]] += 1
                    section = f"[{section}] number {numbers[header[2]]}"
                self._lines.setdefault((section, ""), line)
            elif field := _FIELD.match(words):
                self._lines.setdefault((section, field[2]), line)

    def give(self, section: str, field: str, option: str, *, is_new: bool = False) -> None:
        """Note that an option of the command line gives this field, and with `is_new` the section as well."""
        self._options[section, field] = option
        if is_new:
            self._options.setdefault((section, ""), option)

    def option_of(self, section: str, field: str = "") -> str | None:
        """Return the option that gives a field, or a section that is not in the file."""
        return self._options.get((section, field))

    def line_of(self, section: str, field: str = "") -> int | None:
        """The line of a field of a section such as `[clock]` or `[[bot]] number 2`, or else of the section."""
        name = section.strip("[]")
        table = f"[{name}.{field}]"  # a field that is a table of its own, `[tournament.ruleset]`
        many = f"[[{name}]] number 1"  # an unknown section
        for place in ((section, field), (table, ""), (section, ""), (many, ""), ("", name)):  # the last: `clock = 5`
            if place in self._lines:
                return self._lines[place]
        return None


def read_toml(text: str, tables: Collection[str], lists: Collection[str]) -> tuple[dict[str, Any], list[str]]:
    """The sections of a file, and what is wrong with it as a whole, each problem with its line.

    `tables` are sections that stand once, in single brackets; `lists` those that stand for each thing, in double ones.
    """
    wrong = _wrong_headers(text, tables, lists)
    told = [f"line {line}: {problem}" for line, problem in wrong.items()]
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = _line_of_error(str(error), text)
        if not (wrong and _HEADER.match(text.splitlines()[line - 1])):  # else it says the same in the words of TOML
            told.append(_in_plain_words(str(error), text, line))
        return {}, told
    kinds: dict[str, type] = dict.fromkeys(tables, dict) | dict.fromkeys(lists, list)
    is_misread = any(name in raw and not isinstance(raw[name], kind) for name, kind in kinds.items())
    return raw, told if is_misread else []


def _line_of_error(error: str, text: str) -> int:
    """The line of an error of TOML, which says "at end of document" of the last one; 1 of an empty text."""
    at = re.search(r"\(at line (\d+),", error)
    return int(at[1]) if at else max(1, len(text.rstrip().splitlines()))


def _in_plain_words(error: str, text: str, line: int) -> str:
    """An error of TOML with the line that it stands in, and what to write there if that can be told."""
    words = [*text.splitlines(), ""][line - 1].strip()
    reason, _, _ = error.partition(" (at ")
    told = f"line {line}: not TOML: {words}: {reason[:1].lower()}{reason[1:]}"
    name, equals, value = (part.strip() for part in words.partition("="))
    if _CURLY.search(words):
        advice = 'write straight quotes: "'
    elif "overwrite a value" in reason:
        advice = f"{name} is given a second time; leave one out"
    elif not equals and re.match(r"[\w-]+\s*:", words):
        name, _, value = (part.strip() for part in words.partition(":"))
        advice = f"write {name} = {value}"
    elif "\\" in value:
        advice = f"write each \\ twice, or put the text in single quotes: {name} = '{value.strip(chr(34))}'"
    elif equals and re.match(r"[^\W\d_]", value):
        advice = f'put a text in quotes: {name} = "{value}"'
    elif value[:1] in ("'", '"') and value.count(value[0]) % 2:
        advice = "a text ends with the quote with which it begins, in the same line"
    else:
        return told
    return f"{told}; {advice}"


def _wrong_headers(text: str, tables: Collection[str], lists: Collection[str]) -> dict[int, str]:
    found: dict[int, str] = {}
    first: dict[str, int] = {}
    for line, words in enumerate(text.splitlines(), 1):
        header = _HEADER.match(words)
        name = header[2] if header else ""
        if header is None or name not in {*tables, *lists}:
            continue
        if name in lists and header[1] == "[":
            found[line] = f"[{name}] has single brackets; write [[{name}]], which stands once for each {name}"
        elif name in tables and header[1] == "[[":
            found[line] = f"[[{name}]] has double brackets; write [{name}], which stands once"
        elif name in tables and name in first:
            found[line] = f"[{name}] stands a second time; put its fields under the [{name}] of line {first[name]}"
        first.setdefault(name, line)
    return found


def toml_value(value: object) -> str:
    """A value as TOML has it, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return repr(value)
    if isinstance(value, list):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name} = {toml_value(one)}' for name, one in value.items())}}}"
    return str(value)


class Problems:
    """Problems of a file, each with the line in which it is, if that is known."""

    def __init__(self, places: TomlPlaces) -> None:
        self._places = places
        self._found: list[tuple[int | None, str]] = []

    @property
    def number(self) -> int:
        """Number of problems."""
        return len(self._found)

    def add(self, problem: str, section: str = "", field: str = "") -> None:
        """A problem of a field or section, as `TomlPlaces` names them."""
        if option := self._places.option_of(section, field):
            self._found.append((None, f"{option}: {problem}"))
        else:
            self._found.append((self._places.line_of(section, field), problem))

    def by_line(self) -> list[str]:
        """All of them in the order of their lines; last those without one, which often follow from the others."""
        found = sorted(self._found, key=lambda one: (one[0] is None, one[0] or 0))
        return [problem if line is None else f"line {line}: {problem}" for line, problem in found]

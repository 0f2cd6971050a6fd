"""Problems of a tournament file, each with its line or the option that gave the field."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

MOST_TOLD: Final = 20
"""Problems that are told one by one; of others only how many there are."""
LONGEST_TOLD: Final = 1000
"""Characters of a problem, which may quote what somebody else has written."""
HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
"""The line that begins a section."""
_FIELD: Final = re.compile(r"""\s*(["']?)([\w-]+)\1\s*[=.]""")

Sentence = str | Callable[[], str]
"""A problem, or what makes its sentence if it is told."""


def first_problems(problems: Sequence[Sentence]) -> list[str]:
    """Return the first problems, and how many more there are."""
    first = [shortened(_sentence_of(problem)) for problem in problems[:MOST_TOLD]]
    more = len(problems) - len(first)
    if more:
        first.append(f"and {more:,} more")
    return first


def shortened(text: str) -> str:
    """Return a text without the middle if it is too long; what to do often stands at its end."""
    if len(text) <= LONGEST_TOLD:
        return text
    half = LONGEST_TOLD // 2
    return f"{text[:half]} ... {text[-half:]}"


class Problems:
    """Problems of a file, each with its line as far as that can be told without reading the whole of TOML."""

    def __init__(self, text: str) -> None:
        self._found: list[tuple[int | None, Sentence]] = []
        self._lines: dict[tuple[str, str], int] = {}
        self._options: dict[tuple[str, str], str] = {}
        numbers: Counter[str] = Counter()
        section = ""
        for line, words in enumerate(text.split("\n"), 1):
            if header := HEADER.match(words):
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

    @property
    def number(self) -> int:
        """Number of problems."""
        return len(self._found)

    def add(self, problem: Sentence, section: str = "", field: str = "") -> None:
        """A problem of a field of a section such as `[clock]` or `[[bot]] number 2`, or of the section."""
        if option := self._options.get((section, field)):
            self._found.append((None, partial(_with, f"{option}: ", problem)))
            return
        line = self._line_of(section, field)
        place = "" if line is None else f"line {line}: "
        self._found.append((line, partial(_with, place, problem)))

    def by_line(self) -> list[Sentence]:
        """All of them in the order of their lines; last those without one, which often follow from the others."""
        found = sorted(self._found, key=lambda one: (one[0] is None, one[0] or 0))
        return [problem for _, problem in found]

    def _line_of(self, section: str, field: str) -> int | None:
        name = section.strip("[]")
        table = f"[{name}.{field}]"  # a field that is a table of its own, `[tournament.ruleset]`
        many = f"[[{name}]] number 1"  # an unknown section
        for place in ((section, field), (table, ""), (section, ""), (many, ""), ("", name)):  # the last: `clock = 5`
            if place in self._lines:
                return self._lines[place]
        return None


def _with(place: str, problem: Sentence) -> str:
    return place + _sentence_of(problem)


def _sentence_of(problem: Sentence) -> str:
    return problem if isinstance(problem, str) else problem()

"""Problems of a tournament file, each with its line or the option that gave the field."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from arena.words import Said, say

MOST_TOLD: Final = 20
"""Problems that are told one by one; of others only how many there are."""
LONGEST_TOLD: Final = 1000
"""Characters of a problem, which may quote what somebody else has written."""
LONGEST_VALUE: Final = 300
"""Characters of each text in a longer problem."""
MOST_LISTED: Final = 3
"""Names from either end of a list in a longer problem."""
HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
"""The line that begins a section."""
_FIELD: Final = re.compile(r"""\s*(["']?)([\w-]+)\1\s*[=.]""")

Problem = Said | Callable[[], Said]
"""A problem, or what looks for it if it is told: the nearest name takes long among thousands of
problems."""


def first_problems(problems: Sequence[Problem]) -> list[Said]:
    """Return the first problems, and how many more there are."""
    first = [shortened(_said(problem)) for problem in problems[:MOST_TOLD]]
    more = len(problems) - len(first)
    if more:
        first.append(Said("plan.more", {"count": more}))
    return first


def shortened(problem: Said) -> Said:
    """Return a problem without the middle of its texts if it is too long."""
    if len(say(problem)) <= LONGEST_TOLD:
        return problem
    return Said(
        problem.code, {name: _shortened_value(value) for name, value in problem.values.items()}
    )


def _shortened_value(value: Any) -> Any:
    if isinstance(value, Said):
        return Said(
            value.code, {name: _shortened_value(inner) for name, inner in value.values.items()}
        )
    if isinstance(value, str) and len(value) > LONGEST_VALUE:
        half = LONGEST_VALUE // 2
        return f"{value[:half]} ... {value[-half:]}"
    if isinstance(value, list | tuple):
        if len(value) > 2 * MOST_LISTED:
            value = [*value[:MOST_LISTED], "...", *value[-MOST_LISTED:]]
        return [_shortened_value(one) for one in value]
    return value


class Problems:
    """Problems of a file, each with its line as far as that can be told without reading the whole of TOML."""

    def __init__(self, text: str) -> None:
        self._found: list[tuple[int | None, Problem]] = []
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

    def add(self, problem: Problem, section: str = "", field: str = "") -> None:
        """A problem of a field of a section such as `[clock]` or `[[bot]] number 2`, or of the section."""
        if option := self._options.get((section, field)):
            self._found.append((None, partial(_at, option, problem)))
            return
        line = self._line_of(section, field)
        if line is not None:
            problem = partial(in_line, line, problem)
        self._found.append((line, problem))

    def by_line(self) -> list[Problem]:
        """All of them in the order of their lines; last those without one, which often follow from the others."""
        found = sorted(self._found, key=lambda one: (one[0] is None, one[0] or 0))
        return [problem for _, problem in found]

    def _line_of(self, section: str, field: str) -> int | None:
        name = section.strip("[]")
        table = f"[{name}.{field}]"  # a field that is a table of its own, `[tournament.ruleset]`
        many = f"[[{name}]] number 1"  # an unknown section
        for place in (
            (section, field),
            (table, ""),
            (section, ""),
            (many, ""),
            ("", name),
        ):  # the last: `clock = 5`
            if place in self._lines:
                return self._lines[place]
        return None


def section_in_words(section: str) -> Said | str:
    """Say which section it is; those that stand for each thing have a number."""
    name, _, number = section.partition(" number ")
    return Said("plan.numbered", {"section": name, "number": int(number)}) if number else section


def in_line(line: int, problem: Problem) -> Said:
    """Say a problem with its line."""
    return _at(Said("plan.line", {"line": line}), problem)


def _at(place: Said | str, problem: Problem) -> Said:
    return Said("plan.at", {"place": place, "problem": _said(problem)})


def _said(problem: Problem) -> Said:
    return problem if isinstance(problem, Said) else problem()

"""Problems of a tournament file, each with its line or the option that gave the field."""

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from arena.words import ProblemsError, Said, say

MOST_TOLD: Final = 20
"""Problems that are reported one by one; the others are only counted."""
LONGEST_TOLD: Final = 1000
"""Characters of a problem, which may quote a file from elsewhere."""
LONGEST_VALUE: Final = 300
"""Characters of each text in a longer problem."""
MOST_LISTED: Final = 3
"""Names from either end of a list in a longer problem."""
HEADER: Final = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]")
"""The line that begins a section."""
_FIELD: Final = re.compile(r"""\s*(["']?)([\w-]+)\1\s*[=.]""")

Problem = Said | Callable[[], Said]
"""A problem, or a function that makes it when it is reported.

The search for the nearest name takes long among thousands of problems.
"""


class _Located(NamedTuple):
    """A problem with its line, if it has one."""

    line: int | None
    problem: Problem


def first_problems(problems: Sequence[Problem]) -> list[Said]:
    """Return the first problems, and how many more there are."""
    first = [shortened(_said(problem)) for problem in problems[:MOST_TOLD]]
    more = len(problems) - len(first)
    if more:
        first.append(Said("plan.more", {"count": more}))
    return first


class FileProblemsError(ProblemsError, ValueError):
    """A file of the operator cannot be used; says the first problems."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(first_problems(problems), between="list.lines")


def shortened(problem: Said) -> Said:
    """Return a problem without the middle of its texts if it is too long."""
    if len(say(problem)) <= LONGEST_TOLD:
        return problem
    return _with_short_values(problem)


def _with_short_values(problem: Said) -> Said:
    values = {name: _shortened_value(fact) for name, fact in problem.values.items()}
    return Said(problem.code, values)


def _shortened_value(fact: Any) -> Any:
    """Return a value of a message without the middle of long texts and lists."""
    if isinstance(fact, Said):
        return _with_short_values(fact)
    if isinstance(fact, str) and len(fact) > LONGEST_VALUE:
        half = LONGEST_VALUE // 2
        return f"{fact[:half]} ... {fact[-half:]}"
    if isinstance(fact, list | tuple):
        if len(fact) > 2 * MOST_LISTED:
            fact = [*fact[:MOST_LISTED], "...", *fact[-MOST_LISTED:]]
        return [_shortened_value(entry) for entry in fact]
    return fact


class Problems:
    """Problems of a file, each with its line if that is clear without reading all of TOML."""

    def __init__(self, text: str) -> None:
        self._problems: list[_Located] = []
        self._lines: dict[tuple[str, str], int] = {}
        self._options: dict[tuple[str, str], str] = {}
        numbers: Counter[str] = Counter()
        section = ""
        for line, words in enumerate(text.split("\n"), 1):
            header = HEADER.match(words)
            if header is not None:
                brackets, name = header.groups()
                section = f"[{name}]"
                if brackets == "[[":
                    numbers[name] += 1
                    section = f"[[{name}]] number {numbers[name]}"
                self._lines.setdefault((section, ""), line)
                continue
            field = _FIELD.match(words)
            if field is not None:
                self._lines.setdefault((section, field[2]), line)

    def give(
        self,
        section: str,
        field: str,
        option: str,
        *,
        is_new: bool = False,
    ) -> None:
        """Note that an option of the command line gives this field.

        With `is_new` it gives the section as well.
        """
        self._options[section, field] = option
        if is_new:
            self._options.setdefault((section, ""), option)

    @property
    def number(self) -> int:
        """Number of problems."""
        return len(self._problems)

    def add(
        self,
        problem: Problem,
        section: str = "",
        field: str = "",
    ) -> None:
        """Add a problem of a section such as `[clock]` or `[[bot]] number 2`, or of its field."""
        option = self._options.get((section, field))
        if option:
            self._problems.append(_Located(None, partial(_at, option, problem)))
            return
        line = self._line_of(section, field)
        if line is not None:
            problem = partial(in_line, line, problem)
        self._problems.append(_Located(line, problem))

    def by_line(self) -> list[Problem]:
        """Return all problems in the order of their lines.

        Those without a line come last: they often follow from the others.
        """
        ordered = sorted(self._problems, key=_line_or_last)
        return [located.problem for located in ordered]

    def _line_of(
        self,
        section: str,
        field: str,
    ) -> int | None:
        """Return the line of a field, or of the nearest thing with a line; None without one."""
        name = section.strip("[]")
        places = (
            (section, field),
            (f"[{name}.{field}]", ""),  # a field that is a table, `[tournament.ruleset]`
            (section, ""),
            (f"[[{name}]] number 1", ""),  # an unknown section
            ("", name),  # `clock = 5`
        )
        for place in places:
            if place in self._lines:
                return self._lines[place]
        return None


def _line_or_last(located: _Located) -> float:
    if located.line is None:
        return math.inf
    return located.line


def section_in_words(section: str) -> Said | str:
    """Say which section it is; with its number if it may stand several times."""
    name, _, number = section.partition(" number ")
    if not number:
        return section
    return Said("plan.numbered", {"section": name, "number": int(number)})


def in_line(line: int, problem: Problem) -> Said:
    """Say a problem with its line."""
    return _at(Said("plan.line", {"line": line}), problem)


def _at(place: Said | str, problem: Problem) -> Said:
    return Said("plan.at", {"place": place, "problem": _said(problem)})


def _said(problem: Problem) -> Said:
    if isinstance(problem, Said):
        return problem
    return problem()

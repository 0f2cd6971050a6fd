"""A fixture: two entrants, their seats and their round; and the names of entrants, which form its id."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from sys import intern
from typing import TYPE_CHECKING

from arena.tournaments.errors import TournamentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAME_MAX_CHARS = 32
"""The longest name of an entrant, in characters: two of them and a round fit any file system."""

_NAME = re.compile(rf"[a-z][a-z0-9_-]{{0,{NAME_MAX_CHARS - 1}}}")
_FIXTURE = re.compile(r"r([1-9][0-9]{0,5})-(.+?)-v-(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A match of the schedule: its round (from 1), and the entrants at seat 1 and seat 2."""

    round: int
    first: str
    second: str

    @property
    def id(self) -> str:
        """The fixture's readable name, the same in files, logs and on screen: "r2-anna-v-bo"."""
        return f"r{self.round}-{self.first}-v-{self.second}"

    @property
    def entrants(self) -> frozenset[str]:
        """Both entrants, without regard to seats."""
        return frozenset((self.first, self.second))


def moved(fixtures: Iterable[Fixture], rounds: int) -> tuple[Fixture, ...]:
    """The same fixtures so many rounds later."""
    return tuple(replace(fixture, round=fixture.round + rounds) for fixture in fixtures)


def parse_fixture(text: str) -> Fixture:
    """Parse a fixture's id; the exact inverse of `Fixture.id`. Raises TournamentError if it is not one."""
    match = _FIXTURE.fullmatch(text)
    if match is None:
        raise TournamentError([f"{text!r} is not a fixture; expected something like 'r2-anna-v-bo'"])
    fixture = Fixture(round=int(match[1]), first=intern(match[2]), second=intern(match[3]))
    found = entrant_problems((fixture.first, fixture.second))
    if found:
        raise TournamentError(f"{text!r} is not a fixture: {problem}" for problem in found)
    return fixture


def entrant_problems(entrants: Sequence[str]) -> tuple[str, ...]:
    """Return what is wrong with the names of entrants, one sentence each; empty if nothing is.

    A name starts with a letter and has 1 to 32 of a-z, 0-9, "-" and "_". It neither contains "-v-" nor ends in "-v", so
    that a fixture's id can be read in one way only. No name occurs twice.
    """
    found = []
    for name in dict.fromkeys(entrants):
        if not _NAME.fullmatch(name):
            found.append(f"{name!r} is not a name: use 1 to {NAME_MAX_CHARS} of a-z, 0-9, '-' and '_', a letter first")
        if "-v-" in name or name.endswith("-v"):
            found.append(f"{name!r} is not a name: '-v-' parts the names of a fixture; none may hold it or end in '-v'")
        count = sum(other == name for other in entrants)
        if count > 1:
            found.append(f"{name!r} is entered {count} times; give each entrant a name of its own")
    return tuple(found)

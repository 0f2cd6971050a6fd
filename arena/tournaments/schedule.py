"""Who meets whom, in which round and at which seat: the round robin (M3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.tournaments.errors import TournamentError

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME_MAX_CHARS = 32
"""Longest name of an entrant, in characters: two of them and a round still fit any file system."""

_NAME = re.compile(rf"[a-z][a-z0-9_-]{{0,{NAME_MAX_CHARS - 1}}}")
_FIXTURE = re.compile(r"r([1-9][0-9]{0,5})-(.+?)-v-(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A match that is to be played: its round (from 1), and who sits at seat 1 and at seat 2."""

    round: int
    first: str
    second: str

    @property
    def id(self) -> str:
        """The fixture's readable name, the same in files, logs and on screen: "r2-anna-v-bo"."""
        return f"r{self.round}-{self.first}-v-{self.second}"

    @property
    def entrants(self) -> frozenset[str]:
        """Both entrants, whoever has which seat."""
        return frozenset((self.first, self.second))


def parse_fixture(text: str) -> Fixture:
    """Read a fixture's id back; the exact inverse of `Fixture.id`. Raises TournamentError if none."""
    match = _FIXTURE.fullmatch(text)
    if match is None:
        raise TournamentError([f"{text!r} is not a fixture; expected something like 'r2-anna-v-bo'"])
    fixture = Fixture(round=int(match[1]), first=match[2], second=match[3])
    found = entrant_problems((fixture.first, fixture.second))
    if found:
        raise TournamentError(f"{text!r} is not a fixture: {problem}" for problem in found)
    return fixture


def round_robin(entrants: Sequence[str], cycles: int = 1) -> tuple[Fixture, ...]:
    """Every pair meets once a cycle, each entrant plays at most once a round (M3); ordered by round.

    The circle method in the order of Berger's tables, so that seats alternate. In an odd field each entrant
    has one bye a cycle. Over the whole schedule an entrant's two seats differ by at most one match, and the
    seats of a pair are swapped from one cycle to the next. The order of `entrants` is the order of drawing.

    Raises TournamentError with everything `round_robin_problems` finds.
    """
    found = round_robin_problems(entrants, cycles)
    if found:
        raise TournamentError(found)
    rounds = _one_cycle(entrants)
    fixtures = []
    for cycle in range(cycles):
        for number, pairs in enumerate(rounds, cycle * len(rounds) + 1):
            for pair in pairs:
                first, second = pair if cycle % 2 == 0 else reversed(pair)
                fixtures.append(Fixture(round=number, first=first, second=second))
    return tuple(fixtures)


def round_robin_problems(entrants: Sequence[str], cycles: int = 1) -> tuple[str, ...]:
    """Say everything that keeps a field from being scheduled, one sentence each; empty if nothing does."""
    found = list(entrant_problems(entrants))
    if len(entrants) < 2:
        found.append(f"a round robin needs at least 2 entrants, found {len(entrants)}")
    if cycles < 1:
        found.append(f"a round robin needs at least 1 cycle, found {cycles}")
    return tuple(found)


def entrant_problems(entrants: Sequence[str]) -> tuple[str, ...]:
    """Say what is wrong with the names of a field, one sentence each; empty if nothing is.

    A name starts with a letter and has 1 to 32 of a-z, 0-9, "-" and "_". It neither contains "-v-" nor ends
    in "-v", so that a fixture's id can be taken apart in one way only. No name occurs twice.
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


def _one_cycle(entrants: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Pair a field by the circle method: one list of (seat 1, seat 2) for each round.

    All but the last of an even field sit on a circle of odd size. In the round of circle place `top`, whoever
    sits there meets the last entrant, and those equally far from it on either side meet each other; the one
    clockwise of it has seat 1. So everybody on the circle has each seat equally often against the others on
    it, and the one match against the last entrant makes a difference of one. In an odd field everybody is on
    the circle and `top` has the bye.
    """
    size = len(entrants) - 1 if len(entrants) % 2 == 0 else len(entrants)
    rounds = []
    for number in range(size):
        top = number * (size + 1) // 2 % size  # steps of half the circle: the seats of each entrant alternate
        pairs = []
        if size < len(entrants):
            pair = (entrants[top], entrants[-1])
            pairs.append(pair if number % 2 == 0 else pair[::-1])
        for distance in range(1, (size + 1) // 2):
            pair = (entrants[(top + distance) % size], entrants[(top - distance) % size])
            pairs.append(pair)
        rounds.append(pairs)
    return rounds

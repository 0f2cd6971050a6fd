"""Fixtures and drawn rounds: who meets whom, at which seat, and who has a point without a match."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import Final

from arena.tournaments import TournamentError
from arena.tournaments.names import entrant_problems
from arena.words import Said

RUN_ID: Final = "[a-z0-9][a-z0-9-]{0,31}"
"""The pattern of a run's id."""
_FIXTURE = re.compile(rf"(?:({RUN_ID})\.)?r([1-9][0-9]{{0,5}})-(.+?)-v-(.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A match of the schedule: its round (from 1), and the entrants at seat 1 and seat 2."""

    round: int
    first: str
    second: str
    run: str = ""
    """The id of its run; empty if the run has none."""

    @property
    def id(self) -> str:
        """The fixture's readable name, the same in files, logs and on screen: "r2-anna-v-bo", or "cup.r2-anna-v-bo"."""
        name = f"r{self.round}-{self.first}-v-{self.second}"
        return f"{self.run}.{name}" if self.run else name

    @property
    def entrants(self) -> frozenset[str]:
        """Both entrants, without regard to seats."""
        return frozenset((self.first, self.second))


def moved(fixtures: Iterable[Fixture], rounds: int) -> tuple[Fixture, ...]:
    """The same fixtures so many rounds later."""
    return tuple(replace(fixture, round=fixture.round + rounds) for fixture in fixtures)


def parse_fixture(text: str) -> Fixture:
    """Parse a fixture's id; the exact inverse of `Fixture.id`.

    Raises TournamentError if it is not one.
    """
    match = _FIXTURE.fullmatch(text)
    if match is None:
        raise TournamentError([Said("result.no_fixture", {"text": repr(text)})])
    run, number, first, second = match.groups()
    fixture = Fixture(
        round=int(number), first=intern(first), second=intern(second), run=intern(run or "")
    )
    found = entrant_problems((fixture.first, fixture.second))
    if found:
        raise TournamentError(
            Said("result.bad_fixture", {"text": repr(text), "problem": problem})
            for problem in found
        )
    return fixture


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round that was drawn after the one before it was over: its fixtures, and its byes.

    `number` counts from 1. Fixtures are in the order of play, byes in the order of the drawing.
    """

    number: int
    fixtures: tuple[Fixture, ...]
    byes: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """All entrants in it, with a bye or without."""
        return frozenset(self.byes).union(*(fixture.entrants for fixture in self.fixtures))


def free_rounds(
    rounds: Sequence[Round], decided: Collection[str], withdrawn: Collection[str]
) -> Counter[str]:
    """In how many rounds each entrant has a point without a match: by a bye, or because its opponent withdrew.

    `decided` names the fixtures that are settled or void for good. Any other fixture with a
    withdrawn entrant is a walkover for its opponent.
    """
    free = Counter(name for each in rounds for name in each.byes)
    for fixture in (fixture for each in rounds for fixture in each.fixtures):
        if fixture.id not in decided:
            free[fixture.first] += fixture.second in withdrawn
            free[fixture.second] += fixture.first in withdrawn
    return free


def seated(
    number: int, pairs: Iterable[tuple[str, str]], earlier: Sequence[Round]
) -> tuple[Fixture, ...]:
    """The fixtures of a round, with a seat for each entrant.

    Seat 1 goes to the one that had it less often, minus how often it had seat 2; then to the one
    that had seat 2 last. If that is equal as well, to the first of the pair at tables 1, 3, 5 ...
    and to the second at the others.
    """
    balance: Counter[str] = Counter()
    last: Counter[str] = Counter()
    for fixture in (fixture for each in earlier for fixture in each.fixtures):
        balance.update({fixture.first: 1, fixture.second: -1})
        last[fixture.first], last[fixture.second] = 1, -1
    fixtures = []
    for table, (one, other) in enumerate(pairs, 1):
        mine, theirs = (balance[one], last[one]), (balance[other], last[other])
        has_seat_1 = mine < theirs or (mine == theirs and table % 2 == 1)
        first, second = (one, other) if has_seat_1 else (other, one)
        fixtures.append(Fixture(round=number, first=first, second=second))
    return tuple(fixtures)

"""Fixtures and drawn rounds: who meets, at which seat, and who has a point without a match."""

import re
from collections import Counter
from collections.abc import (
    Collection,
    Iterable,
    Sequence,
)
from dataclasses import dataclass, replace
from sys import intern
from typing import Final

from arena.tournaments import TournamentError
from arena.tournaments.names import entrant_problems
from arena.words import Said

RUN_ID: Final = "[a-z0-9][a-z0-9-]{0,31}"
"""The pattern of a run's id."""
_FIXTURE = re.compile(rf"(?:({RUN_ID})\.)?r([1-9][0-9]{{0,5}})-(.+?)-v-(.+)")


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Fixture:
    """A match of the schedule: its round (from 1), and the entrants at seat 1 and seat 2."""

    round: int
    first: str
    second: str
    run: str = ""
    """The id of its run; empty if the run has none."""

    @property
    def id(self) -> str:
        """The name in files, logs and on screen: "r2-anna-v-bo", or "cup.r2-anna-v-bo"."""
        name = f"r{self.round}-{self.first}-v-{self.second}"
        if not self.run:
            return name
        return f"{self.run}.{name}"

    @property
    def entrants(self) -> frozenset[str]:
        """Both entrants, without regard to seats."""
        return frozenset((self.first, self.second))


def move_by_rounds(fixtures: Iterable[Fixture], rounds: int) -> tuple[Fixture, ...]:
    """Return the same fixtures, this number of rounds later."""
    return tuple(replace(fixture, round=fixture.round + rounds) for fixture in fixtures)


def parse_fixture(text: str) -> Fixture:
    """Parse a fixture's id; the exact inverse of `Fixture.id`.

    Raises TournamentError if it is not one.
    """
    match = _FIXTURE.fullmatch(text)
    if match is None:
        raise TournamentError([Said("result.no_fixture", {"text": repr(text)})])
    run, number, first, second = match.groups()
    problems = []
    for problem in entrant_problems((first, second)):
        bad_name = {"text": repr(text), "problem": problem}
        problems.append(Said("result.bad_fixture", bad_name))
    if problems:
        raise TournamentError(problems)
    return Fixture(
        round=int(number),
        first=intern(first),
        second=intern(second),
        run=intern(run or ""),
    )


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
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
        names = set(self.byes)
        for fixture in self.fixtures:
            names |= fixture.entrants
        return frozenset(names)


def fixtures_of(rounds: Iterable[Round]) -> list[Fixture]:
    """Return the fixtures of all rounds, in the order of play."""
    fixtures: list[Fixture] = []
    for round_ in rounds:
        fixtures += round_.fixtures
    return fixtures


def free_rounds(
    rounds: Sequence[Round],
    decided: Collection[str],
    withdrawn: Collection[str],
) -> Counter[str]:
    """Count the rounds in which each entrant has a point without a match.

    It has one by a bye, or because its opponent withdrew.
    `decided` names the fixtures that are settled or void for good. Any other fixture with a
    withdrawn entrant is a walkover for its opponent.
    """
    free = Counter[str]()
    for round_ in rounds:
        free.update(round_.byes)
    for fixture in fixtures_of(rounds):
        if fixture.id not in decided:
            free[fixture.first] += fixture.second in withdrawn
            free[fixture.second] += fixture.first in withdrawn
    return free


def seat_pairs(
    number: int,
    pairs: Iterable[tuple[str, str]],
    earlier: Sequence[Round],
) -> tuple[Fixture, ...]:
    """Return the fixtures of a round, with a seat for each entrant.

    Seat 1 goes to the entrant that had it less often, minus how often it had seat 2; then to the
    one that had seat 2 last. If that is equal as well, to the first of the pair at tables 1, 3, 5
    ... and to the second at the others.
    """
    balance = Counter[str]()
    last = Counter[str]()
    for fixture in fixtures_of(earlier):
        balance[fixture.first] += 1
        balance[fixture.second] -= 1
        last[fixture.first] = 1
        last[fixture.second] = -1
    fixtures = []
    for table, (first, second) in enumerate(pairs, 1):
        first_history = (balance[first], last[first])
        second_history = (balance[second], last[second])
        is_level = first_history == second_history
        if second_history < first_history or (is_level and table % 2 == 0):
            first, second = second, first
        fixtures.append(
            Fixture(
                round=number,
                first=first,
                second=second,
            )
        )
    return tuple(fixtures)

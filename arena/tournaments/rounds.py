"""A drawn round, and the seats and free points that follow from it, in formats that draw rounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.tournaments.schedule import Fixture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


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
        return frozenset(self.byes).union(*({fixture.first, fixture.second} for fixture in self.fixtures))


def free_rounds(rounds: Sequence[Round], decided: Collection[str], withdrawn: Collection[str]) -> Counter[str]:
    """In how many rounds each entrant has a point without a match: by a bye, or because its opponent withdrew.

    `decided` names the fixtures that are settled or void for good. Any other fixture with a withdrawn entrant is a
    walkover for its opponent.
    """
    free = Counter(name for each in rounds for name in each.byes)
    for fixture in (fixture for each in rounds for fixture in each.fixtures):
        if fixture.id not in decided:
            free[fixture.first] += fixture.second in withdrawn
            free[fixture.second] += fixture.first in withdrawn
    return free


def seated(number: int, pairs: Iterable[tuple[str, str]], earlier: Sequence[Round]) -> tuple[Fixture, ...]:
    """The fixtures of a round, with a seat for each entrant.

    Seat 1 goes to the one that had it less often, minus how often it had seat 2; then to the one that had seat 2 last.
    If that is equal as well, to the first of the pair at tables 1, 3, 5 ... and to the second at the others.
    """
    balance: Counter[str] = Counter()
    last: Counter[str] = Counter()
    for fixture in (fixture for each in earlier for fixture in each.fixtures):
        balance.update({fixture.first: 1, fixture.second: -1})
        last[fixture.first], last[fixture.second] = 1, -1
    fixtures = []
    for table, (one, other) in enumerate(pairs, 1):
        ahead = (balance[other], last[other]) > (balance[one], last[one])
        behind = (balance[other], last[other]) < (balance[one], last[one])
        has_seat_1 = ahead or (not behind and table % 2 == 1)
        first, second = (one, other) if has_seat_1 else (other, one)
        fixtures.append(Fixture(round=number, first=first, second=second))
    return tuple(fixtures)

"""A round as it was drawn, and what follows from it for seats and free points, in formats that draw rounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.tournaments.schedule import Fixture

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A round that was drawn when the one before it was over: its fixtures, and who has a bye in it.

    `number` counts from 1. Fixtures stand in the order of play, byes in the order of the drawing.
    """

    number: int
    fixtures: tuple[Fixture, ...]
    byes: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Everybody who is in it, with a bye or without."""
        return frozenset(self.byes).union(*({fixture.first, fixture.second} for fixture in self.fixtures))


def free_rounds(rounds: Sequence[Round], decided: Collection[str], withdrawn: Collection[str]) -> Counter[str]:
    """In how many rounds each entrant has a point without a match: by a bye, or since its opponent withdrew.

    `decided` names the fixtures that are settled or void for good; a fixture that is not, and one of whose
    entrants is withdrawn, is a walkover for the other.
    """
    free = Counter(name for each in rounds for name in each.byes)
    for fixture in (fixture for each in rounds for fixture in each.fixtures):
        if fixture.id not in decided:
            free[fixture.first] += fixture.second in withdrawn
            free[fixture.second] += fixture.first in withdrawn
    return free


def seated(number: int, pairs: Iterable[tuple[str, str]], earlier: Sequence[Round]) -> tuple[Fixture, ...]:
    """The fixtures of a round: who of each pair has seat 1.

    The one who had seat 1 less often, seat 2 counted against it; then the one who had seat 2 last. If that is
    level as well, the first of the pair at tables 1, 3, 5 ... and the second of it at the others.
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

"""Short races and their exact tables: both sides have a few checkers left, all in Q4 (B7). docs/races.md says more.

Nobody meets anybody any more, so what a side can play depends on its own checkers and the roll alone. Only which turn
is best depends on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, NamedTuple

import numpy as np

from arena.analysis.arrays import Array, Counts, Flags, Floats
from arena.analysis.sides import SLOTS
from arena.games.tables.board import BOUND, CHECKERS, OFF
from arena.games.tables.ruleset import BearingOff, Ruleset

LEFT: Final = 5
"""Checkers of a side in the shipped tables, at most. With six, each would take 1.7 MB and not 0.4 MB."""
FIRST: Final = 19
"""The first point of Q4."""
CERTAIN: Final = 65_535
"""How a table writes the probability 1; so it is wrong by less than 0.000008."""

Placement = tuple[int, ...]
"""One side's checkers on 19, 20, 21, 22, 23 and 24; all others are off."""


class RaceRules(NamedTuple):
    """The fields of a ruleset that decide how a short race is played. The tests say why no other field does."""

    bearing_off: BearingOff
    least_waste: bool
    winning_turn_is_exempt: bool


TABLES: Final[Mapping[str, RaceRules]] = {
    "races-rearmost": RaceRules(bearing_off="rearmost", least_waste=True, winning_turn_is_exempt=True),
    "races-any": RaceRules(bearing_off="any", least_waste=False, winning_turn_is_exempt=True),
    "races-exact": RaceRules(bearing_off="exact", least_waste=False, winning_turn_is_exempt=False),
}
"""The shipped tables, and the rules each is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceTable:
    """Chances of the side about to roll to bear off first, for every two placements; both sides play to win."""

    name: str
    rules: RaceRules
    checkers: int
    """The most that either side may have left."""
    values: Array
    """Shape (placements, placements), 16-bit: first the side about to roll, then the one that has just moved."""

    def fits(self, rules: Ruleset) -> bool:
        """Return whether a race under the ruleset is played as in the table."""
        # B6.1: with so few checkers a side can close half as many points, and no longer prime
        no_limit = rules.longest_prime is None or rules.longest_prime >= self.checkers // 2
        return no_limit and race_rules(rules) == self.rules

    def covers(self, counts: Counts) -> Flags:
        """Return which positions are in the table.

        Each side then has checkers off: no handsome game (B8), no gammon (G6). B11.3: nobody is bound to single dice.
        """
        return np.asarray(self._is_short(counts[:, :SLOTS]) & self._is_short(counts[:, SLOTS:]))

    def chances(self, counts: Counts) -> Floats:
        """Return the chance of the side about to roll to bear off first, for covered positions; shape (positions,)."""
        has_moved, rolls = self._places(counts[:, :SLOTS]), self._places(counts[:, SLOTS:])
        return np.asarray(self.values[rolls, has_moved] / np.float32(CERTAIN), dtype=np.float32)

    def _is_short(self, side: Counts) -> Flags:
        off = side[:, OFF]
        in_q4 = side[:, FIRST:OFF].sum(axis=1, dtype=np.uint8)
        return np.asarray((off >= CHECKERS - self.checkers) & (in_q4 + off == CHECKERS) & (side[:, BOUND] == 0))

    def _places(self, side: Counts) -> Array:
        base = self.checkers + 1
        codes = side[:, FIRST:OFF].astype(np.int32) @ (base ** np.arange(OFF - FIRST, dtype=np.int32))
        return np.asarray(_places_by_code(self.checkers)[codes])


def race_rules(rules: Ruleset) -> RaceRules:
    """The fields of a ruleset that decide how a short race is played."""
    return RaceRules(*(getattr(rules, field) for field in RaceRules._fields))


def pips_of(placement: Placement) -> int:
    """B7.2: the pips that a side still has to go."""
    return sum(number * (OFF - point) for point, number in enumerate(placement, FIRST))


@cache
def placements(checkers: int) -> Sequence[Placement]:
    """Every placement of at most so many checkers, by pips; all off comes first. A table numbers them so."""
    found = [counts for counts in product(range(checkers + 1), repeat=OFF - FIRST) if sum(counts) <= checkers]
    return sorted(found, key=lambda placement: (pips_of(placement), placement))


@cache
def _places_by_code(checkers: int) -> Array:
    """Return the place of each placement among all; a code is the placement as digits, point 19 first and lowest."""
    base = checkers + 1
    places = np.zeros(base ** (OFF - FIRST), dtype=np.int16)
    for place, placement in enumerate(placements(checkers)):
        places[sum(number * base**digit for digit, number in enumerate(placement))] = place
    return places

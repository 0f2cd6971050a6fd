"""Short races and their exact tables: both sides have a few checkers left, all in Q4 (B7). docs/races.md says more.

Nobody meets anybody any more, so what a side can play depends on its own checkers and the roll alone. Only which turn
is best depends on both sides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec
import numpy as np

from arena.analysis.arrays import Array, Counts, Flags, Floats
from arena.analysis.headed_files import SHIPPED, Kind, check_pin, read_headed, write_headed
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
        return np.asarray(self._is_short(counts[0]) & self._is_short(counts[1]))

    def chances(self, counts: Counts) -> Floats:
        """Return the chance of the side about to roll to bear off first, for covered positions; shape (positions,)."""
        has_moved, rolls = map(self._places, counts)
        return np.asarray(self.values[rolls, has_moved] / np.float32(CERTAIN), dtype=np.float32)

    def _is_short(self, side: Counts) -> Flags:
        off = side[OFF]
        in_q4 = side[FIRST:OFF].sum(axis=0, dtype=np.uint8)
        return np.asarray((off >= CHECKERS - self.checkers) & (in_q4 + off == CHECKERS) & (side[BOUND] == 0))

    def _places(self, side: Counts) -> Array:
        base = self.checkers + 1
        codes = base ** np.arange(OFF - FIRST, dtype=np.int32) @ side[FIRST:OFF].astype(np.int32)
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


# Tables as files: a line of JSON that says what they are, then 16-bit numbers

SUFFIX: Final = ".table"


class RaceHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    format: int
    name: str
    rules: dict[str, str | bool]
    checkers: Annotated[int, msgspec.Meta(ge=1, le=LEFT)]


KIND: Final = Kind(
    what="table of races", format=1, head=RaceHead, advice="`python -m arena.lab.races` makes the tables again"
)

PINNED: Final[Mapping[str, str]] = {
    "races-rearmost": "a2c24213e0b61c4e9d49d20f092874bb457b858b80246d2b8a0031972676a568",
    "races-any": "4d83139727dce33ae97a637297ce9810674380adaf7c3fdb92f97973a9df8961",
    "races-exact": "dedf68548107bb884563499806c369068764f7643547487a8d37e226cd0524d7",
}
"""The SHA-256 of the shipped files."""


def write_table(table: RaceTable, path: Path) -> str:
    """Write a table; gives the SHA-256 of the file."""
    head = RaceHead(format=KIND.format, name=table.name, rules=table.rules._asdict(), checkers=table.checkers)
    return write_headed(head, table.values.astype("<u2").tobytes(), path)


def read_table(path: Path) -> RaceTable:
    """The table of a file; raises `EvaluatorError` if it is missing, damaged, or not what its name says."""
    head, numbers, sha256 = read_headed(path, KIND, _size_of)
    check_pin(path, head.name, sha256, PINNED, KIND.advice)
    number = len(placements(head.checkers))
    values = np.frombuffer(numbers, dtype="<u2").reshape(number, number)
    return RaceTable(name=head.name, rules=_rules(head), checkers=head.checkers, values=values)


def table_for(rules: Ruleset) -> RaceTable | None:
    """The shipped table that fits a ruleset, if any; raises `EvaluatorError` if its file is missing or damaged."""
    name = next((name for name, known in TABLES.items() if known == race_rules(rules)), None)
    table = _shipped(name) if name else None
    return table if table and table.fits(rules) else None


@cache
def _shipped(name: str) -> RaceTable:
    return read_table(SHIPPED / (name + SUFFIX))


def _rules(head: RaceHead) -> RaceRules:
    """The rules of a table; raises `ValueError` if there are no such races."""
    for known in TABLES.values():
        if known._asdict() == head.rules:
            return known
    raise ValueError(f"no race is played by the rules {head.rules}")


def _size_of(head: RaceHead) -> int:
    """The bytes of the values; raises `ValueError` as `_rules` does."""
    _rules(head)
    return 2 * len(placements(head.checkers)) ** 2

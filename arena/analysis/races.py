"""Races near their end, looked up and not estimated: all checkers are in Q4 (B7, G5).

With at most five checkers a side the chances are exact, and ship as tables. With more, each side
plays for the fewest turns, without regard to the other one. docs/races.md says more.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np

from arena.analysis.arrays import Array, Counts, Flags, Floats
from arena.analysis.bearing_off import (
    FIRST,
    MOST,
    RaceRules,
    numbers_of,
    placements,
    turns_to_bear_off,
)
from arena.analysis.headed_files import SHIPPED, Kind, Name, check_pin, read_headed, write_headed
from arena.analysis.race_turns import race_turns_for
from arena.games.tables.board import BOUND, CHECKERS, OFF
from arena.games.tables.ruleset import Ruleset

LEFT: Final = 5
"""Checkers of a side in the shipped tables, at most. With six, each would take 1.7 MB and not 0.4
MB."""
CERTAIN: Final = 65_535
"""The number for the probability 1 in a table; its errors are below 0.000008."""

TABLES: Final[Mapping[str, RaceRules]] = {
    "races-rearmost": RaceRules(
        bearing_off="rearmost",
        least_waste=True,
        winning_turn_is_exempt=True,
    ),
    "races-any": RaceRules(bearing_off="any", least_waste=False, winning_turn_is_exempt=True),
    "races-exact": RaceRules(bearing_off="exact", least_waste=False, winning_turn_is_exempt=False),
}
"""The shipped tables, and the rules each is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceTable:
    """Chances of the side about to roll to bear off first, for every two placements."""

    name: str
    rules: RaceRules
    checkers: int
    """The most checkers of a side in positions with exact chances."""
    values: Array
    """Shape (placements, placements), 16-bit: first the side about to roll, then the one that has
    just moved."""
    most: int
    """The most checkers of a side in any position."""

    def fits(self, rules: Ruleset) -> bool:
        """Return whether a race under the ruleset is played as in the table."""
        return most_left(rules) >= self.most and race_rules(rules) == self.rules

    def covers(self, counts: Counts) -> Flags:
        """Return which positions are known.

        Each side then has checkers off: no handsome game (B8), no gammon (G6). Neither side is
        bound to single dice (B11.3).
        """
        off = counts[:, OFF]
        in_q4 = counts[:, FIRST:OFF].sum(axis=1, dtype=np.uint8)
        is_race = (
            (off >= CHECKERS - self.most) & (in_q4 + off == CHECKERS) & (counts[:, BOUND] == 0)
        )
        return np.asarray(is_race.all(axis=0))

    def get_ready(self) -> None:
        """Compute the figures for longer races, which takes some seconds once in a process."""
        if self.most > self.checkers:
            turns_to_bear_off(self.rules, self.most)
        turns = race_turns_for(self.rules)
        if turns:
            turns.get_ready()

    def chances(self, counts: Counts) -> Floats:
        """Return the chance of the side about to roll to bear off first, shape (positions,).

        All positions are covered.
        """
        is_exact = (counts[:, OFF] >= CHECKERS - self.checkers).all(axis=0)
        has_moved = numbers_of(counts[0, FIRST:OFF])
        rolls = numbers_of(counts[1, FIRST:OFF])
        chances = np.empty(len(rolls), dtype=np.float32)
        chances[is_exact] = self.values[rolls[is_exact], has_moved[is_exact]] / np.float32(CERTAIN)
        if not is_exact.all():
            turns = turns_to_bear_off(self.rules, self.most)
            mine = turns[rolls[~is_exact]]
            theirs = turns[has_moved[~is_exact]]
            # the side about to roll wins if it needs no more turns
            at_least = theirs[:, ::-1].cumsum(axis=1)[:, ::-1]
            wins = (mine * at_least).sum(axis=1)
            chances[~is_exact] = np.minimum(wins, 1)  # sums of float32 may come to 1.000001
        return chances


def race_rules(rules: Ruleset) -> RaceRules:
    """Return the fields of a ruleset that decide how a side bears off."""
    return RaceRules(
        bearing_off=rules.bearing_off,
        least_waste=rules.least_waste,
        winning_turn_is_exempt=rules.winning_turn_is_exempt,
    )


def most_left(rules: Ruleset) -> int:
    """Return the most checkers with which a side cannot close a prime that is too long (B6.1).

    Two checkers close a point.
    """
    if rules.longest_prime is None:
        return MOST
    return min(MOST, 2 * rules.longest_prime + 1)


# Tables as files: a line of JSON that says what they are, then 16-bit numbers

SUFFIX: Final = ".table"


class RaceHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    format: int
    name: Name
    rules: dict[str, str | bool]
    checkers: Annotated[int, msgspec.Meta(ge=1, le=LEFT)]


KIND: Final = Kind(
    what="table of races",
    format=2,
    head=RaceHead,
    advice="`python -m arena.lab.races` makes the tables again",
)

PINNED: Final[Mapping[str, str]] = {
    "races-rearmost": "081f0b9f713bd2f81052f5643ca67ebad418222f74781a39581afa7896ebf50b",
    "races-any": "4fe669f056b3601a460d3d30451f7a3a9960e9a731379ab42eeaf59592766ec6",
    "races-exact": "89590ba804f819b630f5b37562309f9c2547dbf0a3809bfe595bea93e622a242",
}
"""The SHA-256 of the shipped files."""


def write_table(table: RaceTable, path: Path) -> str:
    """Write a table; return the SHA-256 of the file."""
    head = RaceHead(
        format=KIND.format,
        name=table.name,
        rules=table.rules._asdict(),
        checkers=table.checkers,
    )
    return write_headed(head, table.values.astype("<u2").tobytes(), path)


def read_table(path: Path, most: int = MOST) -> RaceTable:
    """Read the table of a file, for races with at most `most` checkers of a side.

    Raises `EvaluatorError` if the file is missing, damaged, or not what its name says.
    """
    head, numbers, sha256 = read_headed(path, KIND, _size_of)
    check_pin(path, head.name, sha256, PINNED, KIND.advice)
    size = len(placements(head.checkers))
    return RaceTable(
        name=head.name,
        rules=_rules(head),
        checkers=head.checkers,
        values=np.frombuffer(numbers, dtype="<u2").reshape(size, size),
        most=most,
    )


def table_for(rules: Ruleset) -> RaceTable | None:
    """Return the shipped table that fits a ruleset, if any.

    Raises `EvaluatorError` if its file is missing or damaged.
    """
    most = most_left(rules)
    if most < LEFT:
        return None
    for name, rules_of_table in TABLES.items():
        if rules_of_table == race_rules(rules):
            return _read_shipped(name, most)
    return None


@cache
def _read_shipped(name: str, most: int) -> RaceTable:
    return read_table(SHIPPED / (name + SUFFIX), most)


def _rules(head: RaceHead) -> RaceRules:
    """Return the rules of a table; raises `ValueError` if there are no such races."""
    for rules in TABLES.values():
        if rules._asdict() == head.rules:
            return rules
    raise ValueError(f"no race is played by the rules {head.rules}")


def _size_of(head: RaceHead) -> int:
    """Return the size of the values in bytes; raises `ValueError` as `_rules` does."""
    _rules(head)
    return 2 * len(placements(head.checkers)) ** 2

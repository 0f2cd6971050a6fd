"""Tables of short races as files: a line of JSON that says what they are, then 16-bit numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import comb
from pathlib import Path
from typing import Annotated, Final

import msgspec
import numpy as np

from arena.analysis.headed_files import SHIPPED, Kind, check_pin, read_headed, write_headed
from arena.analysis.races import FIRST, LEFT, TABLES, RaceRules, RaceTable, race_rules
from arena.games.tables.board import OFF
from arena.games.tables.ruleset import Ruleset

SUFFIX: Final = ".table"


class RaceHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line."""

    format: int
    name: str
    rules: dict[str, str | bool]
    """The fields of `RaceRules`."""
    checkers: Annotated[int, msgspec.Meta(ge=1, le=LEFT)]
    """The most that either side may have left."""


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
    head, values, sha256 = read_headed(path, KIND, _size_of)
    check_pin(path, head.name, sha256, PINNED, KIND.advice)
    placements = _placements(head)
    return RaceTable(
        name=head.name,
        rules=_rules(head),
        checkers=head.checkers,
        values=np.frombuffer(values, dtype="<u2").reshape(placements, placements),
    )


def table_for(rules: Ruleset) -> RaceTable | None:
    """The shipped table that fits a ruleset, if there is one; its file is read when it is first asked for.

    Raises `EvaluatorError` if the file is missing or damaged.
    """
    for name, known in TABLES.items():
        if known == race_rules(rules):
            table = _shipped(name)
            return table if table.fits(rules) else None
    return None


@cache
def _shipped(name: str) -> RaceTable:
    return read_table(SHIPPED / (name + SUFFIX))


def _rules(head: RaceHead) -> RaceRules:
    """The rules of a table; raises `ValueError` if there are no such races."""
    for known in TABLES.values():
        if known._asdict() == head.rules:
            return known
    raise ValueError(f"no race is played by the rules {head.rules}")


def _placements(head: RaceHead) -> int:
    """Return the number of placements of a side in the table."""
    return comb(head.checkers + OFF - FIRST, head.checkers)


def _size_of(head: RaceHead) -> int:
    """The bytes of the values; raises `ValueError` as `_rules` does."""
    _rules(head)
    return 2 * _placements(head) ** 2

"""Tables of short races as files: a line of JSON that says what they are, then 16-bit numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

import numpy as np

from arena.analysis.errors import EvaluatorError
from arena.analysis.headed_files import SHIPPED, check_format, check_pin, read_headed, write_headed
from arena.analysis.races import FIRST, TABLES, RaceRules, RaceTable, race_rules
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.ruleset import Ruleset

SUFFIX: Final = ".table"
FORMAT: Final = 1
MAKE_AGAIN: Final = "`python -m arena.lab.races` makes the tables again"

PINNED: Final[Mapping[str, str]] = {
    "races-rearmost": "a2c24213e0b61c4e9d49d20f092874bb457b858b80246d2b8a0031972676a568",
    "races-any": "4d83139727dce33ae97a637297ce9810674380adaf7c3fdb92f97973a9df8961",
    "races-exact": "dedf68548107bb884563499806c369068764f7643547487a8d37e226cd0524d7",
}
"""The SHA-256 of the shipped files."""


def write_table(table: RaceTable, path: Path) -> str:
    """Write a table; gives the SHA-256 of the file."""
    head = {"format": FORMAT, "name": table.name, "rules": table.rules._asdict(), "checkers": table.checkers}
    return write_headed(head, table.values.astype("<u2").tobytes(), path)


def read_table(path: Path) -> RaceTable:
    """The table of a file; raises `EvaluatorError` if it is missing, damaged, or not what its name says."""
    line, values, sha256 = read_headed(path, f"a table of races, {MAKE_AGAIN}")
    try:
        head = json.loads(line)
        rules = RaceRules(**head["rules"])
        name, number, checkers = str(head["name"]), int(head["format"]), int(head["checkers"])
    except (ValueError, KeyError, TypeError) as error:
        raise EvaluatorError(f"{path} is no table of races: its first line cannot be read ({error})") from None
    check_format(path, number, FORMAT, MAKE_AGAIN)
    if not 0 < checkers < CHECKERS:
        raise EvaluatorError(f"{path} is damaged: it says {checkers} checkers a side; {MAKE_AGAIN}")
    size = comb(checkers + OFF - FIRST, checkers)
    if len(values) != 2 * size * size:
        raise EvaluatorError(
            f"{path} is damaged: {len(values):,} bytes of values; {checkers} checkers a side need {2 * size * size:,}; "
            f"{MAKE_AGAIN}"
        )
    check_pin(path, name, sha256, PINNED, MAKE_AGAIN)
    return RaceTable(
        name=name, rules=rules, checkers=checkers, values=np.frombuffer(values, dtype="<u2").reshape(size, size)
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

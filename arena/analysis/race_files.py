"""Tables of short races as files: a line of JSON that says what they are, then 16-bit numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from math import comb
from pathlib import Path
from typing import Final

import numpy as np

from arena.analysis.errors import EvaluatorError
from arena.analysis.races import FIRST, TABLES, RaceRules, RaceTable, race_rules
from arena.games.tables.board import CHECKERS, OFF
from arena.games.tables.ruleset import Ruleset

FOLDER: Final = Path(__file__).parent / "weights"
"""Where the shipped ones are."""
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
    content = json.dumps(head, separators=(",", ":")).encode() + b"\n" + table.values.astype("<u2").tobytes()
    path.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def read_table(path: Path) -> RaceTable:
    """The table of a file; raises `EvaluatorError` if it is missing, damaged, or not what its name says."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise EvaluatorError(f"{path}: {error.strerror}; expected a table of races, {MAKE_AGAIN}") from None
    line, _, values = content.partition(b"\n")
    try:
        head = json.loads(line)
        rules = RaceRules(**head["rules"])
        name, number, checkers = str(head["name"]), int(head["format"]), int(head["checkers"])
    except (ValueError, KeyError, TypeError) as error:
        raise EvaluatorError(f"{path} is no table of races: its first line cannot be read ({error})") from None
    if number != FORMAT:
        raise EvaluatorError(f"{path} has format {number}; this version reads format {FORMAT}: {MAKE_AGAIN}")
    if not 0 < checkers < CHECKERS:
        raise EvaluatorError(f"{path} is damaged: it says {checkers} checkers a side; {MAKE_AGAIN}")
    size = comb(checkers + OFF - FIRST, checkers)
    if len(values) != 2 * size * size:
        raise EvaluatorError(
            f"{path} is damaged: {len(values):,} bytes of values; {checkers} checkers a side need {2 * size * size:,}; "
            f"{MAKE_AGAIN}"
        )
    sha256 = hashlib.sha256(content).hexdigest()
    if PINNED.get(name, sha256) != sha256:
        raise EvaluatorError(
            f"{path} is not {name}: its SHA-256 is {sha256}, that of {name} is {PINNED[name]}; {MAKE_AGAIN}"
        )
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
    return read_table(FOLDER / (name + SUFFIX))

"""Files of tables that cannot be used say so in one sentence, and how to mend it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from arena.analysis.errors import EvaluatorError
from arena.analysis.headed_files import SHIPPED
from arena.analysis.race_files import read_table, write_table
from arena.analysis.races import TABLES
from arena.lab.races import make_table


@pytest.fixture
def small(tmp_path):
    """A table of its own name with up to two checkers a side."""
    path = tmp_path / "small.table"
    write_table(make_table("small", TABLES["races-any"], 2), path)
    return path


def test_what_is_written_is_read(small):
    read, made = read_table(small), make_table("small", TABLES["races-any"], 2)
    assert (read.name, read.rules, read.checkers) == (made.name, made.rules, made.checkers)
    assert np.array_equal(read.values, made.values)


def test_a_missing_file(tmp_path):
    with pytest.raises(EvaluatorError, match=r"No such file.*expected a table of races; `python -m arena\.lab\.races`"):
        read_table(tmp_path / "races-any.table")


def test_a_file_that_is_cut_short(small):
    small.write_bytes(small.read_bytes()[:-1])
    with pytest.raises(EvaluatorError, match=r"damaged: 1,567 bytes of numbers, expected 1,568"):
        read_table(small)


def test_a_shipped_file_with_one_bit_changed(tmp_path):
    """Its SHA-256 is pinned."""
    content = bytearray((SHIPPED / "races-exact.table").read_bytes())
    content[-1000] ^= 1
    (tmp_path / "races-exact.table").write_bytes(content)
    with pytest.raises(EvaluatorError, match="is not races-exact: its SHA-256 is"):
        read_table(tmp_path / "races-exact.table")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("format", 2, "has format 2; this version reads format 1"),
        ("format", True, r"its first line cannot be read \(Expected `int`, got `bool`"),
        ("checkers", 6, r"its first line cannot be read \(Expected `int` <= 5"),
        ("checkers", "many", "its first line cannot be read"),
        ("checkers", 1, "is damaged: 1,568 bytes of numbers, expected 98"),
        ("rules", {"bearing_off": "any"}, "no race is played by the rules {'bearing_off': 'any'}"),
        ("rules", ["any"], "its first line cannot be read"),
    ],
)
def test_a_first_line_of_something_else(small, field, value, problem):
    line, _, values = small.read_bytes().partition(b"\n")
    small.write_bytes(json.dumps(json.loads(line) | {field: value}).encode() + b"\n" + values)
    with pytest.raises(EvaluatorError, match=problem):
        read_table(small)


@pytest.mark.parametrize("content", [b"", b"\x00\xff\n", b"[]\n", b"weights"])
def test_a_file_of_something_else(small, content):
    small.write_bytes(content)
    with pytest.raises(EvaluatorError, match="is no table of races"):
        read_table(small)

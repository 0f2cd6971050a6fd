"""TOML is measured before it is parsed: what is too large, deep or long is told with its line."""

import tomllib
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from arena.regular_files import WRITTEN_BYTES
from arena.server.setup.guarded_toml import (
    DEEPEST,
    WORD_CHARACTERS,
    TomlLimitError,
    check_size,
    parse_toml,
)
from tests.strange_files import soon_over

DEEP = f"lists and tables are nested more than {DEEPEST} deep"
LONG = f"a number or a name without quotes has {{}} characters; expected at most {WORD_CHARACTERS}"
PARTS = f"a name has more than {DEEPEST} parts with dots between them"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = " + "[" * 9 + "]" * 9, DEEP),
        ("x = " + "[" * 100_000 + "]" * 100_000, DEEP),
        ("x = " + "{a = " * 50_000 + "1" + "}" * 50_000, DEEP),
        ("x = " + "[\n" * 100_000, DEEP),
        ("x = '''text''' # [\ny = " + "[" * 9, DEEP),
        (".".join("a" * 9) + " = 1", PARTS),
        (" . ".join(["a", "'b'", '"c"'] * 50_000) + " = 1", PARTS),
        ("[" + ".".join("a" * 9) + "]", PARTS),
        ("x = " + "9" * 5000, LONG.format("5,000")),
        ("x" * 101 + " = 1", LONG.format("101")),
        ("x = '" + "a" * WRITTEN_BYTES, "it has 1,048,581 bytes; expected at most 1,048,576"),
        ("x = '\udcff'", "it holds a byte that is not UTF-8; write it in UTF-8"),
    ],
)  # fmt: skip
def test_what_no_tournament_file_needs_is_told_before_it_is_parsed(text: str, problem: str) -> None:
    with soon_over(), pytest.raises(TomlLimitError) as caught:
        parse_toml(text)
    assert str(caught.value) == problem


def test_the_line_is_told() -> None:
    deep = "a = 1\n\nx = " + "[" * 9
    long = "a = '''\n'''\n" + "x" * 101 + " = 1"
    for text in (deep, long, "a = 1\n\nx = '\udcff'"):
        with pytest.raises(TomlLimitError) as caught:
            parse_toml(text)
        assert caught.value.line == 3


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 8 + "]" * 8,
        ".".join("a" * 8) + " = 1",
        "x = 0x" + "f" * (WORD_CHARACTERS - 2),
        "x = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]",
        'x = \'[[[[[[[[[[\' # [[[[[[[[[[ a.b.c.d.e.f.g.h.i.j\ny = "\\"[[[[[[[[[["',
        'x = \'\'\'\n\'[[[[[[[[[[\'\'\'\'\'\ny = """"[[[\\"""[[[[[[["""""\nz = 1',
        "x = 'a.b.c.d.e.f.g.h.i.j'\n'a.b.c.d.e.f.g.h.i.j' = 1",
        "x = '" + "a" * (WRITTEN_BYTES - 6) + "'",
        "[[a]]\n[[a]]\n" * 20,
    ],
)
def test_what_is_within_the_limits_is_parsed(text: str) -> None:
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '"""' + '\\"""' * 250_000,
        '"""' + '\\"""' * 250_000 + "\\",
        '"' * 1_000_000,
        "'" * 1_000_001,
        '"\\' * 500_000,
    ],
    ids=range(5),
)
def test_a_text_without_an_end_is_read_once(text: str) -> None:
    """It is no TOML; to measure it takes no time that grows with the square of its length."""
    with soon_over(), pytest.raises(tomllib.TOMLDecodeError):
        parse_toml("x = " + text)


NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False)


def _around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)


VALUES = st.recursive(NUMBERS | st.booleans() | st.text() | st.dates(), _around, max_leaves=8)


def depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(depth_of, inner)) if inner else int(isinstance(value, dict | list))


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=3))
def test_whatever_is_written_is_read_unless_it_is_deep(values: dict[str, Any]) -> None:
    text = tomli_w.dumps(values)
    assert parse_toml(text) == values or depth_of(values) > DEEPEST


def test_a_text_that_could_not_be_read_again_is_not_written() -> None:
    check_size("x" * WRITTEN_BYTES)
    with pytest.raises(TomlLimitError, match="expected at most"):
        check_size("é" * (WRITTEN_BYTES // 2 + 1))

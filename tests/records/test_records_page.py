"""docs/records.md names every event of the records with every field."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from arena.records.schema import LINES

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")
MATCH, TOURNAMENT = PAGE.split("\n## A tournament\n")
COMMON = {"v", "at_ms"}


@pytest.mark.parametrize(
    ("part", "line"),
    [
        pytest.param(part, line, id=line.__name__)
        for part, lines in zip((MATCH, TOURNAMENT), LINES.values(), strict=True)
        for line in lines
    ],
)
def test_the_page_names_every_field(part: str, line: type[msgspec.Struct]) -> None:
    [row] = re.findall(rf"^\| `{line.__struct_config__.tag}` \|.*$", part, re.MULTILINE)
    named = re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", row.split("|")[3]))
    fields = [name for name in line.__struct_fields__ if name not in COMMON]
    assert [name for name in named if name in fields] == fields

"""docs/glossary.md leaves out no way to win."""

from __future__ import annotations

from typing import get_args

from arena.games.tables.endings import EndingName
from tests.docs.pages import ROOT, in_line


def test_every_ending_of_the_records_is_in_the_glossary() -> None:
    """Under the name by which the records call it."""
    named = {code for _, code in in_line(ROOT / "docs" / "glossary.md")}
    assert {*get_args(EndingName), "forfeit", "monk"} <= named

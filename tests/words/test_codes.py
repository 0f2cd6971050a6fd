"""What the arena says, and what its catalogues have."""

from __future__ import annotations

import re
from pathlib import Path

from arena.words import catalogue

ARENA = Path(__file__).parents[2] / "arena"
SOURCE = "".join(path.read_text(encoding="utf-8") for kind in ("py", "js") for path in ARENA.rglob(f"*.{kind}"))
FAMILIES = set(re.findall(r"(?:f\"|`)(\w+\.)[{$]", SOURCE))
"""The beginnings of codes that are made of a name: `ending.`."""


def test_every_code_that_is_said_has_its_sentence() -> None:
    said = set(re.findall(r'(?:Said\(|told\(\[)\s*"([^"]+)"', SOURCE))
    assert sorted(said - catalogue("en").keys()) == []


def test_no_sentence_is_left_over() -> None:
    unused = {code for code in catalogue("en") if f'"{code}"' not in SOURCE}
    assert sorted(code for code in unused if f"{code.split('.')[0]}." not in FAMILIES) == []

"""`venue.toml` in docs/opening-a-venue.md: it can be used as it stands, and shows the defaults."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import tomli_w

from arena.server.setup.venue_file import parse_venue
from tests.fixtures.doc_pages import ROOT

NEEDED = {"name", "command", "ladder", "day", "time"}
SHOWN = {"ruleset": "vasa", "pairs": 1, "format": "round_robin"}
"""Defaults that the tournament file of a run has, which the file of the venue leaves to it."""


def needed_of(section: dict[str, Any]) -> dict[str, Any]:
    return {name: section[name] for name in NEEDED & section.keys()}


def test_the_file_on_the_page_shows_the_defaults() -> None:
    page = (ROOT / "docs" / "opening-a-venue.md").read_text(encoding="utf-8")
    [text] = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    raw = tomllib.loads(text)
    for name in ("ladder", "cup"):
        for section in raw[name]:
            shown = {field: section.pop(field) for field in SHOWN.keys() & section.keys()}
            assert shown.items() <= SHOWN.items()
    least = {name: [needed_of(part) for part in raw[name]] for name in ("ladder", "bot", "cup")}
    assert parse_venue(tomli_w.dumps(raw)) == parse_venue(tomli_w.dumps(least))
    assert parse_venue(text).ladder

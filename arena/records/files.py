"""What the records of a run are called in its folder."""

from __future__ import annotations

from typing import Final

TOURNAMENT_FILE: Final = "tournament.toml"
TOURNAMENT_RECORD: Final = "tournament.jsonl"
MATCHES: Final = "matches/"


def match_record(fixture: str) -> str:
    """The name of a fixture's record in its run."""
    return f"{MATCHES}{fixture}.jsonl"

"""What the records of a run are called in its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

TOURNAMENT_FILE: Final = "tournament.toml"
TOURNAMENT_RECORD: Final = "tournament.jsonl"
MATCHES: Final = "matches/"


def match_record(fixture: str) -> str:
    """The name of a fixture's record in its run."""
    return f"{MATCHES}{fixture}.jsonl"


def match_records(files: Iterable[str]) -> Iterator[str]:
    """The names of match records among those of a run: the only files under `matches/` that the arena writes."""
    return (name for name in files if name.startswith(MATCHES) and name.endswith(".jsonl"))

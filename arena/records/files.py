"""The names of the records in the folder of a run."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

Files: TypeAlias = Mapping[str, bytes]
"""The files of a run by name: `tournament.toml`, `tournament.jsonl` and every
`matches/<fixture>.jsonl`."""

TOURNAMENT_FILE: Final = "tournament.toml"
TOURNAMENT_RECORD: Final = "tournament.jsonl"
VENUE_RECORD: Final = "venue.jsonl"
"""In the folder of a venue."""
MATCHES: Final = "matches/"
ANALYSIS: Final = "analysis/"
"""The folder of what was made of the match records; it can be deleted."""


def match_record(fixture: str) -> str:
    """Return the name of a fixture's record in its run."""
    return f"{MATCHES}{fixture}.jsonl"


def fixture_of(record: str) -> str:
    """Return the fixture of a match record; the inverse of `match_record`."""
    return record.removeprefix(MATCHES).removesuffix(".jsonl")


def match_records(files: Iterable[str]) -> Iterator[str]:
    """Return the match records among these names.

    The arena writes no other files under `matches/`.
    """
    return (name for name in files if name.startswith(MATCHES) and name.endswith(".jsonl"))


def analysis_file(record: str) -> str:
    """Return the name of the analysis of a match record."""
    return ANALYSIS + record.removeprefix(MATCHES)

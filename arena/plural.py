"""Numbers with their nouns."""

from __future__ import annotations


def counted(count: int, one: str, many: str = "") -> str:
    """The number and the noun: "1 match", "2 matches"; the plural ends in `s` unless it is given."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"

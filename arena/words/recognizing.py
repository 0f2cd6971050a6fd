"""Sentences known again by their English: libraries and the wire carry text, which people read in their language."""

import re
from collections.abc import Iterable
from typing import Final

from arena.words.saying import DEFAULT, Said, catalogue, quoted

_VALUE: Final = re.compile(r"\\\{(\w+)\\\}")
"""A value in an escaped sentence."""


def recognize(text: str, sentences: Iterable[tuple[re.Pattern[str], str]]) -> Said:
    """Return the code of the first sentence that a text is, with its groups as values; an unknown text is quoted."""
    for pattern, code in sentences:
        if match := pattern.fullmatch(text):
            return Said(code, match.groupdict())
    return quoted(text)


def english_pattern(code: str, value: str = ".+") -> str:
    """Return a regular expression for an English sentence of the catalogue, with its values as groups."""
    english = re.escape(str(catalogue(DEFAULT)[code]))
    return _VALUE.sub(lambda name: f"(?P<{name[1]}>{value})", english)

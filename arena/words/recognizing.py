"""Recognize sentences by their English text.

Libraries and the wire carry English text; people read it in their language.
"""

import re
from collections.abc import Iterable
from typing import Final

from arena.words.saying import DEFAULT, Said, catalogue, quoted

_PLACEHOLDER: Final = re.compile(r"\\\{(\w+)\\\}")
"""A placeholder in an escaped sentence."""


def recognize(text: str, sentences: Iterable[tuple[re.Pattern[str], str]]) -> Said:
    """Return the code of the first sentence that matches the text; quote an unknown text.

    The groups of the pattern become the values of the sentence.
    """
    for pattern, code in sentences:
        if match := pattern.fullmatch(text):
            return Said(code, match.groupdict())
    return quoted(text)


def english_pattern(code: str, group: str = ".+") -> str:
    """Return a regular expression for an English sentence, with its placeholders as groups."""
    english = re.escape(str(catalogue(DEFAULT)[code]))
    return _PLACEHOLDER.sub(lambda name: f"(?P<{name[1]}>{group})", english)

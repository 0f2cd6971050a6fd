"""Recognize sentences by their English text.

Libraries and the wire carry English text; people read it in their language.
"""

import re
from collections.abc import Iterable
from typing import Final

from arena.words.saying import DEFAULT, Said, catalogue, quoted

_PLACEHOLDER: Final = re.compile(r"\\\{(\w+)\\\}")
"""A placeholder in an escaped sentence."""
_COUNT: Final = re.escape("{count}")


def recognize(text: str, sentences: Iterable[tuple[re.Pattern[str], str]]) -> Said:
    """Return the code of the first sentence that matches the text; quote an unknown text.

    The groups of the pattern become the values of the sentence.
    """
    for pattern, code in sentences:
        if match := pattern.fullmatch(text):
            values: dict[str, str | int] = {**match.groupdict()}
            if "count" in values:  # it chooses the form of the sentence
                values["count"] = int(values["count"])
            return Said(code, values)
    return quoted(text)


def english_sentences(
    codes: Iterable[str],
    group: str = ".+",
    ending: str = "",
) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return a pattern for each form of these English sentences, with its code.

    Placeholders are groups, which match `group`. A sentence may end with `ending`.
    """
    sentences = []
    for code in codes:
        entry = catalogue(DEFAULT)[code]
        forms = [entry] if isinstance(entry, str) else entry.values()
        for form in forms:
            pattern = re.escape(form).replace(_COUNT, r"(?P<count>\d+)")
            pattern = _PLACEHOLDER.sub(lambda name: f"(?P<{name[1]}>{group})", pattern)
            sentences.append((re.compile(pattern + ending, re.DOTALL), code))
    return tuple(sentences)

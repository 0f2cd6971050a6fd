"""The Swedish of sentences that the arena makes in English, from the catalogues of the pages.

`translated` does the same as its namesake in `assets/words.js`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from itertools import zip_longest
from typing import Final, NamedTuple

_PLACE: Final = re.compile(r"\{(\w+)\}")
_VALUES: Final = {
    **dict.fromkeys(("count", "number", "points", "side"), r"(\S+)"),
    **dict.fromkeys(("inner", "innermost"), "([^()]+)"),
    "Ending": "([^,]+)",
}
"""What a value of this name may be; any other is any text."""


class _Pattern(NamedTuple):
    """A sentence with values."""

    pattern: re.Pattern[str]
    names: list[str]
    words: str
    length: int
    """How much it says by itself."""


@lru_cache(maxsize=1000)
def translated(english: str) -> str | None:
    """A sentence in Swedish; None if there are no words for it."""
    plain = english.removesuffix(".")
    lowered = plain[:1].lower() + plain[1:]
    words = _plain(plain)
    if words is None:
        words = _plain(lowered)
    if words is None:
        return None
    if lowered != plain:
        words = words[0].upper() + words[1:]
    return f"{words}." if plain != english else words


def _plain(english: str) -> str | None:
    """The same without capital and full stop: the whole of it, or each part before a semicolon, or with values."""
    exact = sentences().get(english, _words().get(english))
    if exact is not None:
        return exact
    before, is_cut, after = english.rpartition("; ")
    if is_cut:
        first, second = translated(before), translated(after)
        if first is not None and second is not None:
            return f"{first}; {second}"
    for one in _patterns():
        if match := one.pattern.fullmatch(english):
            found = dict(zip(one.names, match.groups(), strict=True))
            values = {name: translated(value) for name, value in found.items()}
            if all(words is not None or name[0].islower() for name, words in values.items()):
                return one.words.format_map({name: values[name] or value for name, value in found.items()})
    return None


@cache
def sentences() -> Mapping[str, str]:
    """The catalogue of sentences."""
    return _catalogue("sentences_swedish.js")


@cache
def _words() -> Mapping[str, str]:
    return _catalogue("swedish.js")


def _catalogue(name: str) -> Mapping[str, str]:
    """A catalogue of the pages: a script that is JSON from its first brace to its last."""
    text = (files("arena.pages") / "assets" / name).read_text(encoding="utf-8")
    text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("//"))
    found: dict[str, str] = json.loads(text[text.index("{") : text.rindex("}") + 1])
    return found


@cache
def _patterns() -> list[_Pattern]:
    """The sentences with values, those first that say most by themselves."""
    found = []
    for english, words in sentences().items():
        *parts, last = _PLACE.split(english)  # text, name, text, name, ..., text
        if parts:
            texts = [*parts[::2], last]
            names = parts[1::2]
            values = [_VALUES.get(name, "(.+)") for name in names]
            pattern = "".join(re.escape(text) + value for text, value in zip_longest(texts, values, fillvalue=""))
            found.append(_Pattern(re.compile(pattern, re.DOTALL), names, words, len("".join(texts))))
    return sorted(found, key=lambda one: -one.length)

"""Sentences from the catalogues: `en.json` and `sv.json` give for each code its sentence with `{values}`.

A sentence that depends on a number is a table by plural category (CLDR: `one`, `other`) or by the number itself (`=0`);
it is chosen by the value `count`. The pages do the same in `words.js`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeAlias, cast

LANGUAGES: Final = ("en", "sv")
DEFAULT: Final = "en"

Entry: TypeAlias = str | Mapping[str, str]


@cache
def catalogue(language: str) -> Mapping[str, Entry]:
    """Return the sentences of a language by their codes."""
    text = (files("arena.words") / f"{language}.json").read_text(encoding="utf-8")
    return cast("Mapping[str, Entry]", json.loads(text))


def say(said: Any, language: str = DEFAULT) -> str:
    """Return the sentence for something that is to be said, as a `Said` or as what JSON makes of it.

    It begins with a small letter and has no full stop. An unknown code, as of a game from elsewhere, is its own words.
    """
    if _is_said(said):
        code, values = said
        entry = catalogue(language).get(code)
        if entry is None:
            return str(code).rpartition(".")[2].replace("_", " ")
        if not isinstance(entry, str):
            count = values["count"]
            entry = entry.get(f"={count}") or entry["one" if count == 1 and "one" in entry else "other"]
        return entry.format_map({name: _shown(value, language) for name, value in values.items()})
    return str(said)


def capital(words: str) -> str:
    """Return words as a sentence, with a capital and a full stop; empty stays empty."""
    return f"{words[0].upper()}{words[1:]}." if words else ""


def _shown(value: Any, language: str) -> Any:
    """Return a value for a sentence: numbers stay what they are, since a sentence may say how they are written."""
    if isinstance(value, int | float):
        return value
    if isinstance(value, list | tuple) and not _is_said(value):
        shown = [say(one, language) for one in value]
        return _listed(shown, language)
    return say(value, language)


def _listed(shown: list[str], language: str) -> str:
    if len(shown) < 2:
        return "".join(shown)
    first, last = ", ".join(shown[:-1]), shown[-1]
    return str(catalogue(language)["and"]).format(first=first, last=last)


def _is_said(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and isinstance(value[0], str)
        and isinstance(value[1], Mapping)
    )

"""Names of entrants: a plain id in files, logins and records, and a display name on screens.

>>> plain_id("Åsa Ek, Vasa 1628")
'asa-ek'
>>> plain_id("greedy_2")
'greedy_2'
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from arena.tournaments.looks import (
    looks_of,
    odd_characters,
    seen_of,
)
from arena.words import Said, joined

NAME_MAX_CHARS = 32
"""The longest name of an entrant, in characters: two of them and a round fit any file system."""

_NAME = re.compile("[a-z][a-z0-9_-]*")
NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})
"""Names of a field in which no entrant has a display name."""
DISPLAY_NAME_CHARS: Final = 60
"""Longest display name."""
_SPELLED: Final = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "ł": "l",
        "þ": "th",
        "œ": "oe",
    }
)
"""Letters that have no accent to take off."""


def entrant_problems(
    entrants: Sequence[str],
    most_chars: int = NAME_MAX_CHARS,
) -> tuple[Said, ...]:
    """Return what is wrong with the names of entrants, one sentence each; empty if nothing is.

    A name starts with a letter and has 1 to `most_chars` of a-z, 0-9, "-" and "_". It neither
    contains "-v-" nor ends in "-v", so that a fixture's id can be read in one way only. No name
    occurs twice.
    """
    problems = []
    for name, count in Counter(entrants).items():
        quoted = repr(name)
        if not _NAME.fullmatch(name) or len(name) > most_chars:
            problems.append(
                Said(
                    "name.not_a_name",
                    {
                        "name": quoted,
                        "most": most_chars,
                    },
                )
            )
        if "-v-" in name or name.endswith("-v"):
            problems.append(Said("name.holds_v", {"name": quoted}))
        if count > 1:
            problems.append(
                Said(
                    "name.entered_twice",
                    {
                        "name": quoted,
                        "count": count,
                    },
                )
            )
    return tuple(problems)


def plain_id(name: str) -> str:
    """Return an id made of a name: its part before a comma, in lower case and without accents.

    `-` joins the words. A name that is an id already is returned as it is. The answer may be no
    valid id: empty, or one that `entrant_problems` rejects.
    """
    if not entrant_problems([name]):
        return name
    before_comma = name.partition(",")[0]
    spelled = before_comma.lower().translate(_SPELLED)
    decomposed = unicodedata.normalize("NFKD", spelled)
    plain = ""
    for letter in decomposed:
        if not unicodedata.combining(letter):
            plain += letter
    hyphenated = re.sub(r"[^a-z0-9_]+", "-", plain)
    return hyphenated[:NAME_MAX_CHARS].strip("-")


def display_problems(names: Mapping[str, str]) -> list[Said]:
    """Return what is wrong with the display names of a field, by id, one sentence each."""
    problems = []
    first_with_looks: dict[str, str] = {}
    for entrant, name in names.items():
        if not _can_be_shown(name):
            problem = {
                "name": ascii(name),
                "most": DISPLAY_NAME_CHARS,
            }
            problems.append(Said("name.cannot_be_shown", problem))
            continue
        earlier = first_with_looks.setdefault(looks_of(name), entrant)
        if earlier != entrant:
            problems.append(_same_looks(earlier, names[earlier], entrant, name))
    return problems


def _can_be_shown(name: str) -> bool:
    visible = seen_of(name)
    if not visible or visible != visible.strip():
        return False
    return name.isprintable() and len(name) <= DISPLAY_NAME_CHARS


def _same_looks(
    earlier: str,
    earlier_name: str,
    entrant: str,
    name: str,
) -> Said:
    odd = []
    for shown_name, rival in ((earlier_name, name), (name, earlier_name)):
        characters = odd_characters(shown_name, rival)
        if characters:
            naming = {
                "name": repr(shown_name),
                "characters": joined(characters, "list.commas"),
            }
            odd.append(Said("name.odd", naming))
    if not odd:
        same = {
            "one": earlier,
            "other": entrant,
            "name": repr(name),
        }
        return Said("name.same", same)
    alike = {
        "one": repr(earlier_name),
        "other": repr(name),
        "odd": joined(odd),
    }
    return Said("name.look_alike", alike)


def join_names(names: Sequence[str], last: str = "") -> str:
    """Join names with commas, or with semicolons if a name has a comma itself.

    `last` may be " and ".

    >>> listed(["bo", "cia", "dag"], last=" and ")
    'bo, cia and dag'
    >>> listed(["Åsa Ek, Vasa", "bo"])
    'Åsa Ek, Vasa; bo'
    """
    if not names:
        return ""
    has_commas = any("," in name for name in names)
    separator = "; " if has_commas else ", "
    *start, end = names
    if not start:
        return end
    return separator.join(start) + (last or separator) + end


def shown(names: Mapping[str, str], entrants: Sequence[str]) -> tuple[str, ...]:
    """Return the display names of entrants; the id of an entrant that has none."""
    return tuple(names.get(entrant, entrant) for entrant in entrants)

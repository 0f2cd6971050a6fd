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

from arena.tournaments.looks import looks_of, odd_characters, seen_of
from arena.words import Said, joined

NAME_MAX_CHARS = 32
"""The longest name of an entrant, in characters: two of them and a round fit any file system."""

_NAME = re.compile(rf"[a-z][a-z0-9_-]{{0,{NAME_MAX_CHARS - 1}}}")
NO_NAMES: Final[Mapping[str, str]] = MappingProxyType({})
"""Nobody has a display name."""
DISPLAY_NAME_CHARS: Final = 60
"""Longest display name."""
_SPELLED: Final = str.maketrans(
    {"ß": "ss", "æ": "ae", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "œ": "oe"}
)
"""Letters that have no accent to take off."""


def entrant_problems(entrants: Sequence[str]) -> tuple[Said, ...]:
    """Return what is wrong with the names of entrants, one sentence each; empty if nothing is.

    A name starts with a letter and has 1 to 32 of a-z, 0-9, "-" and "_". It neither contains "-v-"
    nor ends in "-v", so that a fixture's id can be read in one way only. No name occurs twice.
    """
    found = []
    counts = Counter(entrants)
    for name, count in counts.items():
        if not _NAME.fullmatch(name):
            found.append(Said("name.not_a_name", {"name": repr(name), "most": NAME_MAX_CHARS}))
        if "-v-" in name or name.endswith("-v"):
            found.append(Said("name.holds_v", {"name": repr(name)}))
        if count > 1:
            found.append(Said("name.entered_twice", {"name": repr(name), "count": count}))
    return tuple(found)


def plain_id(name: str) -> str:
    """The id that is made of a name: what stands before a comma, in lower case, without accents, words joined by `-`.

    A name that is an id is its own. Of some names none can be made: what is left is empty, or
    begins with a digit.
    """
    if not entrant_problems([name]):
        return name
    letters = unicodedata.normalize("NFKD", name.partition(",")[0].lower().translate(_SPELLED))
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^a-z0-9_]+", "-", plain)[:NAME_MAX_CHARS].strip("-")


def display_problems(names: Mapping[str, str]) -> list[Said]:
    """Return what is wrong with the display names of a field, by id, one sentence each."""
    found = []
    seen: dict[str, str] = {}
    for entrant, name in names.items():
        visible = seen_of(name)
        if (
            not name.isprintable()
            or visible != visible.strip()
            or not visible
            or len(name) > DISPLAY_NAME_CHARS
        ):
            found.append(
                Said("name.cannot_be_shown", {"name": ascii(name), "most": DISPLAY_NAME_CHARS})
            )
            continue
        other = seen.setdefault(looks_of(name), entrant)
        if other != entrant:
            found.append(_same_looks(other, names[other], entrant, name))
    return found


def _same_looks(other: str, its_name: str, entrant: str, name: str) -> Said:
    odd = []
    for one, two in ((its_name, name), (name, its_name)):
        if characters := odd_characters(one, two):
            odd.append(
                Said(
                    "name.odd", {"name": repr(one), "characters": joined(characters, "list.commas")}
                )
            )
    if not odd:
        return Said("name.same", {"one": other, "other": entrant, "name": repr(name)})
    return Said("name.look_alike", {"one": repr(its_name), "other": repr(name), "odd": joined(odd)})


def listed(names: Sequence[str], last: str = "") -> str:
    """Names in a row: with commas, or with semicolons if a name has a comma itself.

    `last` may be " and ".

    >>> listed(["bo", "cia", "dag"], last=" and ")
    'bo, cia and dag'
    >>> listed(["Åsa Ek, Vasa", "bo"])
    'Åsa Ek, Vasa; bo'
    """
    between = "; " if any("," in name for name in names) else ", "
    *start, end = names or [""]
    return f"{between.join(start)}{last or between}{end}" if start else end


def shown(names: Mapping[str, str], entrants: Sequence[str]) -> tuple[str, ...]:
    """Return the names of entrants on screens; an entrant without a display name is called by its id."""
    return tuple(names.get(entrant, entrant) for entrant in entrants)

r"""The looks of names: their visible characters, and which names look alike.

>>> looks_of("аnna") == looks_of("Anna")  # the first "аnna" begins with a Cyrillic letter
True
>>> looks_of("\u2800")
''
"""

import re
import unicodedata
from typing import Final

from arena.words import Said

_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters that Unicode ignores by default: fillers, joiners, selectors of variants."""
_BLANKS: Final = re.compile(r"[\s\u2800]+")
"""Blanks, and the pattern of Braille without a dot."""

_LIKE_LATIN: Final = {
    # Cyrillic
    # ruff: noqa: RUF001 - that they look like others is why they stand here
    **dict(zip("АВЕКМНОРСТУХІЈЅԌԚԜӀ", "ABEKMHOPCTYXIJSGQWI", strict=True)),
    **dict(zip("аеорсухіјѕһԁԛԝѵӏ", "aeopcyxijshdqwvl", strict=True)),
    # Greek
    **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX", strict=True)),
    **dict(zip("αινορυϲϳ", "aivopucj", strict=True)),
    # Armenian
    **dict(zip("ԼՕՏՍհոսցօզ", "LOSUhnugoq", strict=True)),
}
"""Letters of other scripts that look like a Latin one, large and small."""
_TO_LATIN: Final = str.maketrans(_LIKE_LATIN)


def seen_of(name: str) -> str:
    """Return the visible characters of a name, with a single blank for several in a row."""
    return _BLANKS.sub(" ", _UNSEEN.sub("", name))


def looks_of(name: str) -> str:
    """Return the same text for names that look alike.

    Large and small letters count as one, and so do letters of other scripts and the Latin ones that
    they look like.
    """
    composed = unicodedata.normalize("NFKC", name)
    visible = unicodedata.normalize("NFKC", seen_of(composed))
    latin = visible.translate(_TO_LATIN).casefold()
    return unicodedata.normalize("NFKC", latin).strip()


def odd_characters(name: str, rival: str) -> list[Said]:
    """Return the characters by which a name differs from a rival that it looks like."""
    odd = []
    for character in dict.fromkeys(name):
        if character not in rival and _is_odd(character):
            naming = {
                "name": _unicode_name(character),
                "code": f"U+{ord(character):04X}",
            }
            odd.append(Said("name.character", naming))
    return odd


def _is_odd(character: str) -> bool:
    visible = seen_of(character)
    return character in _LIKE_LATIN or visible.isspace() or not visible


def _unicode_name(character: str) -> Said | str:
    return unicodedata.name(character, "") or Said("name.nameless_character")

r"""How names look: what of them is seen, and which are taken for one another.

>>> looks_of("аnna") == looks_of("Anna")  # the first letter of the one is Cyrillic
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
"""What Unicode calls ignorable by default: fillers, joiners, selectors of variants."""
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
"""Letters of other scripts that are drawn as a Latin one, large and small."""
_TO_LATIN: Final = str.maketrans(_LIKE_LATIN)


def seen_of(name: str) -> str:
    """Return what is seen of a name, every row of blanks as one."""
    return _BLANKS.sub(" ", _UNSEEN.sub("", name))


def looks_of(name: str) -> str:
    """Return the same text for names that look alike.

    Large and small letters count as one, and so do letters of other scripts and the Latin ones that
    they look like.
    """
    seen = unicodedata.normalize("NFKC", seen_of(unicodedata.normalize("NFKC", name)))
    return unicodedata.normalize("NFKC", seen.translate(_TO_LATIN).casefold()).strip()


def odd_characters(name: str, other: str) -> list[Said]:
    """Return the characters by which a name only looks like the other one."""
    own = [one for one in dict.fromkeys(name) if one not in other]
    odd = [one for one in own if one in _LIKE_LATIN or seen_of(one).isspace() or not seen_of(one)]
    return [
        Said("name.character", {"name": _unicode_name(one), "code": f"U+{ord(one):04X}"})
        for one in odd
    ]


def _unicode_name(character: str) -> Said | str:
    return unicodedata.name(character, "") or Said("name.nameless_character")

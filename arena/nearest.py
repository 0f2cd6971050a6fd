"""The known word that was probably meant, for messages about an unknown one."""

import difflib
from collections.abc import Iterable

from arena.words import Said, say


def nearest(word: object, known: Iterable[object]) -> str:
    """Return the end of an English message: "; did you mean 'vasa'?"; empty if no known word is close."""
    return say(meant(word, known))


def meant(word: object, known: Iterable[object]) -> Said | str:
    """Return the end of a message, as a value of its `Said`: the word that was meant; empty if none is close."""
    names = {str(name).lower(): str(name) for name in known}
    lowered = str(word).lower()
    close = difflib.get_close_matches(lowered, names, n=1) or [
        name for name in names if name.startswith(f"{lowered}-")
    ]
    return Said("meant", {"word": repr(names[close[0]])}) if close else ""

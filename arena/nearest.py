"""The known word that was probably meant, for messages about an unknown one."""

import difflib
from collections.abc import Collection, Iterable, Mapping

from arena.words import Said, say


def nearest(word: object, names: Iterable[object]) -> str:
    """Return the end of an English message, such as "; did you mean 'vasa'?".

    It is empty if no name is close.
    """
    return say(meant(word, names))


def unknown_name(code: str, name: object, known: Collection[str], **more: object) -> Said:
    """Return the sentence that refuses a name, with the known ones and the nearest."""
    values = {"name": repr(name), "known": ", ".join(known), "meant": meant(name, known)}
    return Said(code, values | more)


def meant(word: object, names: Iterable[object]) -> Said | str:
    """Return the end of a message with the name that was meant; empty if no name is close."""
    return meant_by(word, {str(name): str(name) for name in names})


def meant_by(word: object, suggestions: Mapping[str, str]) -> Said | str:
    """Return the same, with what the message is to suggest for each known name."""
    by_lowered = {name.lower(): suggestion for name, suggestion in suggestions.items()}
    lowered = str(word).lower()
    close = difflib.get_close_matches(lowered, by_lowered, n=1)
    if not close:
        close = [name for name in by_lowered if name.startswith(f"{lowered}-")]
    if not close:
        return ""
    return Said("meant", {"word": repr(by_lowered[close[0]])})

"""The known word that was probably meant, for messages about an unknown one."""

import difflib
from collections.abc import Iterable


def nearest(word: object, known: Iterable[object]) -> str:
    """The end of a message: "; did you mean 'vasa'?"; empty if no known word is close."""
    names = {str(name).lower(): str(name) for name in known}
    said = str(word).lower()
    close = difflib.get_close_matches(said, names, n=1) or [name for name in names if name.startswith(f"{said}-")]
    return f"; did you mean {names[close[0]]!r}?" if close else ""

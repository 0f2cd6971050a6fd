"""The known word that was probably meant, for messages about an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: object, known: Iterable[object]) -> str:
    """The end of a message: "; did you mean 'vasa'?"; empty if no known word is close."""
    names = list(map(str, known))
    close = difflib.get_close_matches(str(word), names, n=1) or [name for name in names if name.startswith(f"{word}-")]
    return f"; did you mean {close[0]!r}?" if close else ""

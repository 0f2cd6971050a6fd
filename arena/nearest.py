"""The known word that was probably meant, for messages about an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(word: object, known: Iterable[object]) -> str:
    """The end of a message: "; did you mean 'vasa'?"; empty if no known word is close."""
    close = difflib.get_close_matches(str(word), list(map(str, known)), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""

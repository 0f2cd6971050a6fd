"""TOML from elsewhere: its size and depth are checked before it is parsed.

`tomllib` calls itself for every list in a list. Its time grows with the square of the parts of a
key. It refuses a long number with an error that is not its own.
"""

import re
import tomllib
from typing import Any, Final

from arena.regular_files import WRITTEN_BYTES
from arena.words import Said, SaidError

DEEPEST: Final = 8
"""Levels of lists and tables, and parts of a name; a tournament file needs 3."""
WORD_CHARACTERS: Final = 100
"""The longest number, or name without quotes."""
_PIECE: Final = re.compile(
    r"""
      (?P<text>
          "{3} (?: [^"\\]++ | \\.?+ | "{1,2}+(?!") )* (?: "{3,5} | \Z )
        | '{3} (?: [^']++ | '{1,2}+(?!') )* (?: '{3,5} | \Z )
        | " (?: [^"\\\n]++ | \\[^\n] )* "?
        | ' [^'\n]*+ '?
      )
      | \# [^\n]*+
      | (?P<open> [\[{] )
      | (?P<close> [\]}] )
      | (?P<dot> \. )
      | (?P<word> [^\s\[\]{}.,=\#"']++ )
      | (?P<between> [,=\n] )
    """,
    re.VERBOSE | re.DOTALL,
)
"""The pieces of TOML, with blanks between. A text without its last quote goes on to the end.

No group is possessive: Python 3.11.2 then matches too little. Nothing is tried twice, since every
text ends.
"""


class TomlLimitError(SaidError, ValueError):
    """A text is larger or deeper than any tournament file, or cannot be written; with its line."""

    def __init__(
        self,
        problem: Said,
        line: int = 1,
    ) -> None:
        self.line = line
        super().__init__(problem)


def parse_toml(text: str) -> dict[str, Any]:
    """Read a text of TOML. Raises `TomlLimitError` and `tomllib.TOMLDecodeError`."""
    check_size(text)
    depth = dots = 0
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        if kind == "open":
            depth += 1
            if depth > DEEPEST:
                raise _limit(text, piece.start(), Said("toml.deep", {"most": DEEPEST}))
        elif kind == "close":
            depth -= 1
        elif kind == "dot":
            dots += 1
            if dots == DEEPEST:
                raise _limit(text, piece.start(), Said("toml.many_parts", {"most": DEEPEST}))
        elif kind == "word" and len(piece[0]) > WORD_CHARACTERS:
            values = {"number": len(piece[0]), "most": WORD_CHARACTERS}
            raise _limit(text, piece.start(), Said("toml.long_word", values))
        if kind not in ("dot", "word", "text"):
            dots = 0
    return tomllib.loads(text)


def check_size(text: str) -> None:
    """Raise `TomlLimitError` for a text that cannot be written, or is too large to read again."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise TomlLimitError(Said("toml.not_utf_8"), line) from None
    if size > WRITTEN_BYTES:
        values = {"number": size, "most": WRITTEN_BYTES}
        raise TomlLimitError(Said("toml.too_large", values))


def _limit(
    text: str,
    at: int,
    problem: Said,
) -> TomlLimitError:
    return TomlLimitError(problem, line=text.count("\n", 0, at) + 1)

"""TOML that somebody else may have written: its size and depth are checked before it is parsed.

`tomllib` calls itself for every list in a list, takes a time that grows with the square of the
parts of a key, and refuses a long number with an error that is none of TOML.
"""

import re
import tomllib
from typing import Any, Final

from arena.regular_files import WRITTEN_BYTES

DEEPEST: Final = 8
"""Levels of lists and tables, and parts of a name; a tournament file needs 3."""
WORD_CHARACTERS: Final = 100
"""The longest number, or name without quotes."""
_PIECE: Final = re.compile(
    r"""
      (?P<text>
          "{3} (?: [^"\\]++ | \\.?+ | "{1,2}+(?!") )*+ (?: "{3,5} | \Z )
        | '{3} (?: [^']++ | '{1,2}+(?!') )*+ (?: '{3,5} | \Z )
        | " (?: [^"\\\n]++ | \\[^\n] )*+ "?
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
"""What TOML is made of; blanks lie between. A text without its last quote goes on to the end."""


class TomlLimitError(ValueError):
    """A text is larger or deeper than any tournament file, or cannot be written; with its line."""

    def __init__(self, problem: str, line: int = 1) -> None:
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
                deep = f"lists and tables lie in one another more than {DEEPEST} deep"
                raise _limit(text, piece.start(), deep)
        elif kind == "close":
            depth -= 1
        elif kind == "dot":
            dots += 1
            if dots == DEEPEST:
                many = f"a name has more than {DEEPEST} parts with dots between them"
                raise _limit(text, piece.start(), many)
        elif kind == "word" and len(piece[0]) > WORD_CHARACTERS:
            long = f"a number or a name without quotes has {len(piece[0]):,} characters"
            raise _limit(text, piece.start(), f"{long}; expected at most {WORD_CHARACTERS}")
        if kind not in ("dot", "word", "text"):
            dots = 0
    return tomllib.loads(text)


def check_size(text: str) -> None:
    """Raise `TomlLimitError` for a text that cannot be written, or is too large to be read again."""
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        problem = "it holds a byte that is no text in UTF-8; write it in UTF-8"
        raise TomlLimitError(problem, line) from None
    if size > WRITTEN_BYTES:
        raise TomlLimitError(f"it has {size:,} bytes; expected at most {WRITTEN_BYTES:,}")


def _limit(text: str, at: int, problem: str) -> TomlLimitError:
    return TomlLimitError(problem, line=text.count("\n", 0, at) + 1)

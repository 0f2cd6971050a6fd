"""Moves of Brandubh as text: `d1-c1`, and with the squares of what was captured `d1-c1xc2/b1`."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from arena.games.interface import GameError
from arena.words import Said

_SQUARE: Final = "[a-g][1-7]"
_MOVE: Final = re.compile(rf"({_SQUARE})[-\u2013/]?({_SQUARE})(?:x{_SQUARE}(?:/{_SQUARE})*)?")
_ONE_SQUARE: Final = re.compile(_SQUARE)
_ENDINGS: Final = ("king captured", "king escaped", "repetition", "no move")


def format_moves(moves: Iterable[Sequence[str]], taken: Sequence[str] = ()) -> str:
    """The moves of a turn, in Brandubh one (T1): from and to by the names of their squares, and what it captures."""
    captures = f"x{'/'.join(taken)}" if taken else ""
    return " ".join(f"{origin}-{target}{captures}" for origin, target in moves)


def parse_moves(text: str) -> list[tuple[str, str]]:
    """The moves that `format_moves` has written, with what they capture or without, and with an ending or without.

    People and other programs write `D1-C1`, `d1c1` and `d1 c1` as well. Captures and ending follow
    from the position, so they are read and left out. Raises `GameError` naming every word that is
    no move.
    """
    text, comma, ending = text.partition(",")
    if comma and ending.strip() not in _ENDINGS:
        raise GameError(
            [Said("parse.ending", {"ending": repr(ending.strip()), "names": ", ".join(_ENDINGS)})]
        )
    words = text.lower().split()
    if all(_ONE_SQUARE.fullmatch(word) for word in words) and len(words) % 2 == 0:
        words = [f"{words[at]}-{words[at + 1]}" for at in range(0, len(words), 2)]
    matches = [_MOVE.fullmatch(word) for word in words]
    wrong = [word for word, match in zip(words, matches, strict=True) if match is None]
    if wrong:
        raise GameError([Said("parse.brandubh", {"word": repr(word)}) for word in wrong])
    return [(match[1], match[2]) for match in matches if match]

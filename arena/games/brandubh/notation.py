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


def format_moves(moves: Iterable[Sequence[str]], captured: Sequence[str] = ()) -> str:
    """Write the moves of a turn, in Brandubh one (T1), by the names of their squares.

    Behind it stand the squares of what it captures.
    """
    captures = ""
    if captured:
        captures = f"x{'/'.join(captured)}"
    return " ".join(f"{origin}-{target}{captures}" for origin, target in moves)


def parse_moves(text: str) -> list[tuple[str, str]]:
    """Read the moves that `format_moves` has written, with captures and ending or without.

    People and other programs write `D1-C1`, `d1c1` and `d1 c1` as well. Captures and ending follow
    from the position, so they are read and left out. Raises `GameError` naming every word that is
    no move.
    """
    text, comma, ending = text.partition(",")
    name = ending.strip()
    if comma and name not in _ENDINGS:
        words = {"ending": repr(name), "names": ", ".join(_ENDINGS)}
        raise GameError([Said("parse.ending", words)])
    moves = []
    problems = []
    for word in _words_of_moves(text):
        match = _MOVE.fullmatch(word)
        if match is None:
            problems.append(Said("parse.brandubh", {"word": repr(word)}))
        else:
            moves.append((match[1], match[2]))
    if problems:
        raise GameError(problems)
    return moves


def _words_of_moves(text: str) -> list[str]:
    """Return the words of a text, one for each move; bare squares are taken in pairs."""
    words = text.lower().split()
    is_bare = all(_ONE_SQUARE.fullmatch(word) for word in words)
    if not is_bare or len(words) % 2:
        return words
    return [f"{origin}-{target}" for origin, target in zip(words[::2], words[1::2], strict=True)]

"""Moves of Brandubh as text: `d1-c1`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from arena.games.interface import GameError

_MOVE: Final = re.compile(r"([a-g][1-7])-([a-g][1-7])")


def format_moves(moves: Iterable[Sequence[str]]) -> str:
    """The moves of a turn, in Brandubh one (T1): from and to by the names of their squares."""
    return " ".join(f"{origin}-{target}" for origin, target in moves)


def parse_moves(text: str) -> list[tuple[str, str]]:
    """The inverse of `format_moves`; raises `GameError` naming every word that is no move."""
    words = text.split()
    matches = [_MOVE.fullmatch(word) for word in words]
    wrong = [word for word, match in zip(words, matches, strict=True) if match is None]
    if wrong:
        raise GameError([f"{word!r} is not a move such as d1-c1" for word in wrong])
    return [(match[1], match[2]) for match in matches if match]

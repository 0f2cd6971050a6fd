"""Moves of a tables game as text: `1/7 12/15`, `bar/5`, `23/off`; a pass is `pass`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from arena.games.interface import GameError
from arena.games.tables.board import BAR, OFF

_NAMES: Final = {BAR: "bar", OFF: "off"}
_SLOTS: Final = {"bar": BAR, "off": OFF}
_MOVE: Final = re.compile(r"(bar|[1-9]|1[0-9]|2[0-4])/(off|[1-9]|1[0-9]|2[0-4])")


def format_moves(moves: Iterable[Sequence[int]]) -> str:
    """The moves of a turn in the order played; slots are the mover's own points."""
    return " ".join(f"{_NAMES.get(slot, slot)}/{_NAMES.get(to, to)}" for slot, to in moves) or "pass"


def parse_moves(text: str) -> list[tuple[int, int]]:
    """The inverse of `format_moves`; raises `GameError` naming every word that is no move."""
    words = text.split()
    if words == ["pass"]:
        return []
    matches = [_MOVE.fullmatch(word) for word in words]
    wrong = [word for word, match in zip(words, matches, strict=True) if match is None]
    if wrong or not words:
        found = [f"{word!r} is not a move such as 1/7, bar/5 or 23/off" for word in wrong]
        raise GameError(found or ["no moves; a pass is 'pass'"])
    return [(_slot(match[1]), _slot(match[2])) for match in matches if match]


def _slot(word: str) -> int:
    return _SLOTS[word] if word in _SLOTS else int(word)

"""Moves of a tables game as text: `1/7 12/15`, `bar/5`, `23/off`; a pass is `pass`.

Points are the mover's own, 1-24 along its path; backgammon's are numbered as its players do, from 24 down to 1 (G1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from arena.games.interface import GameError
from arena.games.tables.board import BAR, OFF, Facing

_NAMES: Final = {BAR: "bar", OFF: "off"}
_SLOTS: Final = {"bar": BAR, "off": OFF}
_MOVE: Final = re.compile(r"(bar|[1-9]|1[0-9]|2[0-4])/(off|[1-9]|1[0-9]|2[0-4])")


def shown(slot: int, facing: Facing) -> str:
    """The name of a slot for people: `bar`, `off` or the number of the point (B1.1, G1)."""
    return _NAMES.get(slot) or str(slot if facing == "same_way" else OFF - slot)


def format_moves(moves: Iterable[Sequence[int]], facing: Facing = "same_way") -> str:
    """The moves of a turn in the order played."""
    return " ".join(f"{shown(slot, facing)}/{shown(to, facing)}" for slot, to in moves) or "pass"


def parse_moves(text: str, facing: Facing = "same_way") -> list[tuple[int, int]]:
    """The inverse of `format_moves`; raises `GameError` naming every word that is no move."""
    words = text.split()
    if words == ["pass"]:
        return []
    matches = [_MOVE.fullmatch(word) for word in words]
    wrong = [word for word, match in zip(words, matches, strict=True) if match is None]
    if wrong or not words:
        found = [f"{word!r} is not a move such as 1/7, bar/5 or 23/off" for word in wrong]
        raise GameError(found or ["no moves; a pass is 'pass'"])
    return [(_slot(match[1], facing), _slot(match[2], facing)) for match in matches if match]


def _slot(word: str, facing: Facing) -> int:
    if word in _SLOTS:
        return _SLOTS[word]
    return int(word) if facing == "same_way" else OFF - int(word)

"""Moves of a tables game as text: `1/7* 12/15`, `bar/5**`, `23/off(2)`; a pass is `pass`.

Points are the mover's own, 1-24 along its path; backgammon's are numbered as its players do, from 24 down to 1 (G1).
A `*` marks a hit and `**` a strike. A move that is repeated at once is written once, with the number of times in
parentheses. The way a game has ended stands at the end of its last turn: `bar/5**, forced jan`.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby, repeat
from typing import Final, get_args

from arena.games.interface import GameError
from arena.games.tables.board import BAR, OFF, Facing
from arena.games.tables.endings import BorneOff, EndingName
from arena.games.tables.position import Position
from arena.words import Said

HIT: Final = "*"
STRIKE: Final = "**"

_NAMES: Final = {BAR: "bar", OFF: "off"}
_SLOTS: Final = {"bar": BAR, "off": OFF}
_POINT: Final = "[1-9]|1[0-9]|2[0-4]"
_MOVE: Final = re.compile(rf"(bar|{_POINT})/(off|{_POINT})\*{{0,2}}(?:\(([2-6])\))?")
_ENDINGS: Final = tuple(name.replace("_", " ") for name in dict.fromkeys((*get_args(EndingName), *get_args(BorneOff))))


def shown(slot: int, facing: Facing) -> str:
    """The name of a slot for people: `bar`, `off` or the number of the point (B1.1, G1)."""
    return _NAMES.get(slot) or str(slot if facing == "same_way" else OFF - slot)


def marks_of(position: Position, moves: Iterable[Sequence[int]]) -> list[str]:
    """For each move of a legal turn `*` if it hits (B4.2), `**` if it strikes (B5.4, B5.5, B6.3), else nothing."""
    blots, closed = position.blots, position.closed
    marks = []
    for _, target in moves:
        point = 1 << target
        marks.append(HIT if blots & point else STRIKE if closed & point else "")
        blots &= ~point
        closed &= ~point
    return marks


def format_moves(moves: Iterable[Sequence[int]], facing: Facing = "same_way", marks: Iterable[str] = ()) -> str:
    """The moves of a turn in the order played, each with its mark; only the first of equal moves can have one."""
    paired = zip(moves, marks or repeat(""), strict=False)
    marked = [(shown(move[0], facing), shown(move[1], facing), mark) for move, mark in paired]
    words = []
    for (slot, target), group in groupby(marked, key=lambda each: each[:2]):
        equal = [mark for *_, mark in group]
        words.append(f"{slot}/{target}{equal[0]}" + (f"({len(equal)})" if len(equal) > 1 else ""))
    return " ".join(words) or "pass"


def parse_moves(text: str, facing: Facing = "same_way") -> list[tuple[int, int]]:
    """The moves that `format_moves` has written, with marks or without, and with an ending behind them or without.

    Marks and ending follow from the position, so they are read and left out. Raises `GameError` naming every word that
    is no move.
    """
    text, comma, ending = text.partition(",")
    if comma and ending.strip() not in _ENDINGS:
        raise GameError([Said("parse.ending", {"ending": repr(ending.strip()), "names": ", ".join(_ENDINGS)})])
    words = text.split()
    if words == ["pass"]:
        return []
    matches = [_MOVE.fullmatch(word) for word in words]
    wrong = [word for word, match in zip(words, matches, strict=True) if match is None]
    if wrong or not words:
        raise GameError([Said("parse.tables", {"word": repr(word)}) for word in wrong] or [Said("parse.nothing")])
    return [
        (_slot(match[1], facing), _slot(match[2], facing))
        for match in matches
        if match
        for _ in range(int(match[3] or 1))
    ]


def _slot(word: str, facing: Facing) -> int:
    if word in _SLOTS:
        return _SLOTS[word]
    return int(word) if facing == "same_way" else OFF - int(word)

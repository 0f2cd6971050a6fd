"""Moves of a tables game written as text: `1/7* 12/15`, `bar/5**`, `23/off(2)`; a pass is `pass`.

Points are the mover's own, 1-24 along its path; backgammon's are numbered as its players do, from
24 down to 1 (G1). A `*` marks a hit and `**` a strike. A move that is repeated at once is written
once, with the number of times in parentheses. The way a game has ended stands at the end of its
last turn: `bar/5**, forced jan`. `reading.py` reads it.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby, repeat
from typing import Final, get_args

from arena.games.tables.board import Facing, shown
from arena.games.tables.endings import BorneOff, EndingName
from arena.games.tables.position import Position

HIT: Final = "*"
STRIKE: Final = "**"

ENDINGS: Final = tuple(
    name.replace("_", " ") for name in dict.fromkeys((*get_args(EndingName), *get_args(BorneOff)))
)


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


def format_moves(
    moves: Iterable[Sequence[int]], facing: Facing = "same_way", marks: Iterable[str] = ()
) -> str:
    """The moves of a turn in the order played, each with its mark; only the first of equal moves can have one."""
    paired = zip(moves, marks or repeat(""), strict=False)
    marked = [(shown(move[0], facing), shown(move[1], facing), mark) for move, mark in paired]
    words = []
    for (slot, target), group in groupby(marked, key=lambda each: each[:2]):
        equal = [mark for *_, mark in group]
        words.append(f"{slot}/{target}{equal[0]}" + (f"({len(equal)})" if len(equal) > 1 else ""))
    return " ".join(words) or "pass"

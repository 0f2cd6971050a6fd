"""Moves of a tables game written as text: `1/7* 12/15`, `bar/5**`, `23/off(2)`; a pass is `pass`.

Points are the mover's own, 1-24 along its path; backgammon's are numbered as its players do, from
24 down to 1 (G1). A `*` marks a hit and `**` a strike. A move that is repeated at once is written
once, with the number of times in parentheses. The way a game has ended stands at the end of its
last turn: `bar/5**, forced jan`. `reading.py` reads it.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final, get_args

from arena.games.tables.board import Facing, shown
from arena.games.tables.endings import BorneOff, EndingName
from arena.games.tables.position import Position

HIT: Final = "*"
STRIKE: Final = "**"

_ENDING_NAMES: Final = dict.fromkeys((*get_args(EndingName), *get_args(BorneOff)))
ENDINGS: Final = tuple(name.replace("_", " ") for name in _ENDING_NAMES)
"""The endings as they stand behind the last turn of a game."""


def marks_of(position: Position, moves: Iterable[Sequence[int]]) -> list[str]:
    """Return the mark of each move of a legal turn: `*`, `**` or nothing.

    `*` is a hit (B4.2), `**` a strike (B5.4, B5.5, B6.3).
    """
    blots, closed = position.blots, position.closed
    marks = []
    for _, target in moves:
        point = 1 << target
        if blots & point:
            marks.append(HIT)
        elif closed & point:
            marks.append(STRIKE)
        else:
            marks.append("")
        blots &= ~point
        closed &= ~point
    return marks


def format_moves(
    moves: Iterable[Sequence[int]], facing: Facing = "same_way", marks: Iterable[str] = ()
) -> str:
    """Write the moves of a turn in the order played, each with its mark.

    Only the first of equal moves can have one.
    """
    words: list[str] = []
    repeats: list[int] = []
    previous = None
    for (slot, target), mark in zip(moves, marks or repeat(""), strict=False):
        move = f"{shown(slot, facing)}/{shown(target, facing)}"
        if move == previous:
            repeats[-1] += 1
        else:
            words.append(move + mark)
            repeats.append(1)
        previous = move
    if not words:
        return "pass"
    written = []
    for word, times in zip(words, repeats, strict=True):
        repeated = f"({times})" if times > 1 else ""
        written.append(word + repeated)
    return " ".join(written)

"""A drawn board for people: the mover's checkers are O, the opponent's X."""

from __future__ import annotations

from typing import Final

from arena.games.tables.board import BAR, BOUND, OFF, SIDE, SIDE_BITS, UNLOCKED, Layout, count, opposite, their_count
from arena.games.tables.position import Position

_HEIGHT: Final = 5  # checkers shown on one point; a taller stack shows its number


def draw(position: Position, layout: Layout) -> str:
    """The board in 15 lines, bar and off trays on the right, and a line for what else the ruleset remembers.

    Bräde's points are numbered along the mover's path, which runs counter-clockwise (B1.1): from 1 (lower left) along
    the lower row to 12, and from 13 (upper right) to 24. Backgammon's have the numbers its players use, with the
    mover's home at the lower right (G1).
    """
    is_one_way = layout.facing == "same_way"
    numbers = opposite(layout.facing)
    columns: dict[int, tuple[str, int]] = {}
    for p in range(1, 25):
        mine, theirs = count(position.state, p), their_count(position.state, numbers[p])
        columns[p if is_one_way else numbers[p]] = ("O", mine) if mine else ("X", theirs)
    upper, lower = list(range(13, 25)), list(range(12, 0, -1))
    if is_one_way:
        upper, lower = upper[::-1], lower[::-1]
    lines = [_labels(upper), _EDGE]
    lines += [_row(upper, columns, level) for level in range(_HEIGHT)]
    lines += [_MIDDLE]
    lines += [_row(lower, columns, level) for level in reversed(range(_HEIGHT))]
    lines += [_EDGE, _labels(lower)]
    for at, sign, bar, off in (
        (2, "X", their_count(position.state, BAR), their_count(position.state, OFF)),
        (12, "O", count(position.state, BAR), count(position.state, OFF)),
    ):
        lines[at] += f"  {sign} bar {bar:<2}"
        lines[at + 1 if at == 2 else at - 1] += f"  {sign} off {off:<2}"
    lines += _remembered(position, layout)
    return "\n".join(line.rstrip() for line in lines)


def _remembered(position: Position, layout: Layout) -> list[str]:
    """What a position holds besides checkers, in words (B4.3 [F], B11.3); the stack of B11.1 is visible."""
    words = []
    for sign, side in (("O", position.state & SIDE), ("X", position.state >> SIDE_BITS)):
        if layout.unlocked:
            words.append(f"{sign} {'unlocked' if side & UNLOCKED else 'locked'}")
        if bound := count(side, BOUND):
            words.append(f"{sign} rolls one die for {bound} more")
    return [f"   {', '.join(words)}"] if words else []


_EDGE: Final = " +" + "-" * 19 + "+" + "-" * 19 + "+"
_MIDDLE: Final = " |" + " " * 19 + "|" + " " * 19 + "|"


def _labels(points: list[int]) -> str:
    half = ["".join(f"{p:^3}" for p in part) for part in (points[:6], points[6:])]
    return f"   {half[0]}  {half[1]}"


def _row(points: list[int], columns: dict[int, tuple[str, int]], level: int) -> str:
    def cell(p: int) -> str:
        sign, number = columns[p]
        if level == _HEIGHT - 1 and number > _HEIGHT:
            return f"{number:^3}"
        return f"{sign if number > level else '.' if level == 0 else ' ':^3}"

    half = ["".join(cell(p) for p in part) for part in (points[:6], points[6:])]
    return f" | {half[0]}| {half[1]}|"

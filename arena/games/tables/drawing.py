"""A drawn board for people, seen from one side: that side's checkers are O, the other's X."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.games.interface import DrawnLine, Span, Style
from arena.games.tables.board import (
    BAR,
    BOUND,
    OFF,
    SIDE,
    SIDE_BITS,
    UNLOCKED,
    Layout,
    count,
    opposite,
    their_count,
)
from arena.games.tables.position import Position
from arena.words import Said

_HEIGHT: Final = 5  # checkers shown on one point; a taller stack shows its number
_DICE: Final = {
    1: ("┌─────┐", "│     │", "│  •  │", "│     │", "└─────┘"),
    2: ("┌─────┐", "│•    │", "│     │", "│    •│", "└─────┘"),
    3: ("┌─────┐", "│•    │", "│  •  │", "│    •│", "└─────┘"),
    4: ("┌─────┐", "│•   •│", "│     │", "│•   •│", "└─────┘"),
    5: ("┌─────┐", "│•   •│", "│  •  │", "│•   •│", "└─────┘"),
    6: ("┌─────┐", "│•   •│", "│•   •│", "│•   •│", "└─────┘"),
}


class _Stack(NamedTuple):
    """The checkers on a point or on the bar, and how many more or less than before the last turn they are."""

    style: Style
    number: int
    change: int


def picture(
    position: Position,
    layout: Layout,
    before: Position | None,
    dice: Sequence[int],
    *,
    is_mine: bool,
) -> list[DrawnLine]:
    """The board in 17 lines of at most 76 characters, and a line for what else the ruleset remembers.

    Bräde's points are numbered along each side's path, which runs counter-clockwise (B1.1): O's
    from 1 (lower left) along the lower row to 12, and from 13 (upper right) to 24. Backgammon's
    have the numbers its players use, with the home of O at the lower right (G1). Both sides'
    numbers stand at both edges, O's next to the board; `>` marks those of the side that moves. What
    has changed since the position `before` stands in parentheses: `(O)` has come, `( )` has left.
    The dice lie beside the half of the side that rolled them.
    """
    before = before or position
    theirs = opposite(layout.facing)
    upper, lower = list(range(13, 25)), list(range(12, 0, -1))
    mine: Sequence[int] = theirs  # own points by their numbers on the board
    if layout.facing == "same_way":
        upper, lower = upper[::-1], lower[::-1]
        mine = range(25)
    stacks = [_on_point(position, before, p, theirs[p]) for p in mine]
    dice_lines = _dice(dice, "first" if is_mine else "second")
    lines = _numbers(upper, theirs, is_mine=is_mine)
    lines.append([*_edge("┌", "┬", "┐"), *_off(position, before, "second")])
    bar = _in_tray(position, before, BAR, "second")
    lines += _half([stacks[p] for p in upper], bar, range(_HEIGHT), [] if is_mine else dice_lines)
    lines.append([Span(f"    │{' ' * 24}│   │{' ' * 24}│")])
    bar = _in_tray(position, before, BAR, "first")
    lines += _half(
        [stacks[p] for p in lower], bar, range(_HEIGHT - 1, -1, -1), dice_lines if is_mine else []
    )
    lines.append([*_edge("└", "┴", "┘"), *_off(position, before, "first")])
    lines += _numbers(lower, theirs, is_mine=is_mine)[::-1]
    return lines + _remembered(position, layout)


def _on_point(position: Position, before: Position, p: int, theirs: int) -> _Stack:
    """Return what stands on my point p, the opponent's point `theirs`; a blot that was hit is told by who hit it."""
    mine, others = count(position.state, p), their_count(position.state, theirs)
    if mine or (not others and count(before.state, p)):
        return _Stack("first", mine, mine - count(before.state, p))
    return _Stack("second", others, others - their_count(before.state, theirs))


def _in_tray(position: Position, before: Position, slot: int, style: Style) -> _Stack:
    counted = count if style == "first" else their_count
    return _Stack(
        style,
        counted(position.state, slot),
        counted(position.state, slot) - counted(before.state, slot),
    )


def _sign(style: Style) -> str:
    return "O" if style == "first" else "X"


def _numbers(points: list[int], theirs: Sequence[int], *, is_mine: bool) -> list[DrawnLine]:
    """The numbers of both sides along an upper edge, the opponent's outside."""
    lines: list[DrawnLine] = []
    for style in ("second", "first"):
        is_moving = is_mine is (style == "first")
        shown = points if style == "first" else [theirs[p] for p in points]
        cells = [f"{number:^4}" for number in shown]
        row = "".join(cells[:6]) + " " * 5 + "".join(cells[6:])
        text = f"{'>' if is_moving else ' '} {_sign(style)}  {row}"
        lines.append([Span(text, "moving" if is_moving else "quiet")])
    return lines


def _edge(left: str, middle: str, right: str) -> DrawnLine:
    return [Span(f"    {left}{'─' * 24}{middle}───{middle}{'─' * 24}{right}")]


def _off(position: Position, before: Position, style: Style) -> DrawnLine:
    stack = _in_tray(position, before, OFF, style)
    return [
        Span("  "),
        Span(Said("tray.off", {"side": _sign(style), "number": stack.number}), style),
    ] + ([Span(f" (+{stack.change})", "moved")] if stack.change > 0 else [])


def _half(
    points: list[_Stack], bar: _Stack, levels: Sequence[int], beside: list[DrawnLine]
) -> list[DrawnLine]:
    """The rows of the upper or the lower half of the board; what lies beside it has as many lines."""
    lines: list[DrawnLine] = []
    for place, level in enumerate(levels):
        cells = [_cell(stack, level, 4, "." if level == 0 else "") for stack in points]
        line = [
            Span("    │"),
            *cells[:6],
            Span("│"),
            _cell(bar, level, 3),
            Span("│"),
            *cells[6:],
            Span("│"),
        ]
        lines.append([*line, Span("  "), *beside[place]] if beside else line)
    return lines


def _cell(stack: _Stack, level: int, width: int, empty: str = "") -> Span:
    """One level of a stack; its top shows the number where there are more than can be shown."""
    style, number, change = stack
    is_counted = number > _HEIGHT or (number == _HEIGHT and change < 0)
    if level == _HEIGHT - 1 and is_counted:
        text, has_changed = str(number), change != 0
    elif level < number:
        text, has_changed = _sign(style), level >= number - change
    else:
        text, has_changed = " " if level < number - change else empty, level < number - change
    if has_changed:
        text = f"({text})"[:width]
    return Span(
        f"{text:^{width}}", "moved" if has_changed else style if level < number else "quiet"
    )


def _dice(dice: Sequence[int], style: Style) -> list[DrawnLine]:
    """The roll in five lines; none without dice."""
    drawn = [_DICE[die] for die in dice]
    return [[Span(" ".join(parts), style)] for parts in zip(*drawn, strict=True)]


def _remembered(position: Position, layout: Layout) -> list[DrawnLine]:
    """Describe what a position holds beside checkers (B4.3 [F], B11.3); the stack of B11.1 can be seen."""
    words = []
    for sign, side in (("O", position.state & SIDE), ("X", position.state >> SIDE_BITS)):
        if layout.unlocked:
            words.append(
                Said("tray.unlocked" if side & UNLOCKED else "tray.locked", {"side": sign})
            )
        if bound := count(side, BOUND):
            words.append(Said("tray.one_die", {"side": sign, "number": bound}))
    line: DrawnLine = []
    for one in words:
        line += [Span(", " if line else "    "), Span(one)]
    return [line] if line else []

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
    """The checkers on a point or on the bar, and the change since before the last turn."""

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
    """Draw the board in 17 lines of at most 76 characters.

    One more line has what else the ruleset remembers.

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
    upper_dice: list[DrawnLine] = []
    lower_dice: list[DrawnLine] = []
    if is_mine:
        lower_dice = _dice(dice, "first")
    else:
        upper_dice = _dice(dice, "second")
    upper_bar = _in_tray(position, before, BAR, "second")
    lower_bar = _in_tray(position, before, BAR, "first")
    upper_stacks = [stacks[p] for p in upper]
    lower_stacks = [stacks[p] for p in lower]
    return [
        *_numbers(upper, theirs, is_mine=is_mine),
        [*_edge("┌", "┬", "┐"), *_off(position, before, "second")],
        *_half(upper_stacks, upper_bar, range(_HEIGHT), upper_dice),
        [Span(f"    │{' ' * 24}│   │{' ' * 24}│")],
        *_half(lower_stacks, lower_bar, range(_HEIGHT - 1, -1, -1), lower_dice),
        [*_edge("└", "┴", "┘"), *_off(position, before, "first")],
        *_numbers(lower, theirs, is_mine=is_mine)[::-1],
        *_remembered(position, layout),
    ]


def _on_point(position: Position, before: Position, p: int, theirs: int) -> _Stack:
    """Return what stands on my point p, the opponent's point `theirs`.

    If a blot was hit, it is the checkers of the side that hit it.
    """
    mine, others = count(position.state, p), their_count(position.state, theirs)
    mine_before = count(before.state, p)
    if mine or (not others and mine_before):
        return _Stack("first", mine, mine - mine_before)
    return _Stack("second", others, others - their_count(before.state, theirs))


def _in_tray(position: Position, before: Position, slot: int, style: Style) -> _Stack:
    """Return the checkers of one side on the bar or off."""
    count_of = count if style == "first" else their_count
    number = count_of(position.state, slot)
    return _Stack(style, number, number - count_of(before.state, slot))


def _sign(style: Style) -> str:
    """Return the sign of a side's checkers."""
    return "O" if style == "first" else "X"


def _numbers(points: list[int], theirs: Sequence[int], *, is_mine: bool) -> list[DrawnLine]:
    """Draw the numbers of both sides along an upper edge, the opponent's outside."""
    mover = "first" if is_mine else "second"
    their_points = [theirs[p] for p in points]
    lines: list[DrawnLine] = []
    sides: list[tuple[Style, list[int]]] = [("second", their_points), ("first", points)]
    for side, numbers in sides:
        cells = [f"{number:^4}" for number in numbers]
        row = "".join(cells[:6]) + " " * 5 + "".join(cells[6:])
        if side == mover:
            lines.append([Span(f"> {_sign(side)}  {row}", "moving")])
        else:
            lines.append([Span(f"  {_sign(side)}  {row}", "quiet")])
    return lines


def _edge(first: str, middle: str, last: str) -> DrawnLine:
    """Draw the upper or the lower edge of the board with these corners and joints."""
    return [Span(f"    {first}{'─' * 24}{middle}───{middle}{'─' * 24}{last}")]


def _off(position: Position, before: Position, style: Style) -> DrawnLine:
    """Draw the number of checkers that a side has borne off, at the end of an edge."""
    stack = _in_tray(position, before, OFF, style)
    text = Said("tray.off", {"side": _sign(style), "number": stack.number})
    line = [Span("  "), Span(text, style)]
    if stack.change > 0:
        line.append(Span(f" (+{stack.change})", "moved"))
    return line


def _half(
    points: list[_Stack], bar: _Stack, levels: Sequence[int], beside: list[DrawnLine]
) -> list[DrawnLine]:
    """Draw the rows of the upper or the lower half of the board, and the dice beside it."""
    lines: list[DrawnLine] = []
    for index, level in enumerate(levels):
        empty = "." if level == 0 else ""
        cells = [_cell(stack, level, 4, empty) for stack in points]
        line = [
            Span("    │"),
            *cells[:6],
            Span("│"),
            _cell(bar, level, 3, ""),
            Span("│"),
            *cells[6:],
            Span("│"),
        ]
        if beside:
            line += [Span("  "), *beside[index]]
        lines.append(line)
    return lines


def _cell(stack: _Stack, level: int, width: int, empty: str) -> Span:
    """Draw one level of a stack; its top shows the number where there are too many to show."""
    number, before = stack.number, stack.number - stack.change
    style: Style = "quiet"
    if level < number:
        style = stack.style
    is_counted = number > _HEIGHT or (number == _HEIGHT and stack.change < 0)
    if level == _HEIGHT - 1 and is_counted:
        text, has_changed = str(number), stack.change != 0
    elif level < number:
        text, has_changed = _sign(stack.style), level >= before
    elif level < before:
        text, has_changed = " ", True
    else:
        text, has_changed = empty, False
    if has_changed:
        text, style = f"({text})"[:width], "moved"
    return Span(f"{text:^{width}}", style)


def _dice(dice: Sequence[int], style: Style) -> list[DrawnLine]:
    """Draw the roll in five lines; none without dice."""
    drawn = [_DICE[die] for die in dice]
    return [[Span(" ".join(parts), style)] for parts in zip(*drawn, strict=True)]


def _remembered(position: Position, layout: Layout) -> list[DrawnLine]:
    """Describe what a position holds beside checkers (B4.3 [F], B11.3).

    The stack of B11.1 can be seen.
    """
    words = []
    for sign, side in (("O", position.state & SIDE), ("X", position.state >> SIDE_BITS)):
        if layout.unlocked:
            lock = "tray.unlocked" if side & UNLOCKED else "tray.locked"
            words.append(Said(lock, {"side": sign}))
        bound = count(side, BOUND)
        if bound:
            words.append(Said("tray.one_die", {"side": sign, "number": bound}))
    line: DrawnLine = []
    for word in words:
        separator = ", " if line else "    "
        line += [Span(separator), Span(word)]
    return [line] if line else []

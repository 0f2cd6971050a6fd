"""A drawn board for people, as in the rule book."""

from __future__ import annotations

from arena.games.brandubh.board import CORNERS, FILES, RANKS, THRONE, squares
from arena.games.brandubh.position import BrandubhPosition
from arena.games.interface import DrawnLine, Span, Style
from arena.words import Said

_STYLES: dict[str, Style] = {"b": "second", "w": "first", "K": "first"}


def picture(position: BrandubhPosition, before: BrandubhPosition | None) -> list[DrawnLine]:
    """The board in 8 lines, rank 7 above; the last names the files and the side to move.

    `b` and `w` are warriors, `K` is the king, `x` an empty corner, `+` the empty throne and `.` any other empty square.
    With the position before the last move, what has changed stands in parentheses: `(b)` has come, `( )` has left and
    `(*)` was captured.
    """
    now, was = _signs(position), _signs(before or position)
    lines: list[DrawnLine] = []
    for rank in range(6, -1, -1):
        line = [Span(f"{RANKS[rank]}   " if before is None else f"{RANKS[rank]}  ")]
        for square in range(rank * 7, rank * 7 + 7):
            sign = now[square]
            style = _STYLES.get(sign, "quiet")
            if before is None:
                line += [Span(sign, style), Span(" ")]
            elif sign == was[square]:
                line.append(Span(f" {sign} ", style))
            elif sign in _STYLES:
                line.append(Span(f"({sign})", "moved"))
            else:  # the side that moved has left it, the other was captured there
                is_own = (was[square] == "b") is (before.to_move == "black")
                line.append(Span("( )" if is_own else "(*)", "moved"))
        lines.append(line)
    to_move = Said("side.to_move", {"side": Said(f"side.{position.to_move}")})
    files = " ".join(FILES) if before is None else "  ".join(FILES)
    return [*lines, [Span(f"    {files}   "), Span(to_move)]]


def _signs(position: BrandubhPosition) -> list[str]:
    """The sign of every square."""
    signs = ["."] * 49
    marks = {"x": CORNERS, "+": THRONE, "b": position.black, "w": position.white, "K": position.king}
    for sign, mask in marks.items():
        for square in squares(mask):
            signs[square] = sign
    return signs

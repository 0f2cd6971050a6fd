"""A drawn board for people, as in the rule book."""

from __future__ import annotations

from arena.games.brandubh.board import CORNERS, FILES, RANKS, THRONE, squares
from arena.games.brandubh.position import Position


def draw(position: Position) -> str:
    """The board in 8 lines, rank 7 above; the last names the files and the side to move.

    `b` and `w` are warriors, `K` is the king, `x` an empty corner, `+` the empty throne and `.` any other empty square.
    """
    signs = ["."] * 49
    marks = {"x": CORNERS, "+": THRONE, "b": position.black, "w": position.white, "K": position.king}
    for sign, mask in marks.items():
        for square in squares(mask):
            signs[square] = sign
    lines = [f"{RANKS[rank]}   {' '.join(signs[rank * 7 : rank * 7 + 7])}" for rank in range(6, -1, -1)]
    return "\n".join([*lines, f"    {' '.join(FILES)}   {position.to_move.capitalize()} to move"])

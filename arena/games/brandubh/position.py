"""A position of Brandubh, its text forms, and the board drawn for people."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from arena.games.brandubh.board import (
    CORNERS,
    FILES,
    RANKS,
    RESERVED,
    SQUARES,
    THRONE,
    mask_of,
    squares,
)
from arena.games.interface import DrawnLine, GameError, Span, Style
from arena.words import Said

Side = Literal["black", "white"]

BLACK_WARRIORS: Final = 8  # T, the board at the start
WHITE_WARRIORS: Final = 4  # likewise
SIDES: Final[tuple[Side, ...]] = ("black", "white")


@dataclass(frozen=True, slots=True)
class BrandubhPosition:
    """A board and the side to move; two positions are equal when these are, however they came about.

    Black and White have their colours for the whole game, and both see the same board, so a
    position has no view. After a turn `to_move` is the other side at once.
    """

    black: int
    """Mask of Black's warriors."""
    white: int
    """Mask of White's warriors, without the king."""
    king: int
    """Mask of the king's square; 0 once he is captured (T8)."""
    to_move: Side
    earlier: tuple[int, ...] = field(default=(), compare=False)
    """The placements before this one, packed by `placement`, that could come up again (T9). No
    placement from before a capture can, so a capture empties it; in a position from its text form
    it is empty too."""


def placement(position: BrandubhPosition) -> int:
    """Board and side to move in one integer, different for different ones (T9)."""
    board = position.black | position.white << 49 | position.king << 98
    return board << 1 | (position.to_move == "white")


def occurrences(position: BrandubhPosition) -> int:
    """T9: how often this placement has occurred with the same side to move, including now."""
    earlier = position.earlier
    return 1 + earlier.count(placement(position)) if earlier else 1


START: Final = BrandubhPosition(
    black=mask_of("d1", "d2", "d6", "d7", "a4", "b4", "f4", "g4"),
    white=mask_of("d3", "d5", "c4", "e4"),
    king=THRONE,
    to_move="black",
)
"""T, T1: the board at the start; Black begins."""


def rows(position: BrandubhPosition) -> list[str]:
    """Seven strings of seven signs, rank 7 first and file a first: `b`, `w`, `k`, and `.` for an empty square."""
    text = "".join(_signs({"b": position.black, "w": position.white, "k": position.king}))
    return [text[first : first + 7] for first in range(42, -1, -7)]


def to_plain(position: BrandubhPosition) -> dict[str, Any]:
    """`{"board": [7 strings, rank 7 first], "to_move": "black" or "white"}`, without earlier placements."""
    return {"board": rows(position), "to_move": position.to_move}


def from_plain(plain: object) -> BrandubhPosition:
    """The inverse of `to_plain`: a position whose placement occurs for the first time.

    A board without a king, or with the king in a corner, belongs to a game that is over (T8).
    Raises `GameError` with every problem found.
    """
    if not isinstance(plain, Mapping):
        raise GameError(
            [f"a position is an object with board and to_move, not {type(plain).__name__}"]
        )
    found = [
        f"unknown field {name!r} in a position; known are board, to_move"
        for name in plain
        if name not in ("board", "to_move")
    ]
    to_move = plain.get("to_move")
    side = next((one for one in SIDES if one == to_move), None)
    if side is None:
        found.append(f"to_move must be 'black' or 'white', found {to_move!r}")
    black, white, king = _masks(plain.get("board"), found)
    if found or side is None:
        raise GameError(found)
    return BrandubhPosition(black, white, king, side)


def _masks(board: object, found: list[str]) -> tuple[int, int, int]:
    """The masks of Black's warriors, White's and the king; appends every problem to `found`."""
    if not isinstance(board, Sequence) or isinstance(board, str) or len(board) != 7:
        found.append(f"board must be a list of 7 strings, rank 7 first, found {board!r}")
        return 0, 0, 0
    masks = {"b": 0, "w": 0, "k": 0}
    for rank, row in zip(range(7, 0, -1), board, strict=True):
        if not isinstance(row, str) or len(row) != 7:
            found.append(f"rank {rank} must be a string of 7 signs, found {row!r}")
            continue
        for square, sign in enumerate(row, start=(rank - 1) * 7):
            if sign in masks:
                masks[sign] |= 1 << square
            elif sign != ".":
                found.append(f"{SQUARES[square]} holds {sign!r}; expected b, w, k or .")
    black, white, king = masks["b"], masks["w"], masks["k"]
    found += [
        f"{name} holds a warrior, and only the king may stop there"  # T2
        for square, name in enumerate(SQUARES)
        if (black | white) & RESERVED & 1 << square
    ]
    for mask, most, what in (
        (black, BLACK_WARRIORS, "b"),
        (white, WHITE_WARRIORS, "w"),
        (king, 1, "k"),
    ):
        if mask.bit_count() > most:
            found.append(
                f"there can be at most {most} {what} on the board, found {mask.bit_count()}"
            )
    return black, white, king


def parse_position(text: str) -> BrandubhPosition:
    """The compact literal: the rows of the plain form joined by slashes, and the side to move.

    The start is `...b.../...b.../...w.../bbwkwbb/...w.../...b.../...b... black`. Raises `GameError`
    with every problem found.
    """
    board, space, to_move = text.partition(" ")
    if not space:
        raise GameError(
            [f"a position is seven rows joined by '/', a space and black or white, found {text!r}"]
        )
    return from_plain({"board": board.split("/"), "to_move": to_move})


def format_position(position: BrandubhPosition) -> str:
    """The inverse of `parse_position`."""
    return f"{'/'.join(rows(position))} {position.to_move}"


_STYLES: dict[str, Style] = {"b": "second", "w": "first", "K": "first"}


def picture(position: BrandubhPosition, before: BrandubhPosition | None) -> list[DrawnLine]:
    """The board as in the rule book in 8 lines, rank 7 above; the last names the files and the side to move.

    `b` and `w` are warriors, `K` is the king, `x` an empty corner, `+` the empty throne and `.` any
    other empty square. With the position before the last move, what has changed stands in
    parentheses: `(b)` has come, `( )` has left and `(*)` was captured.
    """
    now, was = _drawn(position), _drawn(before or position)
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


def _drawn(position: BrandubhPosition) -> list[str]:
    return _signs(
        {"x": CORNERS, "+": THRONE, "b": position.black, "w": position.white, "K": position.king}
    )


def _signs(marks: Mapping[str, int]) -> list[str]:
    """The sign of every square: of the last mask that has it, else a point."""
    signs = ["."] * 49
    for sign, mask in marks.items():
        for square in squares(mask):
            signs[square] = sign
    return signs

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
    """A board and the side to move; two positions are equal when these are.

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
    """Count how often this placement has occurred with the same side to move, with now (T9)."""
    if not position.earlier:
        return 1
    return 1 + position.earlier.count(placement(position))


START: Final = BrandubhPosition(
    black=mask_of("d1", "d2", "d6", "d7", "a4", "b4", "f4", "g4"),
    white=mask_of("d3", "d5", "c4", "e4"),
    king=THRONE,
    to_move="black",
)
"""T, T1: the board at the start; Black begins."""


def rows(position: BrandubhPosition) -> list[str]:
    """Return seven strings of seven signs, rank 7 first and file a first.

    The signs are `b`, `w`, `k`, and `.` for an empty square.
    """
    text = "".join(_signs({"b": position.black, "w": position.white, "k": position.king}))
    return [text[first : first + 7] for first in range(42, -1, -7)]


def to_plain(position: BrandubhPosition) -> dict[str, Any]:
    """Return `{"board": [7 strings, rank 7 first], "to_move": "black" or "white"}`.

    Earlier placements are not part of it.
    """
    return {"board": rows(position), "to_move": position.to_move}


def from_plain(plain: object) -> BrandubhPosition:
    """Return the position that `to_plain` wrote; its placement occurs for the first time.

    A board without a king, or with the king in a corner, belongs to a game that is over (T8).
    Raises `GameError` with every problem.
    """
    if not isinstance(plain, Mapping):
        raise GameError(
            [f"a position is an object with board and to_move, not {type(plain).__name__}"]
        )
    problems = [
        f"unknown field {name!r} in a position; known are board, to_move"
        for name in plain
        if name not in ("board", "to_move")
    ]
    to_move: Any = plain.get("to_move")
    if to_move not in SIDES:
        problems.append(f"to_move must be 'black' or 'white', found {to_move!r}")
    board: Any = plain.get("board")
    problems += _board_problems(board)
    if problems:
        raise GameError(problems)
    black, white, king = _masks(board)
    return BrandubhPosition(black, white, king, to_move)


def _board_problems(board: object) -> list[str]:
    """Return what is wrong with the rows of a board, or with what stands on it."""
    if not isinstance(board, Sequence) or isinstance(board, str) or len(board) != 7:
        return [f"board must be a list of 7 strings, rank 7 first, found {board!r}"]
    problems = []
    for rank, row in zip(range(7, 0, -1), board, strict=True):
        if not isinstance(row, str) or len(row) != 7:
            problems.append(f"rank {rank} must be a string of 7 signs, found {row!r}")
            continue
        for file, sign in zip(FILES, row, strict=True):
            if sign not in "bwk.":
                problems.append(f"{file}{rank} holds {sign!r}; expected b, w, k or .")
    black, white, king = _masks(board)
    problems += [
        f"{SQUARES[square]} holds a warrior, and only the king may stop there"  # T2
        for square in squares((black | white) & RESERVED)
    ]
    for mask, most, sign in (
        (black, BLACK_WARRIORS, "b"),
        (white, WHITE_WARRIORS, "w"),
        (king, 1, "k"),
    ):
        number = mask.bit_count()
        if number > most:
            problems.append(f"there can be at most {most} {sign} on the board, found {number}")
    return problems


def _masks(board: Sequence[object]) -> tuple[int, int, int]:
    """Return the masks of Black's warriors, White's and the king; rows of no use stay empty."""
    masks = {"b": 0, "w": 0, "k": 0, ".": 0}
    for first, row in zip(range(42, -1, -7), board, strict=True):
        if not isinstance(row, str) or len(row) != 7:
            continue
        for square, sign in enumerate(row, start=first):
            if sign in masks:
                masks[sign] |= 1 << square
    return masks["b"], masks["w"], masks["k"]


def parse_position(text: str) -> BrandubhPosition:
    """Read a literal: the rows of the plain form joined by slashes, and the side to move.

    The start is `...b.../...b.../...w.../bbwkwbb/...w.../...b.../...b... black`. Raises `GameError`
    with every problem.
    """
    board, space, to_move = text.partition(" ")
    if not space:
        raise GameError(
            [f"a position is seven rows joined by '/', a space and black or white, found {text!r}"]
        )
    return from_plain({"board": board.split("/"), "to_move": to_move})


def format_position(position: BrandubhPosition) -> str:
    """Write the literal that `parse_position` reads."""
    return f"{'/'.join(rows(position))} {position.to_move}"


_STYLES: dict[str, Style] = {"b": "second", "w": "first", "K": "first"}


def picture(position: BrandubhPosition, before: BrandubhPosition | None) -> list[DrawnLine]:
    """Draw the board as in the rule book in 8 lines, rank 7 above.

    The last line names the files and the side to move. `b` and `w` are warriors, `K` is the king,
    `x` an empty corner, `+` the empty throne and `.` any other empty square. With the position
    before the last move, what has changed stands in parentheses: `(b)` has come, `( )` has left and
    `(*)` was captured.
    """
    side = Said(f"side.{position.to_move}")
    to_move = Span(Said("side.to_move", {"side": side}))
    if before is None:
        lines = _drawn(position)
        files = " ".join(FILES)
    else:
        lines = _drawn_with_changes(position, before)
        files = "  ".join(FILES)
    return [*lines, [Span(f"    {files}   "), to_move]]


def _drawn(position: BrandubhPosition) -> list[DrawnLine]:
    """Draw the ranks of a position."""
    signs = _signs_for_people(position)
    lines: list[DrawnLine] = []
    for rank in range(6, -1, -1):
        line = [Span(f"{RANKS[rank]}   ")]
        for sign in signs[rank * 7 : rank * 7 + 7]:
            line += [Span(sign, _style(sign)), Span(" ")]
        lines.append(line)
    return lines


def _drawn_with_changes(position: BrandubhPosition, before: BrandubhPosition) -> list[DrawnLine]:
    """Draw the ranks of a position, with the changes since the one before."""
    signs, signs_before = _signs_for_people(position), _signs_for_people(before)
    mover_is_black = before.to_move == "black"
    lines: list[DrawnLine] = []
    for rank in range(6, -1, -1):
        line = [Span(f"{RANKS[rank]}  ")]
        for square in range(rank * 7, rank * 7 + 7):
            sign, sign_before = signs[square], signs_before[square]
            was_black = sign_before == "b"
            if sign == sign_before:
                line.append(Span(f" {sign} ", _style(sign)))
            elif sign in _STYLES:
                line.append(Span(f"({sign})", "moved"))
            elif was_black is mover_is_black:
                line.append(Span("( )", "moved"))  # the side that moved has left it
            else:
                line.append(Span("(*)", "moved"))  # the other was captured there
        lines.append(line)
    return lines


def _style(sign: str) -> Style:
    """Return the style of a sign: of its side, or quiet for an empty square."""
    return _STYLES.get(sign, "quiet")


def _signs_for_people(position: BrandubhPosition) -> list[str]:
    """Return the sign of every square as people see it."""
    return _signs(
        {"x": CORNERS, "+": THRONE, "b": position.black, "w": position.white, "K": position.king}
    )


def _signs(marks: Mapping[str, int]) -> list[str]:
    """Return the sign of every square: of the last mask that has it, else a point."""
    signs = ["."] * 49
    for sign, mask in marks.items():
        for square in squares(mask):
            signs[square] = sign
    return signs

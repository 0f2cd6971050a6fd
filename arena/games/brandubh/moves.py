"""Moves, captures and the position after a move (T2-T7), and the endings it can bring (T8-T10).

Inside the engine a move is a pair of square numbers, (from, to).
"""

from typing import Final

from arena.games.brandubh.board import (
    BESIDE,
    BESIDE_THRONE,
    CORNERS,
    GRIPS,
    RAYS,
    RESERVED,
    THRONE,
    squares,
)
from arena.games.brandubh.position import BrandubhPosition, Side, occurrences, placement
from arena.games.brandubh.ruleset import BrandubhRuleset
from arena.games.interface import Ending

Move = tuple[int, int]


def _moves_from(origin: int) -> tuple[Move, ...]:
    """Return the pairs of a square with every square."""
    return tuple((origin, target) for target in range(49))


MOVES: Final = tuple(_moves_from(origin) for origin in range(49))
"""Every pair of squares once, so that lists of moves share them."""


class MovesAlong(dict[int, tuple[Move, ...]]):
    """The moves of one piece along its row or column, by the mask of occupied squares there (T2).

    Each entry is worked out when it is first asked for; there are at most 64.
    """

    def __init__(self, origin: int, rays: tuple[tuple[int, ...], ...], *, reserved: int) -> None:
        super().__init__()
        self._origin = origin
        self._rays = rays
        self._reserved = reserved

    def __missing__(self, occupied: int) -> tuple[Move, ...]:
        moves = []
        for ray in self._rays:
            for square in ray:
                if occupied >> square & 1:
                    break
                if not self._reserved >> square & 1:
                    moves.append(MOVES[self._origin][square])
        self[occupied] = tuple(moves)
        return self[occupied]


Cross = tuple[int, MovesAlong, int, MovesAlong]
"""For one square: the mask of the other squares of its row, the moves along it, and the same two
for its column."""


def _crosses(reserved: int) -> tuple[Cross, ...]:
    """Return the row and the column of every square.

    They are for a piece that may not stop on the reserved squares.
    """
    crosses = []
    for origin, (to_right, to_left, up, down) in enumerate(RAYS):
        row = sum(1 << square for square in to_right + to_left)
        column = sum(1 << square for square in up + down)
        along_row = MovesAlong(origin, (to_right, to_left), reserved=reserved)
        along_column = MovesAlong(origin, (up, down), reserved=reserved)
        crosses.append((row, along_row, column, along_column))
    return tuple(crosses)


WARRIOR: Final = _crosses(RESERVED)
KING: Final = _crosses(0)


def moves_of(position: BrandubhPosition, square: int) -> tuple[Move, ...]:
    """Return the moves of the piece on one square, of either side (T2)."""
    crosses = KING if position.king >> square & 1 else WARRIOR
    row, along_row, column, along_column = crosses[square]
    occupied = position.black | position.white | position.king
    return along_row[occupied & row] + along_column[occupied & column]


def legal_moves(position: BrandubhPosition) -> list[Move]:
    """Return every move of the side to move (T2); does not check whether the game is over."""
    black, white, king = position.black, position.white, position.king
    occupied = black | white | king
    warriors = black if position.to_move == "black" else white
    moves: list[Move] = []
    for square in squares(warriors):
        row, along_row, column, along_column = WARRIOR[square]
        moves += along_row[occupied & row]
        moves += along_column[occupied & column]
    if king and position.to_move == "white":
        row, along_row, column, along_column = KING[king.bit_length() - 1]
        moves += along_row[occupied & row]
        moves += along_column[occupied & column]
    return moves


def can_move(position: BrandubhPosition) -> bool:
    """Return whether the side to move has a legal move (T9); stops at the first one."""
    return any(moves_of(position, square) for square in squares(pieces_to_move(position)))


def pieces_to_move(position: BrandubhPosition) -> int:
    """Return the mask of the pieces of the side to move (T1)."""
    if position.to_move == "black":
        return position.black
    return position.white | position.king


def play(rules: BrandubhRuleset, position: BrandubhPosition, move: Move) -> BrandubhPosition:
    """Return the position after a legal move and its captures; the other side is to move (T1)."""
    origin, target = move
    black, white, king = position.black, position.white, position.king
    lifted = 1 << origin | 1 << target  # the square that empties and the one that fills
    captures = 0
    to_move: Side
    if position.to_move == "black":
        to_move = "white"
        black ^= lifted
        if BESIDE[target] & (white | king):
            captures = captured(rules, target, white, black, king)
            if king & BESIDE[target] and is_king_captured(rules, target, black, king):
                captures |= king
            white &= ~captures
            king &= ~captures
    else:
        to_move = "black"
        if king >> origin & 1:
            king ^= lifted
        else:
            white ^= lifted
        if BESIDE[target] & black:
            captures = captured(rules, target, black, white | king, king)  # T4
            black &= ~captures
    earlier: tuple[int, ...] = ()
    if not captures:
        earlier = (*position.earlier, placement(position))
    return BrandubhPosition(black, white, king, to_move, earlier)


def captured(rules: BrandubhRuleset, target: int, warriors: int, enemies: int, king: int) -> int:
    """Return the mask of the warriors that a piece captures by arriving on the target square (T3).

    `enemies` are the pieces on the side of the one that moved, after its move, the king included.
    """
    hostile = enemies | CORNERS  # T5
    if rules.throne_hostile and king != THRONE:
        hostile |= THRONE  # T7
    captures = 0
    for beside, opposite in GRIPS[target]:
        if warriors & beside and hostile & opposite:
            captures |= beside
    return captures


def is_king_captured(rules: BrandubhRuleset, target: int, black: int, king: int) -> bool:
    """Return whether the black warrior that arrived on the target captures the king (T6, T7).

    The king stands next to the target.
    """
    if king == THRONE and rules.king_on_throne == "all_four":
        return not BESIDE_THRONE & ~black
    if king & BESIDE_THRONE and rules.king_beside_throne == "other_three":
        return not BESIDE[king.bit_length() - 1] & ~(black | THRONE)
    # T5: a corner is the enemy of the king as well
    return captured(rules, target, king, black, king) != 0


def ending_of(rules: BrandubhRuleset, position: BrandubhPosition) -> Ending | None:
    """Return the ending of the game in this position, if it has ended, in the order of T10.

    The captures of the last move have been made. Unless the ending is a draw, the side that is not
    to move has won.
    """
    if not position.king:
        return Ending(name="king_captured", points=rules.points_win, clause="T8")
    if position.king & CORNERS:
        return Ending(name="king_escaped", points=rules.points_win, clause="T8")
    if rules.repetitions and occurrences(position) >= rules.repetitions:
        return Ending(name="repetition", points=0, clause="T9", is_drawn=True)
    if not can_move(position):
        return Ending(name="no_move", points=0, clause="T9", is_drawn=True)
    return None

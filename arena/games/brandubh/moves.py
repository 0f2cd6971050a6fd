"""Moves, captures and the position after a move (T2-T7), and the endings that it can bring (T8-T10).

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
from arena.games.brandubh.position import BrandubhPosition, occurrences, placement
from arena.games.brandubh.ruleset import BrandubhRuleset
from arena.games.interface import Ending

Move = tuple[int, int]

MOVES: Final = tuple(tuple((origin, target) for target in range(49)) for origin in range(49))
"""Every pair of squares once, so that lists of moves share them."""


class MovesAlong(dict[int, tuple[Move, ...]]):
    """T2: the moves of one piece along its row or column, by the mask of the others there that are occupied.

    Each entry is worked out when it is first asked for; there are at most 64.
    """

    def __init__(self, origin: int, ways: tuple[tuple[int, ...], ...], *, reserved: int) -> None:
        super().__init__()
        self._origin = origin
        self._ways = ways
        self._reserved = reserved

    def __missing__(self, occupied: int) -> tuple[Move, ...]:
        moves = []
        for way in self._ways:
            for square in way:
                if occupied >> square & 1:
                    break
                if not self._reserved >> square & 1:
                    moves.append(MOVES[self._origin][square])
        self[occupied] = tuple(moves)
        return self[occupied]


Cross = tuple[int, MovesAlong, int, MovesAlong]
"""Of one square: the mask of the rest of its row, the moves along it, and the same two for its
column."""


def _crosses(reserved: int) -> tuple[Cross, ...]:
    """The row and the column of every square for a piece that may not stop on the reserved squares."""
    crosses = []
    for origin, (right, left, up, down) in enumerate(RAYS):
        row, column = (sum(1 << square for square in way) for way in (right + left, up + down))
        along_row = MovesAlong(origin, (right, left), reserved=reserved)
        along_column = MovesAlong(origin, (up, down), reserved=reserved)
        crosses.append((row, along_row, column, along_column))
    return tuple(crosses)


WARRIOR: Final = _crosses(RESERVED)
KING: Final = _crosses(0)


def moves_of(position: BrandubhPosition, square: int) -> tuple[Move, ...]:
    """T2: the moves of the piece on one square, of either side."""
    row, along_row, column, along_column = (KING if position.king >> square & 1 else WARRIOR)[
        square
    ]
    occupied = position.black | position.white | position.king
    return along_row[occupied & row] + along_column[occupied & column]


def legal_moves(position: BrandubhPosition) -> list[Move]:
    """T2: every move of the side to move; does not check whether the game is over."""
    black, white, king = position.black, position.white, position.king
    occupied = black | white | king
    moves: list[Move] = []
    for square in squares(black if position.to_move == "black" else white):
        row, along_row, column, along_column = WARRIOR[square]
        moves += along_row[occupied & row]
        moves += along_column[occupied & column]
    if king and position.to_move == "white":
        row, along_row, column, along_column = KING[king.bit_length() - 1]
        moves += along_row[occupied & row]
        moves += along_column[occupied & column]
    return moves


def can_move(position: BrandubhPosition) -> bool:
    """T9: whether the side to move has a legal move; stops at the first one."""
    own = position.black if position.to_move == "black" else position.white | position.king
    return any(moves_of(position, square) for square in squares(own))


def play(rules: BrandubhRuleset, position: BrandubhPosition, move: Move) -> BrandubhPosition:
    """The position after a legal move and its captures; the other side is to move (T1)."""
    origin, target = move
    black, white, king = position.black, position.white, position.king
    lifted = 1 << origin | 1 << target  # the square that empties and the one that fills
    if position.to_move == "black":
        black ^= lifted
        taken = 0
        if BESIDE[target] & (white | king):
            taken = captured(rules, target, white, black, king)
            if king & BESIDE[target] and is_king_captured(rules, target, black, king):
                taken |= king
            white &= ~taken
            king &= ~taken
        earlier = () if taken else (*position.earlier, placement(position))
        return BrandubhPosition(black, white, king, "white", earlier)
    if king >> origin & 1:
        king ^= lifted
    else:
        white ^= lifted
    taken = (
        captured(rules, target, black, white | king, king) if BESIDE[target] & black else 0
    )  # T4
    earlier = () if taken else (*position.earlier, placement(position))
    return BrandubhPosition(black & ~taken, white, king, "black", earlier)


def captured(rules: BrandubhRuleset, target: int, warriors: int, enemies: int, king: int) -> int:
    """T3: the warriors that a piece captures by arriving on the target square, as a mask.

    `enemies` are the pieces on the side of the one that moved, after its move, the king included.
    """
    hostile = enemies | CORNERS  # T5
    if rules.throne_hostile and king != THRONE:
        hostile |= THRONE  # T7
    taken = 0
    for beside, opposite in GRIPS[target]:
        if warriors & beside and hostile & opposite:
            taken |= beside
    return taken


def is_king_captured(rules: BrandubhRuleset, target: int, black: int, king: int) -> bool:
    """T6, T7: whether the black warrior that just arrived next to the king, on the target, captures him."""
    if king == THRONE and rules.king_on_throne == "all_four":
        return not BESIDE_THRONE & ~black
    if king & BESIDE_THRONE and rules.king_beside_throne == "other_three":
        return not BESIDE[king.bit_length() - 1] & ~(black | THRONE)
    return (
        captured(rules, target, king, black, king) != 0
    )  # T5: a corner is the enemy of the king as well


def ending_of(rules: BrandubhRuleset, position: BrandubhPosition) -> Ending | None:
    """The ending of the game in this position, if it has ended, checked in the order of T10.

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

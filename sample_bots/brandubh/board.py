"""The board of the search: what the arena's engine says of moves and captures, without making objects of it.

A *placement* is a tuple of four: the mask of Black's warriors, that of White's, that of the king (0
once he is captured) and whether White is to move. In a mask bit n stands for square n, 0 is a1, 6
is g1, 48 is g7. A *move* is one number, 49 times the square it leaves plus the square it reaches.

A second engine is one more that can be wrong, so the tests hold every answer of this one against
`arena.games`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

Placement = tuple[int, int, int, bool]

FILES, RANKS = "abcdefg", "1234567"
NAMES = tuple(file + rank for rank in RANKS for file in FILES)
THRONE = 1 << 24
CORNERS = 1 << 0 | 1 << 6 | 1 << 42 | 1 << 48
RESERVED = THRONE | CORNERS  # T2
RIGHT, LEFT, UP, DOWN = (1, 0), (-1, 0), (0, 1), (0, -1)


def ray(square: int, direction: tuple[int, int]) -> tuple[int, ...]:
    """The squares from this one to the edge, the nearest first."""
    file, rank = square % 7 + direction[0], square // 7 + direction[1]
    found = []
    while 0 <= file < 7 and 0 <= rank < 7:
        found.append(rank * 7 + file)
        file, rank = file + direction[0], rank + direction[1]
    return tuple(found)


def bits(mask: int) -> list[int]:
    """The numbers of a mask's squares, lowest first."""
    return [square for square in range(49) if mask >> square & 1]


RAYS = tuple(tuple(ray(square, way) for way in (RIGHT, LEFT, UP, DOWN)) for square in range(49))
BESIDE = tuple(sum(1 << way[0] for way in ways if way) for ways in RAYS)
GRIPS = tuple(tuple((1 << way[0], 1 << way[1]) for way in ways if len(way) > 1) for ways in RAYS)
"""T3: for each square the pairs of the square beside it and the one beyond that, as masks."""
HOLDS = {
    1 << square: tuple(
        (1 << one[0], 1 << other[0])
        for one, other in ((a, b), (b, a), (c, d), (d, c))
        if one and other
    )
    for square, (a, b, c, d) in enumerate(RAYS)
}
"""For each square (as a mask) the pairs of squares on opposite sides of it, each pair both ways
round."""
LIFTED = tuple(1 << origin | 1 << target for origin in range(49) for target in range(49))
"""For each move the square that empties and the one that fills; not to be used for a move to where
it began."""


class Line(dict[int, Any]):
    """Something about the ways from a square along its row or column, by the mask of what is occupied there.

    There are at most 64 entries, and each is worked out when it is first asked for.
    """

    def __init__(self, square: int, ways: Sequence[tuple[int, ...]], kind: str) -> None:
        """Of `kind` there are four: see the tables below."""
        super().__init__()
        self.square, self.ways, self.kind = square, ways, kind

    def __missing__(self, occupied: int) -> Any:
        free, blockers = [], 0
        for way in self.ways:
            for square in way:
                if occupied >> square & 1:
                    blockers |= 1 << square
                    break
                free.append(square)
        if self.kind == "seen":
            entry: Any = blockers
        elif self.kind == "reach":
            entry = sum(1 << square for square in free)
        else:
            barred = RESERVED if self.kind == "warrior" else 0
            entry = tuple(49 * self.square + square for square in free if not barred >> square & 1)
        self[occupied] = entry
        return entry


Cross = tuple[int, Line, int, Line]


def crosses(kind: str) -> dict[int, Cross]:
    """By the mask of each square: the rest of its row and what is known along it, and the same two for its column."""
    table = {}
    for square, (right, left, up, down) in enumerate(RAYS):
        row, column = (sum(1 << one for one in way) for way in (right + left, up + down))
        table[1 << square] = (
            row,
            Line(square, (right, left), kind),
            column,
            Line(square, (up, down), kind),
        )
    return table


WARRIOR = crosses("warrior")  # T2: the moves of a warrior
KING = crosses("king")  # T2: the moves of the king
REACH = crosses("reach")  # the mask of the squares where the king could stop
SEEN = crosses("seen")  # the mask of the nearest pieces in the four directions


class Board:
    """The rules of one ruleset, on placements."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        """Keep the fields on which the versions differ (T6, T7)."""
        self.is_throne_hostile: bool = fields["throne_hostile"]
        self.needs_four = fields["king_on_throne"] == "all_four"
        self.needs_three = fields["king_beside_throne"] == "other_three"
        self.near_throne = BESIDE[24] if self.needs_three else 0

    def moves(self, placement: Placement) -> list[int]:
        """T2: every move of the side to move; does not ask whether the game is over."""
        black, white, king, is_white = placement
        occupied = black | white | king
        found: list[int] = []
        own = white if is_white else black
        while own:
            low = own & -own
            own ^= low
            row, along_row, column, along_column = WARRIOR[low]
            found += along_row[occupied & row]
            found += along_column[occupied & column]
        if is_white and king:
            row, along_row, column, along_column = KING[king]
            found += along_row[occupied & row]
            found += along_column[occupied & column]
        return found

    def play(self, placement: Placement, move: int) -> Placement:
        """The placement after a legal move and its captures (T3-T7)."""
        black, white, king, is_white = placement
        lifted, target = LIFTED[move], move % 49
        beside = BESIDE[target]
        hostile = CORNERS  # T5
        if is_white:
            if king & lifted:
                king ^= lifted
            else:
                white ^= lifted
            if black & beside:
                hostile |= white | king  # T4
                if self.is_throne_hostile and king != THRONE:
                    hostile |= THRONE  # T7
                for near, far in GRIPS[target]:
                    if black & near and hostile & far:
                        black ^= near
            return black, white, king, False
        black ^= lifted
        if (white | king) & beside:
            hostile |= black
            if self.is_throne_hostile and king != THRONE:
                hostile |= THRONE  # T7
            is_king_taken = king & beside and self.is_king_captured(target, hostile, black, king)
            for near, far in GRIPS[target]:
                if white & near and hostile & far:
                    white ^= near
            if is_king_taken:
                king = 0
        return black, white, king, True

    def is_king_captured(self, target: int, hostile: int, black: int, king: int) -> bool:
        """T6, T7: whether the warrior that has just arrived next to the king captures him."""
        if king == THRONE and self.needs_four:
            return not BESIDE[24] & ~black
        if king & self.near_throne:
            return not BESIDE[king.bit_length() - 1] & ~(black | THRONE)
        return any(near == king and hostile & far for near, far in GRIPS[target])

    def can_win(self, placement: Placement) -> bool:
        """T8: whether the side to move can win with one move: with the king into a corner, or by capturing him."""
        black, white, king, is_white = placement
        occupied = black | white | king
        if is_white:
            row, along_row, column, along_column = REACH[king]
            return bool((along_row[occupied & row] | along_column[occupied & column]) & CORNERS)
        if king == THRONE and self.needs_four:
            missing = BESIDE[24] & ~black
            return missing.bit_count() == 1 and self.can_arrive(missing, occupied, black)
        if king & self.near_throne:
            missing = BESIDE[king.bit_length() - 1] & ~(black | THRONE)
            return missing.bit_count() == 1 and self.can_arrive(missing, occupied, black)
        hostile = black | CORNERS
        if self.is_throne_hostile and king != THRONE:
            hostile |= THRONE
        for near, far in HOLDS[king]:
            if hostile & far and self.can_arrive(near, occupied, black):
                return True
        return False

    def can_arrive(self, square: int, occupied: int, black: int) -> bool:
        """T2: whether a black warrior can move to this square, which is given as a mask."""
        if square & (occupied | RESERVED):
            return False
        row, along_row, column, along_column = SEEN[square]
        return bool((along_row[occupied & row] | along_column[occupied & column]) & black)


def read(position: Mapping[str, Any]) -> Placement:
    """The placement of a position as it comes over the wire."""
    masks = dict.fromkeys("bwk.", 0)
    for square, sign in enumerate("".join(reversed(position["board"]))):
        masks[sign] |= 1 << square
    return masks["b"], masks["w"], masks["k"], position["to_move"] == "white"


def named(move: int) -> list[str]:
    """A move as the wire has it: `["d1", "c1"]`."""
    origin, target = divmod(move, 49)
    return [NAMES[origin], NAMES[target]]

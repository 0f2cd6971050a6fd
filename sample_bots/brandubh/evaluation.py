"""What a placement is worth while nothing is decided, in hundredths of a white warrior.

It is a sum of features. Most are about the king, since White wins by his way into a corner and
Black by closing in on him. Every feature is counted for White; a weight below 0 says that it is
good for Black.

The features were chosen by thought. Their weights come from some 1,250 games that the bot played
against itself, two to four plies ahead and after random openings: a logistic regression of the
result on the features, both versions together, and the numbers rounded.
"""

from board import BESIDE, CORNERS, RAYS, REACH, Line, Placement

BALANCE = 500  # so that 0 is an even game, as a draw is: White has fewer warriors
WHITE_WARRIOR = 100
BLACK_WARRIOR = -105
WHITE_TO_MOVE = 60
OPEN_CORNER = 230  # each corner that the king could reach at once; Black to move has to shut it
WAY = 15  # each square he could move to and see a corner from there: two moves to the corner
KING_MOVE = 28  # each square he can move to
FREE_NEIGHBOUR = -10  # each free square next to him: a white warrior there protects him better
ENEMY_NEIGHBOUR = -15  # each black warrior next to him
EDGE_GUARD = 30  # each black warrior beside a corner: it is easily captured there and stops little
OUTER_GUARD = -5  # each black warrior on b2, f2, b6 or f6, diagonally next to a corner
INNER_GUARD = -45  # each black warrior on c3, e3, c5 or e5, which keep two ways each under control

BESIDE_CORNERS = BESIDE[0] | BESIDE[6] | BESIDE[42] | BESIDE[48]
OUTER_DIAGONALS = 1 << 8 | 1 << 12 | 1 << 36 | 1 << 40
INNER_DIAGONALS = 1 << 16 | 1 << 18 | 1 << 30 | 1 << 32
FROM_CORNERS = tuple(
    (sum(1 << square for square in way), Line(corner, (way,), "reach"))
    for corner in (0, 6, 42, 48)
    for way in RAYS[corner]
    if way
)
"""Each edge from each of its two corners: the mask of the edge, and what can be reached from that
corner along it."""


def value(placement: Placement) -> int:
    """The worth for White, with either side to move."""
    black, white, king, is_white = placement
    occupied = black | white | king
    row, along_row, column, along_column = REACH[king]
    reach = along_row[occupied & row] | along_column[occupied & column]
    from_corners = 0
    for line, along in FROM_CORNERS:
        from_corners |= along[occupied & line]
    beside = BESIDE[king.bit_length() - 1]
    return (
        WHITE_WARRIOR * white.bit_count()
        + BLACK_WARRIOR * black.bit_count()
        + WHITE_TO_MOVE * is_white
        + OPEN_CORNER * (reach & CORNERS).bit_count()
        + WAY * (reach & from_corners & ~CORNERS).bit_count()
        + KING_MOVE * reach.bit_count()
        + FREE_NEIGHBOUR * (beside & ~occupied).bit_count()
        + ENEMY_NEIGHBOUR * (beside & black).bit_count()
        + EDGE_GUARD * (black & BESIDE_CORNERS).bit_count()
        + OUTER_GUARD * (black & OUTER_DIAGONALS).bit_count()
        + INNER_GUARD * (black & INNER_DIAGONALS).bit_count()
        + BALANCE
    )

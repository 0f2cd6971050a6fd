"""Boards of FIBS: http://www.fibs.com/fibs_interface.html#board_state."""

import re
from typing import Final

from arena.games.position_ids.written import (
    Written,
    damaged,
    from_signed,
    no_turn,
    signed_counts,
    unplayed,
)

NAME: Final = "FIBS"
_BOARD: Final = re.compile(r"board:[^:]*:[^:]*(:-?[0-9]{1,4}){50}")
_UNLIMITED: Final = 9999
"""The length of an unlimited match."""


def parse_board(text: str) -> Written:
    """Read a board, from the view of the side whose turn it is. Raises `GameError`."""
    if not _BOARD.fullmatch(text):
        raise damaged(NAME, text, "board:me:other:1:0:0 ...")
    numbers = [int(word) for word in text.split(":")[3:]]
    match_points, *score = numbers[:3]
    counts = numbers[3:29]
    turn, *dice = numbers[29:34]
    cube, _, _, was_doubled, colour, direction = numbers[34:40]
    off = numbers[42:44]
    if was_doubled or not turn:
        raise no_turn(NAME)
    if turn != colour:
        direction = -direction
        dice = dice[2:]
        score.reverse()
        off.reverse()
    if direction > 0:
        counts.reverse()
    if match_points == _UNLIMITED:
        match_points = 0
    mine, theirs = from_signed(counts, turn)
    written = Written(
        mine=mine,
        theirs=theirs,
        dice=tuple(dice[:2]),
        match_points=match_points,
        left_out=unplayed(cube, match_points, score),
    )
    if off != written.off or {abs(turn), abs(colour), abs(direction)} != {1}:
        raise damaged(NAME, text, "board:me:other:1:0:0 ... (15 + 15, 1, -1)")
    return written


def format_board(written: Written) -> str:
    """Write a board, as far as GNU Backgammon reads it.

    The side to move plays the positive colour downwards, from the bar at 25 to 0, so that the
    numbers of the board are those of the answer. The cube is in the middle at 1, and both may
    double, because "neither may" would mean that a double has just been offered.
    """
    fields = [
        *(written.match_points or _UNLIMITED, 0, 0),  # and my score, theirs
        *signed_counts(written),
        1,  # whose turn: the positive colour's
        *(*written.dice, 0, 0),  # my dice, theirs
        *(1, 1, 1, 0),  # cube, may I double, may they, was it doubled
        *(1, -1),  # my colour: positive; my direction: downwards
        *(0, 25),  # home, bar
        *(*written.off, written.mine[-1], written.theirs[-1]),
        *(0, 0, 0, 0),  # moves left, forced, Crawford, redoubles: ignored
    ]
    joined = ":".join(map(str, fields))
    return f"board:me:other:{joined}"

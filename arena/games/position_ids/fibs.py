"""Boards of FIBS: http://www.fibs.com/fibs_interface.html#board_state."""

import re
from typing import Final

from arena.games.position_ids.written import Written, damaged, no_turn, unplayed

NAME: Final = "FIBS"
_NUMBER: Final = r":-?[0-9]{1,4}"
_BOARD: Final = re.compile(
    rf"board:[^:]*:[^:]*({_NUMBER}){{29}}:(-1|0|1)({_NUMBER}){{8}}(:-?1){{2}}({_NUMBER}){{10}}"
)
"""Turn, colour and direction are 1 or -1."""
_UNLIMITED: Final = 9999
"""The length of an unlimited match."""


def parse_board(text: str) -> Written:
    """Read a board, from the view of the side whose turn it is. Raises `GameError`."""
    if not _BOARD.fullmatch(text):
        raise damaged(NAME, text, "board:me:other:1:0:0 ...")
    numbers = list(map(int, text.split(":")[3:]))
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
    counts = [turn * count for count in counts]
    if match_points == _UNLIMITED:
        match_points = 0
    written = Written(
        counts=counts,
        dice=dice[:2],
        match_points=match_points,
        left_out=unplayed(cube, match_points, score),
    )
    if off != written.off:
        raise damaged(NAME, text, f"... {written.off} off")
    return written


def format_board(written: Written) -> str:
    """Write a board, as far as GNU Backgammon reads it.

    The side to move plays the positive colour downwards, from the bar at 25 to 0, so that the
    numbers of the board are those of the answer. The cube is in the middle at 1, and both may
    double, because "neither may" would mean that a double has just been offered.
    """
    fields = [
        *(written.match_points or _UNLIMITED, 0, 0),  # and my score, theirs
        *written.counts,
        1,  # whose turn: the positive colour's
        *(*written.dice, 0, 0),  # my dice, theirs
        *(1, 1, 1, 0),  # cube, may I double, may they, was it doubled
        *(1, -1),  # my colour: positive; my direction: downwards
        *(0, 25),  # home, bar
        *(*written.off, written.counts[25], -written.counts[0]),
        *(0, 0, 0, 0),  # moves left, forced, Crawford, redoubles: ignored
    ]
    joined = ":".join(map(str, fields))
    return f"board:me:other:{joined}"

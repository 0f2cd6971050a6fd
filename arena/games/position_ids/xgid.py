"""The XGID of eXtreme Gammon: `XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10`.

A position from the view of the player below (capitals), then cube, owner of the cube, turn, dice,
both scores, Crawford (in an unlimited match Jacoby and beavers), length of the match, highest cube.
"""

import re
from collections.abc import Sequence
from typing import Final

from arena.games.position_ids.written import Written, damaged, no_turn, unplayed

NAME: Final = "XGID"
_EXAMPLE: Final = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
_ID: Final = re.compile(
    r"(?:[Xx][Gg][Ii][Dd]=)?"
    r"([-a-p][-A-Pa-p]{24}[-A-P])"
    r":([0-9]|1[0-9]):(?:-1|0|1):(-?1):(00|[1-6]{2}|[DBR])"
    r":([0-9]{1,5}):([0-9]{1,5}):([0-3]):([0-9]{1,5}):[0-9]{1,5}"
)
"""A letter in the place of the dice says that a double is to be answered."""
_CHECKERS: Final = "-ABCDEFGHIJKLMNOP"
_RULES: Final[Sequence[tuple[str, ...]]] = ((), ("Jacoby",), ("beaver",), ("Jacoby", "beaver"))


def parse_id(text: str) -> Written:
    """Read an XGID. Raises `GameError`."""
    match = _ID.fullmatch(text)
    if match is None:
        raise damaged(NAME, text, _EXAMPLE)
    position, log_cube, turn, dice, *numbers = match.groups()
    if dice.isalpha():
        raise no_turn(NAME)
    *score, special, match_points = map(int, numbers)
    counts = []
    for character in position:
        count = _CHECKERS.index(character.upper())
        counts.append(-count if character.islower() else count)
    if turn == "-1":
        counts = [-count for count in reversed(counts)]
        score.reverse()
    rules = _RULES[special]
    if match_points:
        rules = ("Crawford",) * special
    return Written(
        counts=counts,
        dice=list(map(int, dice)),
        match_points=match_points,
        left_out=unplayed(2 ** int(log_cube), match_points, score, rules),
    )


def format_id(written: Written) -> str:
    """Write an XGID; the side to move is below."""
    position = ""
    for count in written.counts:
        character = _CHECKERS[abs(count)]
        position += character if count > 0 else character.lower()
    first, second = written.dice
    return f"XGID={position}:0:0:1:{first}{second}:0:0:0:{written.match_points}:10"

"""Positions and turns of backgammon in the format of FIBS, which GNU Backgammon's external player speaks.

Pure. The fields are those of http://www.fibs.com/fibs_interface.html#board_state, as far as GNU Backgammon reads them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from arena.adapters.errors import AdapterError

BAR: Final = 0
OFF: Final = 25
_ONE_POINT: Final = 1
_UNLIMITED: Final = 9999
"""The length of an unlimited match in FIBS; gammons count in it, while they do not in a match to one point."""
_MOVE: Final = re.compile(r"(\d{1,2})/(\d{1,2})\*?")


def format_board(position: Mapping[str, Any], dice: Sequence[int], *, gammons: bool) -> str:
    """The line that asks for the best turn.

    `position` is as on the wire, from the mover's view. The mover plays the positive colour upwards, from the bar at 0
    to 25, so that all numbers are those of its own path. The cube is in the middle at 1, and both may double, because
    "neither may" would mean that a double has just been offered; the evaluation ignores it.
    """
    my_bar, their_bar = position["bar"]
    my_off, their_off = position["off"]
    fields = [
        *(_UNLIMITED if gammons else _ONE_POINT, 0, 0),  # length of the match, my score, theirs
        *(my_bar, *position["points"], -their_bar),
        1,  # whose turn: the positive colour's
        *(*dice, 0, 0),  # my dice, theirs
        *(1, 1, 1, 0),  # cube, may I double, may they, was it doubled
        *(1, 1),  # my colour: positive; my direction: upwards
        *(OFF, BAR),
        *(my_off, their_off, my_bar, their_bar),
        *(0, 0, 0, 0),  # moves left, forced, Crawford, redoubles: ignored
    ]
    return f"board:me:other:{':'.join(map(str, fields))}"


def parse_turn(text: str) -> list[list[int]]:
    """The moves of an answer, such as `24/18 18/13*`, as `[from, to]` along the mover's own path; empty for a pass.

    GNU Backgammon counts down from the mover's view: 25 is the bar, 24 the point farthest from home, 0 is off.

    Raises:
        AdapterError: the answer is not a turn.
    """
    moves = []
    for word in text.split():
        found = _MOVE.fullmatch(word)
        if found is None or max(places := [OFF - int(number) for number in found.groups()]) > OFF or min(places) < BAR:
            raise AdapterError(f"gnubg answered {text!r}; expected moves such as 24/18 18/13*, 25 the bar and 0 off")
        moves.append(places)
    return moves

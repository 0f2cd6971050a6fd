"""The option `double_six` (B11.1): six checkers from home to point 7 on a first roll of 6-6.

While their stack stands, it is hit whole (`Steps.play`), it counts as a blot and never as closed
(`position.from_state`), and the quick way through the dice is not used (`Plain.suffices`).
"""

from typing import Final

from arena.games.tables import board
from arena.games.tables.board import CHECKERS, HOME, SIDE_BITS, SLOT_BITS, STACK_POINT
from arena.games.tables.endings import PLACEMENT, EndingName
from arena.games.tables.position import Position, from_state
from arena.games.tables.steps import MOVED, DieSteps, Node

DICE: Final = (6, 6)
MOVES: Final = ((HOME, STACK_POINT),) * 6
"""The whole turn, as it is written."""

_STACKED: Final = (CHECKERS - 6 << SLOT_BITS * HOME) + (6 << SLOT_BITS * STACK_POINT)
_AT_HOME: Final = CHECKERS << SLOT_BITS * HOME


def is_open(state: int, dice: tuple[int, ...]) -> bool:
    """Return whether this is a first roll of 6-6.

    All the mover's checkers are at home, as on no later turn.
    """
    return dice == DICE and board.count(state, HOME) == CHECKERS


def before_roll(position: Position, dice: tuple[int, ...], steps: DieSteps) -> Position:
    """Return the position on which a roll is played.

    Before a first 6-6, an opponent's stack that was just moved returns home.
    """
    state = position.state
    if is_open(state, dice) and state >> SIDE_BITS & PLACEMENT == _STACKED:
        return from_state(state + (_AT_HOME - _STACKED << SIDE_BITS), steps.layout)
    return position


def played(
    steps: DieSteps, position: Position, dice: tuple[int, ...]
) -> tuple[Node, EndingName | None] | None:
    """Return the node after the six-checker turn, and the ending it causes; None if not open.

    It needs a point 7 that the opponent has not closed; the first of the six hits a blot there.
    """
    point = 1 << STACK_POINT
    if not is_open(position.state, dice) or position.closed & point:
        return None
    (state, _, _, _, _), ending = steps.play(position, HOME, 6)
    state += 5 * MOVED[6][HOME]
    return from_state(state, steps.layout), ending

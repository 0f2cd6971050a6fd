"""The option `one_die` (B11.3): calling for a single die, and being bound to it afterwards."""

from arena.games.tables import endings
from arena.games.tables.board import BOUND_SHIFT, SIDE
from arena.games.tables.position import Position
from arena.games.tables.turns import TurnGenerator


def turns_bound(state: int) -> int:
    """Return for how many turns, including this one, the mover still rolls a single die."""
    return (state & SIDE) >> BOUND_SHIFT


def may_call(generator: TurnGenerator, position: Position) -> bool:
    """Return whether some single die would complete a handsome game."""
    if turns_bound(position.state):
        return False
    for die in range(1, 7):
        for state, _ in generator.turns(position, (die,)).results():
            if endings.handsome(state):
                return True
    return False


def before_roll(position: Position, dice: tuple[int, ...]) -> Position:
    """Return the position on which a roll is played.

    A die that was called for binds the mover; one rolled while bound counts down.
    """
    if len(dice) != 1:
        return position
    bound = turns_bound(position.state)
    still_bound = bound - 1 if bound else dice[0]
    return position._replace(state=position.state + (still_bound - bound << BOUND_SHIFT))

"""The option `one_die` (B11.3): calling for a single die, and being bound to single dice afterwards."""

from arena.games.tables import endings
from arena.games.tables.board import BOUND_SHIFT, SIDE
from arena.games.tables.position import Position
from arena.games.tables.turns import TurnGenerator


def turns_bound(state: int) -> int:
    """For how many turns, including this one, the mover still rolls a single die."""
    return (state & SIDE) >> BOUND_SHIFT


def may_call(generator: TurnGenerator, position: Position) -> bool:
    """Return whether some single die would complete a handsome game."""
    if turns_bound(position.state):
        return False
    results = (
        result for die in range(1, 7) for result in generator.turns(position, (die,)).results()
    )
    return any(endings.handsome(state) for state, _ in results)


def before_roll(position: Position, dice: tuple[int, ...]) -> Position:
    """The position on which a roll is played: a die called for binds the mover; one rolled while bound counts down."""
    bound = turns_bound(position.state)
    if len(dice) != 1:
        return position
    left = bound - 1 if bound else dice[0]
    return position._replace(state=position.state + (left - bound << BOUND_SHIFT))

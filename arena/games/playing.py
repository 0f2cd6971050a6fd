"""Rules as a library: what is needed besides the `Game` itself, the same for every game."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from arena.games.interface import Dice, Game, Illegal, Legal, Turn

P = TypeVar("P")


class IllegalTurnError(ValueError):
    """A turn that the rules do not allow; `verdict` says why and what would have been legal."""

    def __init__(self, verdict: Illegal) -> None:
        self.verdict = verdict
        super().__init__(f"{verdict.message} ({verdict.code}, {verdict.clause})")


@cache
def rolls(number: int) -> MappingProxyType[Dice, float]:
    """Return every roll of this number of dice, order aside, with its probability.

    Two dice have 21 rolls; no dice have one, which is empty.
    """
    if number > 2:
        raise ValueError(f"{number} dice; no game rolls more than two")
    if not number:
        return MappingProxyType({(): 1.0})
    chances = {}
    for roll in combinations_with_replacement(range(1, 7), number):
        ways = 1 if len(set(roll)) == 1 else 2
        chances[roll] = ways / 6**number
    return MappingProxyType(chances)


def apply(game: Game[P], position: P, dice: Dice, moves: Turn) -> Legal[P]:
    """Play a turn: return the position after it, and the ending if any.

    The position is still seen from the side that played; `game.flip` gives it to the other side.
    Raises `IllegalTurnError`.
    """
    verdict: Legal[Any] | Illegal = game.judge(position, dice, moves)
    if isinstance(verdict, Illegal):
        raise IllegalTurnError(verdict)
    return verdict


# Counts that check an engine: the numbers of the rule book


class Count(NamedTuple):
    """One level of the tree."""

    depth: int
    """Turns played, from 1."""
    leaves: int
    """Results, transpositions counted each time."""
    distinct: int
    """Different positions among them, for the side to move next; those that end the game count."""


def count_tree(game: Game[Any], depth: int) -> Iterator[Count]:
    """Yield the counts of every level down to `depth`.

    A position that occurs more than once is searched once.
    """
    level: dict[Any, int] = {game.start(): 1}
    for number in range(1, depth + 1):
        after: dict[Any, int] = {}
        ended: dict[Any, int] = {}
        for position, times in level.items():
            for dice in rolls(game.dice_to_roll(position)):
                for turn in game.legal_turns(position, dice):
                    reached = after if turn.ending is None else ended
                    flipped = game.flip(turn.position)
                    reached[flipped] = reached.get(flipped, 0) + times
        leaves = sum(after.values()) + sum(ended.values())
        yield Count(depth=number, leaves=leaves, distinct=len(after.keys() | ended.keys()))
        level = after


def count_first_rolls(game: Game[Any]) -> dict[Dice, int]:
    """Count the distinct results of each first roll."""
    start = game.start()
    return {dice: len(game.legal_turns(start, dice)) for dice in rolls(game.dice_to_roll(start))}

"""Rules as a library: what a bot needs besides the `Game` itself, the same for every game."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Any, TypeVar

from arena.games.interface import Dice, Game, Illegal, Legal, Turn

P = TypeVar("P")


class IllegalTurnError(ValueError):
    """A turn that the rules do not allow; `verdict` says why and what would have been legal."""

    def __init__(self, verdict: Illegal) -> None:
        self.verdict = verdict
        super().__init__(f"{verdict.message} ({verdict.code}, {verdict.clause})")


@cache
def rolls(number: int) -> MappingProxyType[Dice, float]:
    """Every roll of so many dice, order aside, with its probability: 21 for two dice, one (empty) for none."""
    if number > 2:
        raise ValueError(f"{number} dice; no game rolls more than two")
    if not number:
        return MappingProxyType({(): 1.0})
    found = combinations_with_replacement(range(1, 7), number)
    return MappingProxyType({roll: (1 if len(set(roll)) == 1 else 2) / 6**number for roll in found})


def apply(game: Game[P], position: P, dice: Dice, moves: Turn) -> Legal[P]:
    """Play a turn: the position after it, still from the view of the side that played it, and the ending if any.

    Raises `IllegalTurnError`. `game.flip` gives the position to the other side.
    """
    verdict: Legal[Any] | Illegal = game.judge(position, dice, moves)
    if isinstance(verdict, Illegal):
        raise IllegalTurnError(verdict)
    return verdict

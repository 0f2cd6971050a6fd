"""Source of the dice of a match: a pure function of what was committed to and what the bots added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from arena.matches.facts import Pair


class Dealer(Protocol):
    """Deals the dice of one match; the same arguments always give the same dice.

    None stands for dice that are not known (yet), as in the record of a match whose seed is still secret.
    """

    def throw(self, game: int, number: int) -> Pair | None:
        """The throw for the start of a game: a die for each seat (B2.1). `number` counts the throws from 0.

        In pairs `game` is the first half.
        """
        ...

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...] | None:
        """Roll 1 or 2 dice for a turn; `dealt` is how many dice the game has had before, throws included."""
        ...


Deal: TypeAlias = Callable[[str, str], Dealer]
"""Makes the dealer of a match from the entropies (hexadecimal) of the bots at seats 1 and 2."""

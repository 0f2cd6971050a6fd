"""Walk through a listed turn, as far as it can be played: the judge tries it, and the explanation uses it."""

from __future__ import annotations

from typing import NamedTuple

from arena.games.tables.endings import EndingName
from arena.games.tables.steps import Node


class MoveWalk(NamedTuple):
    """Walk through the listed moves, as far as they can be played under one assignment of dice to moves."""

    node: Node
    """The node after the moves, or where the first impossible one was tried."""
    ending: EndingName | None
    played: int
    """How many of the listed moves could be played."""
    dice: tuple[int, ...]
    """The dice in the order assigned; move i takes die i."""
    waste: int
    """Pips wasted in bearing off (B7.6)."""

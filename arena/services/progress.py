"""How far a service has come."""

from collections.abc import Callable
from typing import NamedTuple

from arena.words import Said


class Advance(NamedTuple):
    """The number of steps that are over, and of all."""

    over: int
    total: int


Tell = Callable[[Advance], object]
"""Called when work advances, at first with the state before any work."""
Note = Callable[[Said], object]
"""Called with remarks on the way."""


def pass_by(*_: object) -> None:
    """Ignore the call."""

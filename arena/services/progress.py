"""How far a service has come."""

from collections.abc import Callable
from typing import NamedTuple

from arena.words import Said


class Advance(NamedTuple):
    """The number of steps that are over, and of all."""

    over: int
    total: int


Tell = Callable[[Advance], object]
"""Hears of progress, at first of the state before any work."""
Note = Callable[[Said], object]
"""Hears what is worth a note on the way."""


def pass_by(*_: object) -> None:
    """Let pass what is told."""

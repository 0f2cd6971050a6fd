"""How far a service has come."""

from collections.abc import Callable
from typing import NamedTuple


class Progress(NamedTuple):
    """So many are over of all."""

    over: int
    total: int


Tell = Callable[[Progress], object]
"""Hears of progress, at first of the state before any work."""


def tell_nobody(progress: Progress) -> None:
    """Let progress pass."""

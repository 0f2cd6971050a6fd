"""The players of a ladder, and what any two of them have played, as records and ratings have it."""

from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

LEAST_ANCHORS: Final = 3
"""The fewest programs whose mean is fixed: it would move with each of fewer."""
SETTLED_ELO: Final = 25.0
"""The standard error from which on a rating is settled: the 95 % interval is within 50 Elo."""
CLOSE_ELO: Final = 0.015
"""Ratings are recorded to 0.01 Elo, and floats differ between machines."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a bot. It has a number: its place among all that a ladder knows."""

    entrant: str
    bot: str
    """Two versions of a bot are never paired."""
    version: Annotated[int, msgspec.Meta(ge=1)]
    name: str = ""
    """The display name of the bot; empty if it is called by its id."""
    parent: str = ""
    """The entrant from which its rating starts; empty if it starts at the mean of the anchors."""
    is_house: bool = False
    is_anchor: bool = False
    is_frozen: bool = False
    """True if another version has taken its place; it may come back."""
    forfeited: tuple[str, ...] = ()
    """The matches that it forfeited in a row, on the days before."""
    rests_until_ms: int = 0
    """Until when it rests after them."""
    constant_elo: float | UnsetType = UNSET
    """The rating that it keeps, if it was frozen long ago; then it does not play on this day."""

    @property
    def is_founder(self) -> bool:
        """True if no rating tells where it starts: it meets anchors first."""
        return not self.parent and not self.is_anchor


class Edge(NamedTuple):
    """The counted units of two players; `first` has the lower number.

    `score` and `squares` are the sums of the scores of `first`, from 0 to 1, and of their squares,
    over the `units` that were played to their end. Forfeited units stand beside them.
    """

    first: Count
    second: Count
    units: Count = 0
    score: float = 0.0
    squares: float = 0.0
    first_forfeits: Count = 0
    second_forfeits: Count = 0


def unit_edge(
    first: int,
    second: int,
    score: float,
    *,
    forfeits: tuple[bool, bool] = (False, False),
) -> Edge:
    """Return what a unit counts; `score` is that of `first`.

    `forfeits` says which of the two forfeited the unit. Each of them has lost, whatever the score.
    """
    if first > second:
        return unit_edge(second, first, 1 - score, forfeits=forfeits[::-1])
    if any(forfeits):
        return Edge(first, second, 0, 0.0, 0.0, *map(int, forfeits))
    return Edge(first, second, 1, score, score**2)

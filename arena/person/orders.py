"""What `arena play` and its arena say to each other: lines of JSON, by pipes."""

from typing import Final, TypeAlias

import msgspec

from arena.server.setup.seat_order import SeatOrder
from arena.words import Said

PROGRAM: Final = "arena.person.arena_process"
"""The module that is run as the arena."""


class BeginMatch(msgspec.Struct, frozen=True, kw_only=True, tag="begin"):
    """Play a match to its end."""

    run: str
    """The run folder."""
    text: str | None
    """The tournament file of a new match; None to go on with the one in the folder."""


class EndMatch(msgspec.Struct, frozen=True, kw_only=True, tag="end"):
    """End a match now; it can be resumed."""

    run: str


class MatchClosed(msgspec.Struct, frozen=True, kw_only=True, tag="closed"):
    """A match is over, or was ended, or cannot be played."""

    run: str
    why: Said | None
    """Why it could not be played to its end; None if nothing went wrong."""


AnyOrder: TypeAlias = BeginMatch | EndMatch
Answer: TypeAlias = SeatOrder | MatchClosed
"""An `Order` says where the persons of a match can sit down: what the pages of a tournament are
given."""

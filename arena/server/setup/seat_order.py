"""Messages between the arena and the pages with the seats of persons."""

from typing import Final

import msgspec

SERVING: Final = b"serving\n"
"""The answer of the pages once they can be opened."""


class SeatToServe(msgspec.Struct, frozen=True, kw_only=True):
    """The facts of a seat that its page needs."""

    entrant: str
    token: str
    """The seat logs in with it, and its link carries it."""
    is_taken: bool
    """True if the person has sat down before: the seat goes back to its match at once."""

    def __repr__(self) -> str:
        """Show everything but the token."""
        return f"SeatToServe({self.entrant}, is_taken={self.is_taken})"


class SeatOrder(msgspec.Struct, frozen=True, kw_only=True, tag="seats"):
    """The seats that the pages are to serve."""

    run: str
    """The run folder."""
    address: str
    """The private address of the run, where seats connect."""
    seats: tuple[SeatToServe, ...]

"""The lines of JSON that the referee of a venue writes to its parent (`arena serve`)."""

from typing import Any, Final, TypeAlias

import msgspec

from arena.words import Said

PROGRAM: Final = "arena.server.series.referee"
"""The module that is run as the referee."""
LEAST_FREE: Final = 0.05
"""The share of the disk that stays free: below it no match begins."""


class Pulse(msgspec.Struct, frozen=True, kw_only=True, tag="pulse"):
    """The state of the referee; sent every half second as long as its loop turns.

    Most fields are metrics, and have their names.
    """

    turned_at_s: float
    """When the loop turned, by the monotonic clock, which all processes of a machine share."""
    matches_in_play: int
    seats: int
    matches_finished_total: int
    bots_connected: int
    turn_lag_seconds: float
    """By how much the loop was late: answers of bots wait as long."""
    disk_free_ratio: float
    disk_free_bytes: int
    is_door_open: bool
    """True if bots from elsewhere can connect."""
    pairing_stopped: Said | None = None
    """Why no match begins; None while matches begin."""


class Opened(msgspec.Struct, frozen=True, kw_only=True, tag="opened"):
    """The venue is open, or its operator's file has changed since then."""

    door: str = ""
    """The address where bots from elsewhere connect; empty if there is none."""
    invite: str = ""
    """An invite for one bot, a secret; empty if none is needed."""
    analyses: bool = False
    """True if the matches are to be analysed."""

    def __repr__(self) -> str:
        """Show everything but the invite."""
        return f"Opened({self.door})"


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """The referee ends, since it cannot begin or go on."""

    why: Said


class Logged(msgspec.Struct, frozen=True, kw_only=True, tag="logged"):
    """An event of the operator's log."""

    logged: dict[str, Any]


AnyLine: TypeAlias = Pulse | Opened | Failed | Logged
parse_line: Final = msgspec.json.Decoder(AnyLine).decode
"""Return the message of a line. Raises `msgspec.MsgspecError`."""

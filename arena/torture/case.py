"""What a case of the zoo is, and what was found when it was run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from arena.torture.player import Fault
from arena.torture.raw_connection import RawConnection

Stranger = Callable[[RawConnection], Awaitable[None]]
"""What a client does that never logs in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plight:
    """A fault of a bot at the table, and when it comes."""

    fault: Fault
    at_turn: int = 3
    """The turn of the bot at which it happens, counted from 1."""
    is_deaf: bool = False
    """Whether it may miss the arena's last words, because it writes on meanwhile; then they are not asked for."""
    over_unix: bool = False
    """Whether all connect by a Unix socket, where far fewer bytes fit between two programs than on TCP."""
    waits_for_flag: bool = False
    """Whether nothing is wrong but the time, so that the verdict comes when that is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What became of a case."""

    verdict: str
    """What the bot was told, what became of its game, and whatever else went wrong, in a fixed order of words."""
    took_ms: int | None = None
    """From the fault to the verdict; None where there is no such moment."""
    skipped: str = ""
    """Why the case could not be put to an arena that is not our own; empty if it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One way to misbehave."""

    name: str
    """Lower-case words with hyphens; the first word is the group."""
    what: str
    """What the bot or client does, in a sentence without a subject."""
    expected: str
    """The exact verdict (`Found.verdict`)."""
    play: Callable[[Path], Awaitable[Found]]
    """Runs the case in an empty folder."""
    deed: Stranger | Plight | None = None
    """What can be done to any arena over the wire; None where the case needs more than a connection."""

    @property
    def group(self) -> str:
        """The part of the zoo it belongs to."""
        return self.name.partition("-")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedCase:
    """A case that was played, or skipped, and what was found."""

    case: Case
    found: Found

    @property
    def is_expected(self) -> bool:
        """Whether the verdict is exactly the one expected; a case that was skipped has none."""
        return bool(self.found.skipped) or self.found.verdict == self.case.expected

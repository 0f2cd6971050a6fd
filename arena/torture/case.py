"""A case of the zoo, and the result of running it."""

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
    """A fault of a bot at the table, and when it happens."""

    fault: Fault
    at_turn: int = 3
    """The turn of the bot at which it happens, counted from 1."""
    is_deaf: bool = False
    """Whether it may miss the arena's last words, because it keeps writing; then they are not checked."""
    over_unix: bool = False
    """Whether all connect by a Unix socket, which buffers far fewer bytes between two programs than TCP."""
    waits_for_flag: bool = False
    """Whether only its time runs out, so that the verdict comes after that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The outcome of a case."""

    verdict: str
    """What the bot was told, how its game ended, and anything else that went wrong, in a fixed order of words."""
    took_ms: int | None = None
    """Milliseconds from the fault to the verdict; None if there is no such moment."""
    skipped: str = ""
    """The reason if the case could not be run against a foreign arena, else empty."""


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
    is_alone: bool = False
    """Whether no other case may run beside it, since it looks at how long something takes."""
    deed: Stranger | Plight | None = None
    """The part that works against any arena over the wire; None if the case needs more than a connection."""

    @property
    def group(self) -> str:
        """Its part of the zoo."""
        return self.name.partition("-")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedCase:
    """A case that was played, or skipped, and what was found."""

    case: Case
    found: Found

    @property
    def is_expected(self) -> bool:
        """Whether the verdict is exactly the expected one; a skipped case has none."""
        return bool(self.found.skipped) or self.found.verdict == self.case.expected

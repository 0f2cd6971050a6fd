"""What a case of the zoo is, and what was found when it was run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What became of a case."""

    verdict: str
    """What the bot was told, what became of its game, and whatever else went wrong, in a fixed order of words."""
    took_ms: int | None = None
    """From the fault to the verdict; None where there is no such moment."""


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

    @property
    def group(self) -> str:
        """The part of the zoo it belongs to."""
        return self.name.partition("-")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A case that was run."""

    case: Case
    found: Found

    @property
    def is_expected(self) -> bool:
        """Whether the verdict is exactly the one expected."""
        return self.found.verdict == self.case.expected

"""What a format is to the arena: who meets whom, round by round, and what it adds to the standings."""
# ruff: noqa: ARG002 - a default is given what every format is given, and needs none of it

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

from arena.tournaments.results import BestGame, FixtureResult
from arena.tournaments.rounds import Round
from arena.tournaments.schedule import Fixture, entrant_problems
from arena.tournaments.standings import Column

Cycles = Annotated[int, Meta(ge=1, le=100, description="How often any two meet; once if nothing is said.")]
"""The option of formats that can be played several times over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """A tournament as far as it has been played: all that a format may look at.

    `entrants` stand in the order of the file: seeds, or starting numbers. `rounds` were drawn one by one. The order of
    `results`, void ones among them, never matters.
    """

    entrants: Sequence[str]
    rounds: Sequence[Round] = ()
    results: Sequence[FixtureResult] = ()
    withdrawn: Collection[str] = frozenset()
    best_game: BestGame = "value"


class Format(Protocol):
    """What the arena asks a format; its fields are the options that an organiser has.

    A format knows all its fixtures from the start (`fixtures`), or draws its rounds one by one (`next_round`). It is a
    pure function of what it is given, so that every drawing can be checked again from the record.
    """

    @property
    def name(self) -> str:
        """What tournament files and records call it."""

    def problems(self, entrants: Sequence[str]) -> list[str]:
        """Say everything that keeps this field from being played, one sentence each; empty if nothing does."""

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """Every fixture that is known from the start, in the order of play."""

    def catch_up(self, field: Sequence[str], newcomers: Sequence[str], last_round: int) -> tuple[Fixture, ...] | None:
        """What is missing when newcomers join `field`, those not withdrawn; None if the format takes no newcomers.

        The missing rounds follow `last_round`, the last that is known.
        """

    def next_round(self, so_far: SoFar) -> Round | None:
        """Draw the next round, all before it being over; None if there is none."""

    def matches(self, entrants: int) -> int:
        """How many matches all rounds have if nobody withdraws; 0 where they are known from the start."""

    def rounds_due(self, entrants: int) -> int | None:
        """How many rounds everybody has to play by M5; None if a withdrawn entrant is judged by its own fixtures."""

    def columns(self, so_far: SoFar) -> tuple[Column, ...]:
        """What orders the field before match points do, and stands in the standings beside them."""


class FormatDefaults(msgspec.Struct, frozen=True, kw_only=True, tag_field="name"):
    """A format that draws no rounds, takes no newcomers and adds nothing to the standings; the tag is its name."""

    @property
    def name(self) -> str:
        """The tag."""
        return str(self.__struct_config__.tag)

    def problems(self, entrants: Sequence[str]) -> list[str]:
        """Names that cannot be used, and fewer entrants than two."""
        found = list(entrant_problems(entrants))
        if len(entrants) < 2:
            found.append(f"{self.name} needs at least 2 entrants, found {len(entrants)}")
        return found

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """None is known from the start."""
        return ()

    def catch_up(self, field: Sequence[str], newcomers: Sequence[str], last_round: int) -> tuple[Fixture, ...] | None:
        """It takes no newcomers."""
        return None

    def next_round(self, so_far: SoFar) -> Round | None:
        """No round is drawn."""
        return None

    def matches(self, entrants: int) -> int:
        """No rounds, no matches."""
        return 0

    def rounds_due(self, entrants: int) -> int | None:
        """A withdrawn entrant is judged by its own fixtures."""
        return None

    def columns(self, so_far: SoFar) -> tuple[Column, ...]:
        """Nothing comes before match points."""
        return ()

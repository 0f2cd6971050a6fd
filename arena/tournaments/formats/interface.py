"""The interface of formats: the pairings, round by round, and what the format adds to the standings."""
# ruff: noqa: ARG002 - defaults have the parameters of every format, and need none of them

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

import msgspec
from msgspec import Meta

from arena.tournaments.results import BestGame, FixtureResult
from arena.tournaments.rounds import Round
from arena.tournaments.schedule import Fixture, entrant_problems
from arena.tournaments.standings import Column
from arena.words import Said

Cycles = Annotated[int, Meta(ge=1, le=100)]
"""How often any two meet, in formats that can be played several times over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """A tournament so far: everything that a format may look at.

    `entrants` are in the order of the file: seeds, or starting numbers. `rounds` were drawn one by one. The order of
    `results`, void ones included, never matters.
    """

    entrants: Sequence[str]
    rounds: Sequence[Round] = ()
    results: Sequence[FixtureResult] = ()
    withdrawn: Collection[str] = frozenset()
    best_game: BestGame = "value"


class Format(Protocol):
    """Format of a tournament, as the arena sees it; its fields are the organiser's options.

    A format knows all its fixtures from the start (`fixtures`), or draws its rounds one by one (`next_round`). It is a
    pure function of its input, so every draw can be checked from the record.
    """

    @property
    def name(self) -> str:
        """Its name in tournament files and records."""

    def problems(self, entrants: Sequence[str]) -> list[str]:
        """The reasons why these entrants cannot play, one sentence each; empty if there are none."""

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """Every fixture known from the start, in the order of play."""

    def catch_up(self, field: Sequence[str], newcomers: Sequence[str], last_round: int) -> tuple[Fixture, ...] | None:
        """The fixtures to add when newcomers join `field`, those not withdrawn; None if it takes no newcomers.

        Their rounds follow `last_round`, the last that is known.
        """

    def next_round(self, so_far: SoFar) -> Round | None:
        """Draw the next round, when all before it are over; None if there is none."""

    def matches(self, entrants: int) -> int:
        """Count the matches of drawn rounds if nobody withdraws; 0 for formats that know theirs from the start."""

    def rounds_due(self, entrants: int) -> int | None:
        """Return how many rounds each entrant has to play (M5); None if a withdrawn one is judged by its fixtures."""

    def columns(self, so_far: SoFar) -> tuple[Column, ...]:
        """The columns of the standings that order the entrants before match points do."""

    def notes(self, so_far: SoFar, names: Mapping[str, str]) -> tuple[Said, ...]:
        """Explain its decisions, each to be said; entrants are called by their display `names`."""


class FormatDefaults(msgspec.Struct, frozen=True, kw_only=True, tag_field="name"):
    """A format that draws no rounds, takes no newcomers and adds nothing to the standings; the tag is its name."""

    @property
    def name(self) -> str:
        """The tag."""
        return str(self.__struct_config__.tag)

    def problems(self, entrants: Sequence[str]) -> list[str]:
        """Reject unusable names, and fewer than two entrants."""
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

    def notes(self, so_far: SoFar, names: Mapping[str, str]) -> tuple[Said, ...]:
        """It decides nothing that the results do not tell."""
        return ()

"""The interface of formats: pairings, round by round, and additions to the standings."""

from collections import Counter
from collections.abc import (
    Collection,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from typing import (
    Annotated,
    ClassVar,
    Final,
    Literal,
    TypeAlias,
)

import msgspec
from msgspec import Meta

from arena.tournaments.ladder_players import SETTLED_ELO
from arena.tournaments.names import entrant_problems
from arena.tournaments.outcomes import what_is_at_stake, who_has_won
from arena.tournaments.results import BestGame, FixtureResult
from arena.tournaments.schedule import Fixture, Round
from arena.tournaments.standings import Column, Standings
from arena.words import Said

Cycles = Annotated[int, Meta(ge=1, le=100)]
"""The number of meetings of any two, in formats that can be played several times over."""

MOST_MATCHES: Final = 1_000_000
"""Matches of a tournament: all are kept in memory, and each has a file."""

Shape = Literal["crosstable", "rounds", "bracket", "boards"]
"""The ways in which pages show pairings."""

BracketRound: TypeAlias = tuple[str | None, ...]
"""A round of a bracket from top to bottom; neighbours meet. None is an empty place, or one that is
not known yet."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Rated:
    """What a ladder knows of an entrant: its rating with the error, and what it follows from."""

    elo: float
    error: float
    """The standard error of `elo` against the mean of the anchors."""
    units: int
    """Units that count, on all days."""
    version: int
    matches: int
    """Matches of this day that were settled."""
    forfeits: int
    """How many of them it forfeited, whole or in part."""
    is_house: bool
    is_anchor: bool

    @property
    def is_provisional(self) -> bool:
        """True until its error is small enough for a place."""
        return self.error > SETTLED_ELO


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class SoFar:
    """A tournament so far: everything that a format may look at.

    `entrants` are in the order of the file: seeds, or starting numbers. `rounds` were drawn one by
    one. The order of `results`, void ones included, never matters.
    """

    entrants: Sequence[str]
    rounds: Sequence[Round] = ()
    results: Sequence[FixtureResult] = ()
    withdrawn: Collection[str] = frozenset()
    best_game: BestGame = "value"
    rated: Mapping[str, Rated] = field(default_factory=dict)
    """The ratings of a ladder, by entrant."""


class Format(msgspec.Struct, frozen=True, kw_only=True, tag_field="name"):
    """Format of a tournament; its fields are the organiser's options, its tag is its name.

    A format knows all its fixtures from the start (`fixtures`), or draws its rounds one by one
    (`next_round`). It is a pure function of its input, so every draw can be checked from the
    record. This base knows no fixtures, draws no rounds, takes no newcomers and adds nothing to the
    standings: a format overrides what is different.
    """

    shape: ClassVar[Shape] = "crosstable"
    withdraws: ClassVar[bool] = True
    """True if entrants with too many violations are withdrawn (M5)."""
    needs_venue: ClassVar[bool] = False
    """True if it is played by `arena serve` alone: its entrants come and go."""

    @property
    def seats_of_day(self) -> int | None:
        """The matches at a time that its options ask for; None if the tournament file says it."""
        return None

    @property
    def name(self) -> str:
        """The name of the format in tournament files and records."""
        return str(self.__struct_config__.tag)

    def problems(self, entrants: Sequence[str]) -> list[Said]:
        """Return the reasons why these entrants cannot play, one sentence each.

        Names that cannot be used, fewer than two, or more than can be played.
        """
        problems = list(entrant_problems(entrants))
        number = len(entrants)
        if number < 2:
            problems.append(Said("format.few_entrants", {"format": self.name, "number": number}))
        matches = self.known_matches(number) + self.matches(number)
        if matches > MOST_MATCHES:
            size = {
                "format": self.name,
                "number": number,
                "matches": matches,
                "most": MOST_MATCHES,
            }
            problems.append(Said("format.too_large", size))
        return problems

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """Return the fixtures known from the start, in the order of play."""
        return ()

    def known_matches(self, entrants: int) -> int:
        """Count the fixtures known from the start, without making them."""
        return 0

    def catch_up(
        self,
        field: Sequence[str],
        newcomers: Sequence[str],
        last_round: int,
    ) -> tuple[Fixture, ...] | None:
        """Return the fixtures to add when newcomers join; None if the format takes no newcomers.

        `field` has the earlier entrants without the withdrawn ones. The new rounds follow
        `last_round`, the last that is known.
        """
        return None

    def next_round(self, so_far: SoFar) -> Round | None:
        """Draw the next round, when all before it are over; None if there is none."""
        return None

    def matches(self, entrants: int) -> int:
        """Count the matches of drawn rounds if no entrant withdraws; 0 if no round is drawn."""
        return 0

    def rounds_due(self, entrants: int) -> int | None:
        """Return how many rounds each entrant has to play (M5).

        None if a withdrawn entrant is judged by its fixtures.
        """
        return None

    def columns(self, so_far: SoFar) -> tuple[Column, ...]:
        """Return the columns of the standings that order the entrants before match points do."""
        return ()

    def unplaced(self, so_far: SoFar) -> Sequence[str]:
        """Return the entrants that have no place, in order; they come after the others."""
        return ()

    def notes(self, so_far: SoFar, names: Mapping[str, str]) -> tuple[Said, ...]:
        """Explain its decisions, each to be said; entrants are called by their display `names`."""
        return ()

    def bracket(self, so_far: SoFar) -> list[BracketRound]:
        """Return the places of every round of a bracket, down to the one place of the winner.

        Empty in other shapes.
        """
        return []

    @property
    def boards(self) -> Sequence[str]:
        """The entrants that pages show against each opponent."""
        return ()

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Say why the finished tournament ended before its time; None if it did not.

        `unplayed` are the known fixtures that a withdrawal prevented. They alone are no early end:
        the tournament went on for those who stayed.
        """
        return None

    def outcome(self, so_far: SoFar, table: Standings) -> list[Said]:
        """Say who has won the finished tournament, and why; the first sentence is the headline."""
        return who_has_won(table)

    def outlook(
        self,
        so_far: SoFar,
        table: Standings,
        unplayed: Mapping[str, int],
    ) -> list[Said]:
        """Say what is at stake while the tournament is played; the first sentence is the headline.

        `unplayed` counts the known matches that each entrant has still to play.
        """
        rounds_due = self.rounds_due(len(so_far.entrants)) or 0
        undrawn = max(0, rounds_due - len(so_far.rounds))
        remaining = remaining_entrants(so_far)
        to_play = Counter(unplayed)
        for name in remaining:
            to_play[name] += undrawn
        matches = count_matches(unplayed) + undrawn * (len(remaining) // 2)
        if matches == 0:
            return who_has_won(table)
        if table.columns:  # they go before match points
            return [Said("stakes.matches", {"count": matches})]
        return [what_is_at_stake(table, to_play, matches)]


def count_matches(unplayed: Mapping[str, int]) -> int:
    """Count the matches behind what each entrant has to play: each has two entrants."""
    return sum(unplayed.values()) // 2


def remaining_entrants(so_far: SoFar) -> list[str]:
    """Return the entrants that are not withdrawn, in the order of the file."""
    return [name for name in so_far.entrants if name not in so_far.withdrawn]


def too_few(remaining: Sequence[str]) -> Said | None:
    """Say that fewer than two entrants remain, so that no match is possible; None if more do."""
    if len(remaining) > 1:
        return None
    return Said("early.too_few", {"count": len(remaining)})


def matches_left_out(
    unplayed: Sequence[Fixture],
    remaining: Collection[str],
    why: Said,
) -> Said | None:
    """Say that a tournament of known fixtures ended early, for this reason.

    None if the remaining entrants have played all their matches. If no entrant remains, every match
    that was not played counts.
    """
    if remaining and all(fixture.entrants.isdisjoint(remaining) for fixture in unplayed):
        return None
    if not unplayed:
        return None
    return Said("early.matches", {"count": len(unplayed), "why": why})

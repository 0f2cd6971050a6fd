"""The gauntlet: one or a few challengers, each against all others."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from arena.tournaments.formats.interface import (
    Cycles,
    Format,
    Shape,
    SoFar,
    matches_left_out,
    remaining_entrants,
)
from arena.tournaments.schedule import Fixture, moved
from arena.tournaments.standings import Standings
from arena.words import Said


class Gauntlet(Format, frozen=True, kw_only=True, tag="gauntlet-1"):
    """The challengers meet all other entrants, once a cycle."""

    shape: ClassVar[Shape] = "boards"
    cycles: Cycles = 1
    challengers: tuple[str, ...] = ()
    """The entrants that meet all others."""

    def problems(self, entrants: Sequence[str]) -> list[Said]:
        """A gauntlet needs challengers that are entrants, and others for them to meet."""
        found = super().problems(entrants)
        known = set(entrants)
        strangers = [name for name in self.challengers if name not in known]
        found += [Said("format.stranger", {"name": repr(name)}) for name in strangers]
        if not self.challengers:
            found.append(Said("format.no_challengers", {"format": self.name}))
        if len(set(self.challengers)) < len(self.challengers):
            found.append(Said("format.challenger_twice"))
        if entrants and known <= set(self.challengers):
            found.append(Said("format.all_challengers"))
        return found

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """All of them."""
        challengers = set(self.challengers)
        others = [name for name in entrants if name not in challengers]
        return gauntlet(self.challengers, others, self.cycles)

    def known_matches(self, entrants: int) -> int:
        """Every challenger meets every other once a cycle."""
        return self.cycles * len(self.challengers) * max(0, entrants - len(self.challengers))

    def catch_up(
        self, field: Sequence[str], newcomers: Sequence[str], last_round: int
    ) -> tuple[Fixture, ...]:
        """Newcomers meet the remaining challengers."""
        challengers = [name for name in self.challengers if name in field]
        return moved(gauntlet(challengers, newcomers, self.cycles), last_round)

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Say that all challengers are withdrawn, or all others."""
        remaining = remaining_entrants(so_far)
        challengers = [name for name in remaining if name in self.challengers]
        if not challengers:
            return matches_left_out(unplayed, remaining, Said("early.no_challenger"))
        if len(challengers) == len(remaining):
            return matches_left_out(unplayed, remaining, Said("early.no_opponent"))
        return None

    @property
    def boards(self) -> Sequence[str]:
        """All challengers."""
        return self.challengers

    def outcome(self, so_far: SoFar, table: Standings) -> list[Said]:
        """Say how each challenger did: it alone has met all others."""
        return self.outlook(so_far, table, {}) or [Said("outcome.nobody")]

    def outlook(self, so_far: SoFar, table: Standings, left: Mapping[str, int]) -> list[Said]:
        """Say the same, so far; nothing of a challenger without a match that counts."""
        found = []
        for row in table.rows:
            if row.entrant in self.challengers and row.played:
                matches = {
                    "name": table.name(row.entrant),
                    "won": row.won,
                    "count": row.played,
                    "lost": row.lost,
                }
                points = {"points": row.points_for, "theirs": row.points_against}
                found.append(Said("outcome.challenger", {**matches, **points}))
        return found


def gauntlet(
    challengers: Sequence[str], others: Sequence[str], cycles: int = 1
) -> tuple[Fixture, ...]:
    """Every challenger meets every non-challenger once a cycle; there are no other matches.

    Each entrant plays at most once a round, and its two seats differ by at most one match a cycle;
    from one cycle to the next the seats of a pair are swapped. Ordered by round; empty if either
    side is.
    """
    fixtures = []
    rounds = max(len(challengers), len(others)) if challengers and others else 0
    for cycle in range(cycles):
        for number in range(rounds):
            for mine, theirs in _meeting(number, len(challengers), len(others)):
                pair = (challengers[mine], others[theirs])
                first, second = pair if (mine + theirs + cycle) % 2 == 0 else pair[::-1]
                fixtures.append(
                    Fixture(round=cycle * rounds + number + 1, first=first, second=second)
                )
    return tuple(fixtures)


def _meeting(number: int, challengers: int, others: int) -> list[tuple[int, int]]:
    """The meetings of a round, counted from 0: the smaller side moves by one place along the larger."""
    if challengers <= others:
        return [(place, (place + number) % others) for place in range(challengers)]
    return [((place + number) % challengers, place) for place in range(others)]

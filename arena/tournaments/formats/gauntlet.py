"""The gauntlet: one or a few challengers, each against all others."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

from arena.tournaments.formats.interface import (
    Cycles,
    Format,
    Shape,
    SoFar,
    count_matches,
    matches_left_out,
    remaining_entrants,
)
from arena.tournaments.outcomes import placed, say_match_points, say_stakes
from arena.tournaments.schedule import Fixture, move_by_rounds
from arena.tournaments.standings import Standing, Standings
from arena.words import Said


class Gauntlet(Format, frozen=True, kw_only=True, tag="gauntlet-1"):
    """The challengers meet all other entrants, once a cycle."""

    shape: ClassVar[Shape] = "boards"
    cycles: Cycles = 1
    challengers: tuple[str, ...] = ()
    """The entrants that meet all others."""

    def problems(self, entrants: Sequence[str]) -> list[Said]:
        """Check that the challengers are entrants, and that there are others for them to meet."""
        problems = super().problems(entrants)
        field = set(entrants)
        for name in self.challengers:
            if name not in field:
                stranger = {"name": repr(name)}
                problems.append(Said("format.stranger", stranger))
        if not self.challengers:
            problems.append(Said("format.no_challengers", {"format": self.name}))
        if len(set(self.challengers)) < len(self.challengers):
            problems.append(Said("format.challenger_twice"))
        if entrants and field <= set(self.challengers):
            problems.append(Said("format.all_challengers"))
        return problems

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """Return all fixtures."""
        challengers = set(self.challengers)
        others = [name for name in entrants if name not in challengers]
        return gauntlet(self.challengers, others, self.cycles)

    def known_matches(self, entrants: int) -> int:
        """Count one match per cycle for each challenger and each other entrant."""
        others = max(0, entrants - len(self.challengers))
        return self.cycles * len(self.challengers) * others

    def catch_up(
        self,
        field: Sequence[str],
        newcomers: Sequence[str],
        last_round: int,
    ) -> tuple[Fixture, ...]:
        """Let newcomers meet the remaining challengers."""
        challengers = [name for name in self.challengers if name in field]
        fixtures = gauntlet(challengers, newcomers, self.cycles)
        return move_by_rounds(fixtures, last_round)

    def early_end(
        self,
        so_far: SoFar,
        unplayed: Sequence[Fixture],
    ) -> Said | None:
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
        """Say how each challenger did: only challengers have met all others."""
        return self._scores(table) or [Said("outcome.no_winner")]

    def outlook(
        self,
        so_far: SoFar,
        table: Standings,
        unplayed: Mapping[str, int],
    ) -> list[Said]:
        """Say what is at stake for the challenger, or between the challengers; then their scores.

        The challengers have the same opponents, so their match points are compared.
        """
        matches = count_matches(unplayed)
        rows = [row for row in placed(table) if row.entrant in self.challengers]
        if matches == 0 or not rows:
            return self.outcome(so_far, table)
        if len(rows) == 1 and table.counted:
            stakes = _against_the_field(table, rows[0], matches)
        else:
            most = max(row.match_points for row in rows)
            rows.sort(key=lambda row: row.match_points, reverse=True)
            leaders = [row for row in rows if row.match_points == most]
            stakes = say_stakes(table, rows, leaders, unplayed, matches)
        return [stakes, *self._scores(table)]

    def _scores(self, table: Standings) -> list[Said]:
        """Say how each challenger did that has a match that counts."""
        sentences = []
        for row in table.rows:
            if row.entrant in self.challengers and row.played:
                score = {
                    "name": table.name(row.entrant),
                    "won": row.won,
                    "count": row.played,
                    "lost": row.lost,
                    "points": row.points_for,
                    "theirs": row.points_against,
                }
                sentences.append(Said("outcome.challenger", score))
        return sentences


def _against_the_field(table: Standings, challenger: Standing, matches: int) -> Said:
    """Say whether the only challenger gets more than half of all match points."""
    stakes = {
        "name": table.name(challenger.entrant),
        "points": say_match_points(challenger.match_points),
        "count": challenger.played,
        "left": Said("stakes.matches", {"count": matches}),
    }
    half = Fraction(challenger.played + matches, 2)
    if challenger.match_points > half:
        return Said("stakes.beats_the_field", stakes)
    if challenger.match_points + matches < half:
        return Said("stakes.loses_to_the_field", stakes)
    return Said("stakes.challenger", stakes)


def gauntlet(
    challengers: Sequence[str],
    others: Sequence[str],
    cycles: int = 1,
) -> tuple[Fixture, ...]:
    """Return the fixtures of a gauntlet, ordered by round.

    Each challenger meets each other entrant once per cycle. Each entrant plays at most once per
    round, and its two seats differ by at most one match per cycle; from one cycle to the next the
    seats of a pair are swapped. Empty if either side is.
    """
    if not challengers or not others:
        return ()
    fixtures = []
    rounds = max(len(challengers), len(others))
    for cycle in range(cycles):
        for number in range(rounds):
            for mine, theirs in _meetings(number, len(challengers), len(others)):
                first, second = challengers[mine], others[theirs]
                if (mine + theirs + cycle) % 2 == 1:
                    first, second = second, first
                fixture = Fixture(
                    round=cycle * rounds + number + 1,
                    first=first,
                    second=second,
                )
                fixtures.append(fixture)
    return tuple(fixtures)


def _meetings(
    number: int,
    challengers: int,
    others: int,
) -> list[tuple[int, int]]:
    """Return the meetings of a round, counted from 0: (place of a challenger, place of another).

    From round to round the smaller side moves by one place along the larger.
    """
    if challengers <= others:
        return [(place, (place + number) % others) for place in range(challengers)]
    return [((place + number) % challengers, place) for place in range(others)]

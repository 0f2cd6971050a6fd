"""The round robin: everybody meets everybody (M3)."""

from collections.abc import Sequence

from arena.tournaments.formats.gauntlet import gauntlet
from arena.tournaments.formats.interface import (
    Cycles,
    Format,
    SoFar,
    matches_left_out,
    remaining_entrants,
    too_few,
)
from arena.tournaments.schedule import Fixture, moved
from arena.words import Said


class RoundRobin(Format, frozen=True, kw_only=True, tag="round_robin"):
    """Everybody meets everybody, once a cycle."""

    cycles: Cycles = 1

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """All of them."""
        return round_robin(entrants, self.cycles)

    def known_matches(self, entrants: int) -> int:
        """Every pair meets once a cycle."""
        return self.cycles * entrants * (entrants - 1) // 2

    def catch_up(
        self, field: Sequence[str], newcomers: Sequence[str], last_round: int
    ) -> tuple[Fixture, ...]:
        """Newcomers meet all earlier entrants, then each other."""
        against_field = gauntlet(newcomers, field, self.cycles)
        rounds = max((fixture.round for fixture in against_field), default=0)
        among_themselves = moved(round_robin(newcomers, self.cycles), rounds)
        return moved((*against_field, *among_themselves), last_round)

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Say that too few entrants are left for the matches that remain."""
        remaining = remaining_entrants(so_far)
        why = too_few(remaining)
        return None if why is None else matches_left_out(unplayed, remaining, why)


def round_robin(entrants: Sequence[str], cycles: int = 1) -> tuple[Fixture, ...]:
    """Every pair meets once a cycle, and each entrant plays at most once a round (M3); ordered by round.

    This is the circle method in the order of Berger's tables, so that seats alternate. With an odd
    number each entrant has one bye a cycle. Over the whole schedule an entrant's two seats differ
    by at most one match, and the seats of a pair are swapped from one cycle to the next. `entrants`
    are in the order of drawing. Empty for fewer than two entrants.
    """
    rounds = _one_cycle(entrants)
    fixtures = []
    for cycle in range(cycles):
        for number, pairs in enumerate(rounds, cycle * len(rounds) + 1):
            for pair in pairs:
                first, second = pair if cycle % 2 == 0 else reversed(pair)
                fixtures.append(Fixture(round=number, first=first, second=second))
    return tuple(fixtures)


def _one_cycle(entrants: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Pair entrants by the circle method: one list of (seat 1, seat 2) for each round.

    If their number is even, all but the last sit on a circle of odd size. In the round of circle
    place `top`, the entrant there meets the last one, and those equally far from it on either side
    meet each other; the one clockwise of it has seat 1. So every entrant on the circle has each
    seat equally often against the others on it, and its one match against the last entrant makes a
    difference of one. If the number is odd, all sit on the circle and `top` has the bye.
    """
    size = len(entrants) - 1 if len(entrants) % 2 == 0 else len(entrants)
    rounds = []
    for number in range(size):
        top = (
            number * (size + 1) // 2 % size
        )  # steps of half the circle: the seats of each entrant alternate
        pairs = []
        if size < len(entrants):
            pair = (entrants[top], entrants[-1])
            pairs.append(pair if number % 2 == 0 else pair[::-1])
        for distance in range(1, (size + 1) // 2):
            pair = (entrants[(top + distance) % size], entrants[(top - distance) % size])
            pairs.append(pair)
        rounds.append(pairs)
    return rounds

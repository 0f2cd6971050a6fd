"""The round robin: all entrants meet each other (M3)."""

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
from arena.tournaments.schedule import Fixture, move_by_rounds
from arena.words import Said


class RoundRobin(Format, frozen=True, kw_only=True, tag="round_robin"):
    """All entrants meet each other, once a cycle."""

    cycles: Cycles = 1

    def fixtures(self, entrants: Sequence[str]) -> tuple[Fixture, ...]:
        """Return all fixtures."""
        return round_robin(entrants, self.cycles)

    def known_matches(self, entrants: int) -> int:
        """Count one match per cycle for each pair."""
        return self.cycles * entrants * (entrants - 1) // 2

    def catch_up(
        self,
        field: Sequence[str],
        newcomers: Sequence[str],
        last_round: int,
    ) -> tuple[Fixture, ...]:
        """Let newcomers meet all earlier entrants, then each other."""
        against_field = gauntlet(newcomers, field, self.cycles)
        rounds = max((fixture.round for fixture in against_field), default=0)
        among_themselves = move_by_rounds(round_robin(newcomers, self.cycles), rounds)
        return move_by_rounds((*against_field, *among_themselves), last_round)

    def early_end(self, so_far: SoFar, unplayed: Sequence[Fixture]) -> Said | None:
        """Say that too few entrants remain for the matches that were not played."""
        remaining = remaining_entrants(so_far)
        why = too_few(remaining)
        if why is None:
            return None
        return matches_left_out(unplayed, remaining, why)


def round_robin(entrants: Sequence[str], cycles: int = 1) -> tuple[Fixture, ...]:
    """Return the fixtures of a round robin, ordered by round: each pair meets once per cycle (M3).

    Each entrant plays at most once per round. This is the circle method in the order of Berger's
    tables, so that seats alternate. With an odd number each entrant has one bye per cycle. Over the
    whole schedule an entrant's two seats differ by at most one match, and the seats of a pair are
    swapped from one cycle to the next. `entrants` are in the order of drawing. Empty for fewer than
    two entrants.
    """
    rounds = _one_cycle(entrants)
    fixtures = []
    for cycle in range(cycles):
        for number, pairs in enumerate(rounds, cycle * len(rounds) + 1):
            for pair in pairs:
                first, second = pair
                if cycle % 2 == 1:
                    second, first = pair
                fixtures.append(
                    Fixture(
                        round=number,
                        first=first,
                        second=second,
                    )
                )
    return tuple(fixtures)


def _one_cycle(entrants: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Pair entrants by the circle method: one list of (seat 1, seat 2) for each round.

    If their number is even, all but the last sit on a circle of odd size. In the round of circle
    place `top`, the entrant there meets the last one, and those equally far from it on either side
    meet each other; the one clockwise of it has seat 1. So every entrant on the circle has each
    seat equally often against the others on it, and its one match against the last entrant makes a
    difference of one. If the number is odd, all sit on the circle and `top` has the bye.
    """
    is_even = len(entrants) % 2 == 0
    size = len(entrants)
    if is_even:
        size -= 1
    rounds = []
    for number in range(size):
        # Steps of half the circle: the seats of each entrant alternate.
        top = number * (size + 1) // 2 % size
        pairs = []
        if is_even and number % 2 == 0:
            pairs.append((entrants[top], entrants[-1]))
        elif is_even:
            pairs.append((entrants[-1], entrants[top]))
        for distance in range(1, (size + 1) // 2):
            clockwise = (top + distance) % size
            opposite = (top - distance) % size
            pairs.append((entrants[clockwise], entrants[opposite]))
        rounds.append(pairs)
    return rounds

"""The gauntlet: one entrant or a few, each against all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.tournaments.schedule import Fixture

if TYPE_CHECKING:
    from collections.abc import Sequence


def gauntlet(challengers: Sequence[str], others: Sequence[str], cycles: int = 1) -> tuple[Fixture, ...]:
    """Every challenger meets every other once a cycle; neither challengers nor the others meet among themselves.

    Each entrant plays at most once a round, and its two seats differ by at most one match a cycle; from one
    cycle to the next the seats of a pair are swapped. Ordered by round; empty if either side is.
    """
    fixtures = []
    rounds = max(len(challengers), len(others)) if challengers and others else 0
    for cycle in range(cycles):
        for number in range(rounds):
            for mine, theirs in _meeting(number, len(challengers), len(others)):
                pair = (challengers[mine], others[theirs])
                first, second = pair if (mine + theirs + cycle) % 2 == 0 else pair[::-1]
                fixtures.append(Fixture(round=cycle * rounds + number + 1, first=first, second=second))
    return tuple(fixtures)


def _meeting(number: int, challengers: int, others: int) -> list[tuple[int, int]]:
    """Who meets in a round, counted from 0: the smaller side moves on by one place along the larger."""
    if challengers <= others:
        return [(place, (place + number) % others) for place in range(challengers)]
    return [((place + number) % challengers, place) for place in range(others)]

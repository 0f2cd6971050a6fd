"""The gauntlet: one entrant or a few, each against all others; and how newcomers catch up with a field."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arena.tournaments.schedule import Fixture, round_robin

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


def catch_up(field: Sequence[str], newcomers: Sequence[str], cycles: int, last_round: int) -> tuple[Fixture, ...]:
    """What is missing when newcomers join a round robin: each against the field, then among themselves.

    `last_round` is the last round of what there was; the missing rounds follow it.
    """
    fixtures = _after(last_round, gauntlet(newcomers, field, cycles))
    if len(newcomers) > 1:
        last_round = max((fixture.round for fixture in fixtures), default=last_round)
        fixtures += _after(last_round, round_robin(newcomers, cycles))
    return fixtures


def catch_up_gauntlet(
    challengers: Sequence[str], newcomers: Sequence[str], cycles: int, last_round: int
) -> tuple[Fixture, ...]:
    """What is missing when newcomers join a gauntlet: each against the challengers."""
    return _after(last_round, gauntlet(challengers, newcomers, cycles))


def _after(last_round: int, fixtures: tuple[Fixture, ...]) -> tuple[Fixture, ...]:
    return tuple(replace(fixture, round=last_round + fixture.round) for fixture in fixtures)


def _meeting(number: int, challengers: int, others: int) -> list[tuple[int, int]]:
    """Who meets in a round, counted from 0: the smaller side moves on by one place along the larger."""
    if challengers <= others:
        return [(place, (place + number) % others) for place in range(challengers)]
    return [((place + number) % challengers, place) for place in range(others)]

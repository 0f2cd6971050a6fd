"""How newcomers catch up with a field that has played: which fixtures are missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from arena.tournaments.gauntlet import gauntlet
from arena.tournaments.schedule import Fixture, round_robin

if TYPE_CHECKING:
    from collections.abc import Sequence


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

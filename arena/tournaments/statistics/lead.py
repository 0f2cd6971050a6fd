"""The lead of one entrant over another, by the units that the two have played."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.tournaments import TournamentError
from arena.tournaments.statistics.intervals import (
    PointsPerGame,
    margin_of,
    points_per_game,
)
from arena.tournaments.statistics.ratings import order_probabilities, rate
from arena.tournaments.statistics.units import Unit

SEED: Final = 1
"""The seed of the draws behind the likelihood: the same records give the same number."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Lead:
    """The lead of one entrant over another; a figure below 0 is the lead of the other one.

    The figures are those of `arena stats`. Elo is None where the luck was taken out and there are
    no ratings, because an entrant won more than all games; an interval is None with too few units,
    or if they are too much alike.
    """

    points: PointsPerGame
    elo: float | None
    elo_interval: tuple[float, float] | None


def lead_of(units: Sequence[Unit], entrant: str, opponent: str) -> Lead:
    """Measure the lead of an entrant; `units` are those of these two, at least one."""
    points = points_per_game(units, entrant)
    assert points is not None, "they have played"
    try:
        ratings = rate(units)
    except (TournamentError, OverflowError):
        return Lead(
            points=points,
            elo=None,
            elo_interval=None,
        )
    elo, error = ratings.lead(entrant, opponent)
    if len(units) < 2:
        return Lead(
            points=points,
            elo=elo,
            elo_interval=None,
        )
    margin = margin_of(error, ratings.freedom)
    interval = (elo - margin, elo + margin)
    return Lead(
        points=points,
        elo=elo,
        elo_interval=interval,
    )


def likelihood_of_superiority(units: Sequence[Unit], entrant: str, opponent: str) -> float | None:
    """Return how likely the entrant is the stronger one; None where there are no ratings."""
    try:
        ratings = rate(units)
        order = order_probabilities(ratings, seed=SEED)
    except (TournamentError, OverflowError):
        return None
    first = ratings.entrants.index(entrant)
    second = ratings.entrants.index(opponent)
    return order.superior[first][second]

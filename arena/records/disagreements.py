"""Disagreements: two bots whose order differs between the standings and the ratings of a run, and why."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Final

from arena.records.statistics import Field, RunStatistics
from arena.tournaments.results import format_points
from arena.tournaments.standings import Standing, Standings

_DIGITS: Final = 6
"""Ratings that differ less are equal."""


def disagreements(table: Standings, found: RunStatistics) -> list[str]:
    """A sentence for every two neighbours in the standings of which the lower is rated higher."""
    return [sentence for field in found.fields for sentence in _within(field, table, found)]


def _within(field: Field, table: Standings, found: RunStatistics) -> Iterator[str]:
    """Ratings compare within one field."""
    elo = dict(zip(field.ratings.entrants, field.ratings.elo, strict=True))
    rows = [row for row in table.rows if row.entrant in elo]
    for upper, lower in pairwise(rows):
        if upper.place != lower.place and round(elo[lower.entrant] - elo[upper.entrant], _DIGITS) > 0:
            above, below = table.name(upper.entrant), table.name(lower.entrant)
            yield (
                f"{above} stands above {below} by {_ahead_by(upper, lower, table)}, but {below} is rated higher: "
                f"{_rated_by(upper.entrant, lower.entrant, below, found)}"
            )


def _ahead_by(upper: Standing, lower: Standing, table: Standings) -> str:
    """The first thing that the standings compare in which two neighbours differ."""
    for column in table.columns:
        numbers = column.numbers[upper.entrant], column.numbers[lower.entrant]
        if numbers[0] != numbers[1]:
            return f"{column.heading}, {numbers[0]} against {numbers[1]}"
    if upper.match_points != lower.match_points:
        return f"match points, {format_points(upper.match_points)} against {format_points(lower.match_points)}"
    steps = (tie.step for tie in table.tie_breaks if upper.entrant in tie.above and lower.entrant in tie.below)
    return next(steps).value.replace("_", " ")


def _rated_by(upper: str, lower: str, name: str, found: RunStatistics) -> str:
    """Return what the ratings see that the standings do not."""
    more, less = _share(lower, found), _share(upper, found)
    if more > less:
        return f"ratings count games, of which it won {100 * float(more):.1f} % against {100 * float(less):.1f} %"
    return f"ratings weigh the opponents, and those of {name} were stronger"


def _share(entrant: str, found: RunStatistics) -> Fraction:
    """Return the share of its games that an entrant has won."""
    units = [unit.seen_by(entrant) for unit in found.units if entrant in (unit.first, unit.second)]
    return Fraction(sum(unit.score for unit in units)) / sum(unit.games for unit in units)

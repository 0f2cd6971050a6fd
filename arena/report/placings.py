"""The rows of the standings and of the cross-table, as the report and the live pages have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.report.contents import Placing
from arena.tournaments.crosstable import Crosstable
from arena.tournaments.pairs import PairCount
from arena.tournaments.results import format_points
from arena.tournaments.standings import Column, Standing

BEST_GAMES: Final = 5
"""How many of an entrant's best games are listed."""


def placing_of(row: Standing, name: str, columns: Sequence[Column], pairs: Mapping[str, PairCount]) -> Placing:
    """A row of the standings; `name` is what the entrant is called on screens."""
    count = pairs.get(row.entrant)
    return Placing(
        name=name,
        place=row.place,
        is_shared=row.is_shared,
        withdrawal=row.withdrawal.value,
        played=row.played,
        won=row.won,
        drawn=row.drawn,
        lost=row.lost,
        match_points=format_points(row.match_points),
        points_for=row.points_for,
        points_against=row.points_against,
        best_games=[game.points for game in row.best_games[:BEST_GAMES]],
        free_rounds=row.free_rounds,
        before=[column.numbers[row.entrant] for column in columns],
        pairs=(count.won, count.level, count.lost) if count else None,
    )


def meetings_of(cross: Crosstable) -> list[list[list[tuple[int, int, str]]]]:
    """The cross-table with points for and against and the outcome of each meeting."""
    return [
        [[(one.points_for, one.points_against, one.outcome.value) for one in cell] for cell in row]
        for row in cross.cells
    ]

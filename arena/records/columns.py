"""The columns of the standings, for programs and for people (on terminals and on pages)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from arena.tournaments.results import PairCount, format_points
from arena.tournaments.standings import (
    Column,
    Standing,
    Standings,
)
from arena.words import Said

BEST_GAMES: Final = 3
"""How many of an entrant's best games people are shown."""
COUNTED: Final = ("played", "won", "drawn", "lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingsColumn:
    """One column."""

    key: str
    """Its name in answers for programs."""
    heading: str = ""
    """Its name for people; empty for what only programs get."""
    value: Callable[[Standing], Any]
    """For programs; None where an entrant has none."""
    text: Callable[[Standing], Said | str] | None = None
    """For people, if it is not the value."""
    decides: bool = False
    """True if places depend on it; on pages these columns come first."""
    is_shown: bool = True
    """True if there is something in it for people."""

    def cell(self, row: Standing) -> Said | str:
        """Return the text for people."""
        if self.text is None:
            return str(self.value(row))
        return self.text(row)


def columns_of(table: Standings, pairs: Mapping[str, PairCount]) -> Sequence[StandingsColumn]:
    """Return every column of these standings, after place and entrant.

    `pairs` are those of each entrant, by id.
    """
    counts = [
        StandingsColumn(
            key=name,
            heading=name,
            value=attrgetter(name),
        )
        for name in COUNTED
    ]
    return [
        *map(_of_format, table.columns),
        *counts,
        StandingsColumn(
            key="free_rounds",
            heading="free rounds",
            value=lambda row: row.free_rounds or None,
            text=lambda row: str(row.free_rounds),
            is_shown=any(row.free_rounds for row in table.rows),
        ),
        StandingsColumn(
            key="match_points",
            heading="match points",
            value=lambda row: float(row.match_points),
            text=lambda row: format_points(row.match_points),
            decides=True,
        ),
        StandingsColumn(
            key="points",
            heading="points",
            value=attrgetter("points_for"),
            text=lambda row: f"{row.points_for}:{row.points_against}",
            decides=True,
        ),
        StandingsColumn(key="points_against", value=attrgetter("points_against")),
        StandingsColumn(
            key="best_games",
            heading="best games",
            value=_points_of_games,
            text=_best_games_text,
            decides=True,
            is_shown=table.best_game != "none",
        ),
        StandingsColumn(
            key="forfeits",
            heading="forfeits",
            value=attrgetter("forfeits"),
            is_shown=any(row.forfeits for row in table.rows),
        ),
        StandingsColumn(
            key="pairs",
            heading="pairs won, level, lost",
            value=lambda row: _pair_values(pairs.get(row.entrant)),
            text=lambda row: _counts_text(pairs.get(row.entrant)),
            is_shown=bool(pairs),
        ),
        StandingsColumn(
            key="",
            heading="points a pair",
            value=lambda _: None,
            text=lambda row: _mean_text(pairs.get(row.entrant)),
            is_shown=bool(pairs),
        ),
    ]


def shown_columns(table: Standings, pairs: Mapping[str, PairCount]) -> Sequence[StandingsColumn]:
    """Return the columns for people."""
    return [column for column in columns_of(table, pairs) if column.heading and column.is_shown]


def page_columns(table: Standings, pairs: Mapping[str, PairCount]) -> Sequence[StandingsColumn]:
    """Return the columns for pages, those that decide first: on a phone the first are in sight."""
    return sorted(shown_columns(table, pairs), key=lambda column: not column.decides)


def _of_format(column: Column) -> StandingsColumn:
    """Return a column that the format adds to the standings."""

    def text(row: Standing) -> Said | str:
        number = column.numbers.get(row.entrant)
        return column.texts.get(row.entrant, "-" if number is None else str(number))

    return StandingsColumn(
        key=column.heading.replace(" ", "_"),
        heading=column.heading,
        value=lambda row: column.numbers.get(row.entrant),
        text=text,
        decides=column.decides,
        is_shown=column.is_shown,
    )


def _points_of_games(row: Standing) -> list[int]:
    return [game.points for game in row.best_games]


def _best_games_text(row: Standing) -> str:
    """Return the points of the best games, the first ones only."""
    points = list(map(str, _points_of_games(row)))
    if not points:
        return "-"
    shown = points[:BEST_GAMES]
    if len(points) > BEST_GAMES:
        shown.append("…")
    return " ".join(shown)


def _pair_values(count: PairCount | None) -> dict[str, float | None] | None:
    """Return the counts of pairs for programs; None without a pair."""
    if count is None:
        return None
    return {
        "won": count.won,
        "level": count.level,
        "lost": count.lost,
        "points_a_pair": float(count.mean),
        "standard_error": count.standard_error,
    }


def _counts_text(count: PairCount | None) -> str:
    if count is None:
        return "-"
    return f"{count.won} · {count.level} · {count.lost}"


def _mean_text(count: PairCount | None) -> Said | str:
    """Return the points a pair with their standard error, if it is known."""
    if count is None or not count.differences:
        return "-"
    mean, error = float(count.mean), count.standard_error
    if error is None:
        return Said("pair_points.mean", {"mean": mean})
    return Said("pair_points.mean_and_error", {"mean": mean, "error": error})

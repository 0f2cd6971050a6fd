"""The statistics of a run: what its records show about each bot's strength and conduct (docs/statistics.md)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.matches.facts import Terms
from arena.records.conduct import Conduct, conduct_of
from arena.records.facts import FixtureSettled, TournamentFact, TournamentOpened, result_of
from arena.records.standings import standings_of
from arena.records.state import state_of
from arena.tournaments.statistics.points import PointsPerGame, points_per_game
from arena.tournaments.statistics.ratings import Ratings, rate_fields
from arena.tournaments.statistics.units import Unit, halves_of, units_of

if TYPE_CHECKING:
    from arena.tournaments.statistics.bootstrap import OrderProbabilities


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Entrants that can be compared: their ratings, and how certain their order is."""

    ratings: Ratings
    order: OrderProbabilities


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatistics:
    """The statistics of the matches that count; a round robin has one field once everybody has played enough.

    `entrants` are in the order of drawing; `points` and `conduct` are by entrant, None and empty for one that has not
    played.
    """

    entrants: tuple[str, ...]
    names: Mapping[str, str]
    """What every entrant is called on screens."""
    unit: str
    """The unit: "pair" or "match"."""
    games_in_unit: int
    units: tuple[Unit, ...]
    fields: tuple[Field, ...]
    points: Mapping[str, PointsPerGame | None]
    conduct: Mapping[str, Conduct]


def games_in_unit(terms: Terms) -> int:
    """Return how many games belong together: the two of a duplicate pair, else all of a match."""
    return 2 if terms.form == "pairs" else terms.games


def unit_of(terms: Terms) -> str:
    """The name of the unit: "pair" or "match"."""
    return "pair" if terms.form == "pairs" else "match"


def counted_of(opened: TournamentOpened, facts: Sequence[TournamentFact]) -> list[FixtureSettled]:
    """The settled fixtures that count in the standings: those that were not annulled (M5)."""
    counted = standings_of(opened, facts).counted
    return [fact for fact in facts if isinstance(fact, FixtureSettled) and fact.fixture in counted]


def units_in(opened: TournamentOpened, settled: Sequence[FixtureSettled]) -> tuple[Unit, ...]:
    """Cut the results of these fixtures into units that are independent of each other."""
    size = games_in_unit(opened.terms)
    return tuple(unit for fact in settled for unit in units_of(result_of(fact.fixture, fact.games), size))


def statistics_of(
    opened: TournamentOpened,
    facts: Sequence[TournamentFact],
    files: Mapping[str, bytes],
    *,
    seed: int,
    draws: int,
    without: Collection[str] = (),
) -> RunStatistics:
    """Compute all statistics from the records of a run, finished or not.

    `files` holds the bytes of the match records; `seed` and `draws` are those of the bootstrap. For fixtures in
    `without` the conduct is left out, but not their results, which the tournament record has. Raises `RecordError` if
    another match record is missing or cannot be read.
    """
    from arena.tournaments.statistics.bootstrap import order_probabilities

    settled = counted_of(opened, facts)
    units = units_in(opened, settled)
    state = state_of(opened, facts)
    entrants = tuple(state.entrants)
    return RunStatistics(
        entrants=entrants,
        names=state.names,
        unit=unit_of(opened.terms),
        games_in_unit=games_in_unit(opened.terms),
        units=units,
        fields=tuple(
            Field(ratings=ratings, order=order_probabilities(ratings, seed=seed, draws=draws))
            for ratings in rate_fields(units)
        ),
        points={name: points_per_game(units, name) for name in entrants},
        conduct=conduct_of(entrants, [fact for fact in settled if fact.fixture not in without], files),
    )


def halves_in(opened: TournamentOpened, facts: Sequence[TournamentFact], entrant: str) -> tuple[int, ...]:
    """Count the units an entrant scored with 0, 1, 2, ... half games, in the fixtures that count."""
    units = units_in(opened, counted_of(opened, facts))
    return halves_of(units, entrant, games_in_unit(opened.terms))

"""The statistics of a run: what its records show about each bot's strength and conduct (docs/statistics.md)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Final, get_args

from arena.games.result import Cause
from arena.matches.facts import BotLeft, DrawAgreed, FlagFell, Terms, TurnPlayed, TurnRejected
from arena.records.facts import FixtureSettled, TournamentFact, TournamentOpened, result_of
from arena.records.files import Files, match_record
from arena.records.lines import Attempt, RecordError, read_attempts, whole_lines
from arena.records.state import state_of
from arena.tournaments.results import format_points
from arena.tournaments.schedule import parse_fixture
from arena.tournaments.standings import Standing, Standings
from arena.tournaments.statistics.intervals import PointsPerGame, points_per_game
from arena.tournaments.statistics.ratings import (
    OrderProbabilities,
    Ratings,
    order_probabilities,
    rate_fields,
)
from arena.tournaments.statistics.units import Unit, units_of
from arena.words import Said

CAUSES: Final[tuple[Cause, ...]] = get_args(Cause)
_DIGITS: Final = 6
"""Ratings that differ less are equal."""


@dataclass(frozen=True, slots=True)
class EndingKind:
    """Kind of ending: its name, whether with monk, and its rank in B10 (None if it has none)."""

    name: str
    monk: bool
    rank: int | None

    @property
    def said(self) -> Said:
        """Name it: "forced jan", "bearing off + monk"."""
        ending = Said(f"ending.{self.name}")
        return Said("plus_monk", {"ending": ending}) if self.monk else ending


@dataclass(slots=True)
class Conduct:
    """Conduct of one entrant in the matches that count; filled while records are read."""

    games: int = 0
    forfeits: Counter[Cause] = field(default_factory=Counter)
    rejections: int = 0
    """Turns and calls that were rejected."""
    lost_connections: int = 0
    spent_ms: Counter[int] = field(default_factory=Counter)
    """How many of its turns took so many milliseconds; turns in which its flag fell are included."""
    won: Counter[EndingKind] = field(default_factory=Counter)
    drawn: Counter[EndingKind] = field(default_factory=Counter)
    lost: Counter[EndingKind] = field(default_factory=Counter)

    @property
    def turns(self) -> int:
        """The number of turns it thought about."""
        return self.spent_ms.total()

    @property
    def mean_ms(self) -> float | None:
        """Mean thinking time of a turn; None without turns."""
        return (
            sum(ms * count for ms, count in self.spent_ms.items()) / self.turns
            if self.turns
            else None
        )

    def percentile_ms(self, percent: int) -> int | None:
        """The time within which so many per cent of its turns were answered (nearest rank); None without turns."""
        passed = 0
        for ms in sorted(self.spent_ms):
            passed += self.spent_ms[ms]
            if 100 * passed >= percent * self.turns:
                return ms
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Entrants that can be compared: their ratings, and how certain their order is."""

    ratings: Ratings
    order: OrderProbabilities


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStatistics:
    """The statistics of the matches that count; a round robin has one field once everybody has played enough.

    `entrants` are in the order of drawing; `points` and `conduct` are by entrant, None and empty
    for one that has not played.
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


def counted_of(opened: TournamentOpened, facts: Sequence[TournamentFact]) -> list[FixtureSettled]:
    """The settled fixtures that count in the standings: those that were not annulled (M5)."""
    counted = state_of(opened, facts).standings().counted
    return [fact for fact in facts if isinstance(fact, FixtureSettled) and fact.fixture in counted]


def units_in(opened: TournamentOpened, settled: Sequence[FixtureSettled]) -> tuple[Unit, ...]:
    """Cut the results of these fixtures into units that are independent of each other."""
    size = games_in_unit(opened.terms)
    return tuple(
        unit for fact in settled for unit in units_of(result_of(fact.fixture, fact.games), size)
    )


def statistics_of(
    opened: TournamentOpened,
    facts: Sequence[TournamentFact],
    conduct: Mapping[str, Conduct],
    *,
    seed: int,
    draws: int,
) -> RunStatistics:
    """Compute all statistics from the record of a tournament, finished or not, and the conduct of its entrants.

    `seed` and `draws` are those of the bootstrap.
    """
    settled = counted_of(opened, facts)
    units = units_in(opened, settled)
    state = state_of(opened, facts)
    entrants = tuple(state.entrants)
    return RunStatistics(
        entrants=entrants,
        names=state.names,
        unit="pair" if opened.terms.form == "pairs" else "match",
        games_in_unit=games_in_unit(opened.terms),
        units=units,
        fields=tuple(
            Field(ratings=ratings, order=order_probabilities(ratings, seed=seed, draws=draws))
            for ratings in rate_fields(units)
        ),
        points={name: points_per_game(units, name) for name in entrants},
        conduct=conduct,
    )


def disagreements(table: Standings, found: RunStatistics) -> list[str]:
    """A sentence for every two neighbours in the standings of which the lower is rated higher, within one field."""
    told = []
    for rated in found.fields:
        elo = dict(zip(rated.ratings.entrants, rated.ratings.elo, strict=True))
        for upper, lower in pairwise(row for row in table.rows if row.entrant in elo):
            if (
                upper.place != lower.place
                and round(elo[lower.entrant] - elo[upper.entrant], _DIGITS) > 0
            ):
                above, below = table.name(upper.entrant), table.name(lower.entrant)
                told.append(
                    f"{above} stands above {below} by {_ahead_by(upper, lower, table)}, but {below} is rated higher: "
                    f"{_rated_by(upper.entrant, lower.entrant, below, found)}"
                )
    return told


def _ahead_by(upper: Standing, lower: Standing, table: Standings) -> str:
    """The first thing that the standings compare in which two neighbours differ."""
    for column in table.columns:
        numbers = column.numbers[upper.entrant], column.numbers[lower.entrant]
        if numbers[0] != numbers[1]:
            return f"{column.heading}, {numbers[0]} against {numbers[1]}"
    if upper.match_points != lower.match_points:
        return f"match points, {format_points(upper.match_points)} against {format_points(lower.match_points)}"
    steps = (
        tie.step
        for tie in table.tie_breaks
        if upper.entrant in tie.above and lower.entrant in tie.below
    )
    return next(steps).value.replace("_", " ")


def _rated_by(upper: str, lower: str, name: str, found: RunStatistics) -> str:
    """Return what the ratings see that the standings do not."""
    shares = []
    for entrant in (lower, upper):
        units = [
            unit.seen_by(entrant) for unit in found.units if entrant in (unit.first, unit.second)
        ]
        shares.append(
            Fraction(sum(unit.score for unit in units)) / sum(unit.games for unit in units)
        )
    more, less = shares
    if more > less:
        return f"ratings count games, of which it won {100 * float(more):.1f} % against {100 * float(less):.1f} %"
    return f"ratings weigh the opponents, and those of {name} were stronger"


def kinds_of(counts: Iterable[Mapping[EndingKind, int]]) -> list[EndingKind]:
    """Every kind of ending that occurs, the most valuable first, those without a rank last."""
    kinds = {kind for count in counts for kind in count}
    return sorted(kinds, key=lambda kind: (kind.rank is None, kind.rank or 0, kind.name, kind.monk))


def conduct_of(
    entrants: Sequence[str], settled: Sequence[FixtureSettled], files: Files
) -> dict[str, Conduct]:
    """Read each entrant's conduct in settled matches; raises `RecordError` if a record is missing or cannot be read."""
    conducts = {name: Conduct() for name in entrants}
    for fact in settled:
        add_conduct(conducts, fact, _attempt(fact, files))
    return conducts


def add_conduct(conducts: Mapping[str, Conduct], settled: FixtureSettled, attempt: Attempt) -> None:
    """Add the conduct of both entrants in a settled match, of which this is the attempt that counts."""
    fixture = parse_fixture(settled.fixture)
    sides = (conducts[fixture.first], conducts[fixture.second])
    for game in settled.games:
        kind = EndingKind(game.ending, game.monk, game.rank)
        for seat, side in enumerate(sides, 1):
            side.games += 1
            outcome = (
                side.drawn
                if game.winner is None
                else side.won
                if game.winner == seat
                else side.lost
            )
            outcome[kind] += 1
            if game.cause is not None and game.winner != seat:
                side.forfeits[game.cause] += 1
    for _, fact in attempt.facts:
        match fact:
            case TurnPlayed() | DrawAgreed() | FlagFell():
                sides[fact.seat - 1].spent_ms[fact.spent_ms] += 1
            case TurnRejected():
                sides[fact.seat - 1].rejections += 1
            case BotLeft() if fact.blameless is not True:
                sides[fact.seat - 1].lost_connections += 1


def _attempt(settled: FixtureSettled, files: Files) -> Attempt:
    name = match_record(settled.fixture)
    if name not in files:
        raise RecordError(name, Said("record.settled_missing"))
    for attempt in read_attempts(name, whole_lines(files[name])):
        if attempt.opened.attempt == settled.attempt:
            return attempt
    raise RecordError(name, Said("record.settled_attempt_missing", {"attempt": settled.attempt}))

"""The statistics of a run (docs/statistics.md): the strength and conduct of each bot."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Final, get_args

from arena.games.result import Cause, Result
from arena.matches.facts import (
    BotLeft,
    DrawAgreed,
    FlagFell,
    Terms,
    TurnPlayed,
    TurnRejected,
)
from arena.records.facts import (
    FixtureSettled,
    TournamentFact,
    TournamentOpened,
    result_of,
)
from arena.records.files import Files, match_record
from arena.records.lines import (
    Attempt,
    RecordError,
    read_attempts,
    whole_lines,
)
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
    """Number of its turns by their milliseconds; turns in which its flag fell are included."""
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
        if not self.turns:
            return None
        return sum(ms * turns for ms, turns in self.spent_ms.items()) / self.turns

    def percentile_ms(self, percent: int) -> int | None:
        """Return the time within which `percent` of its turns were answered (nearest rank).

        None without turns.
        """
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
    """The statistics of the matches that count.

    A round robin has one field once all entrants have played enough. `entrants` are in the order of
    drawing. `points` and `conduct` are by entrant, None and empty for an entrant that has not
    played.
    """

    entrants: tuple[str, ...]
    names: Mapping[str, str]
    """Display names of all entrants, by id."""
    unit: str
    """The unit: "pair" or "match"."""
    games_in_unit: int
    units: tuple[Unit, ...]
    fields: tuple[Field, ...]
    points: Mapping[str, PointsPerGame | None]
    conduct: Mapping[str, Conduct]


def games_in_unit(terms: Terms) -> int:
    """Return how many games belong together: the two of a duplicate pair, else all of a match."""
    if terms.form == "pairs":
        return 2
    return terms.games


def counted_of(opened: TournamentOpened, facts: Sequence[TournamentFact]) -> list[FixtureSettled]:
    """Return the settled fixtures that count in the standings: those not annulled (M5)."""
    counted = state_of(opened, facts).standings().counted
    settled = [fact for fact in facts if isinstance(fact, FixtureSettled)]
    return [fact for fact in settled if fact.fixture in counted]


def units_in(opened: TournamentOpened, settled: Sequence[FixtureSettled]) -> tuple[Unit, ...]:
    """Cut the results of these fixtures into units that are independent of each other."""
    size = games_in_unit(opened.terms)
    units: list[Unit] = []
    for fact in settled:
        units += units_of(result_of(fact.fixture, fact.games), size)
    return tuple(units)


def statistics_of(
    opened: TournamentOpened,
    facts: Sequence[TournamentFact],
    conduct: Mapping[str, Conduct],
    *,
    seed: int,
    draws: int,
) -> RunStatistics:
    """Compute all statistics of a tournament, finished or not.

    `conduct` is that of its entrants; `seed` and `draws` are those of the bootstrap.
    """
    settled = counted_of(opened, facts)
    units = units_in(opened, settled)
    fields = []
    for ratings in rate_fields(units):
        order = order_probabilities(ratings, seed=seed, draws=draws)
        fields.append(Field(ratings=ratings, order=order))
    state = state_of(opened, facts)
    entrants = tuple(state.entrants)
    return RunStatistics(
        entrants=entrants,
        names=state.names,
        unit="pair" if opened.terms.form == "pairs" else "match",
        games_in_unit=games_in_unit(opened.terms),
        units=units,
        fields=tuple(fields),
        points={name: points_per_game(units, name) for name in entrants},
        conduct=conduct,
    )


def disagreements(table: Standings, statistics: RunStatistics) -> list[str]:
    """Explain each two neighbours in the standings where the lower is rated higher in a field."""
    sentences = []
    for comparable in statistics.fields:
        ratings = comparable.ratings
        elo = dict(zip(ratings.entrants, ratings.elo, strict=True))
        placed = [row for row in table.rows if row.place is not None]
        rated = [row for row in placed if row.entrant in elo]
        for upper, lower in pairwise(rated):
            lead = round(elo[lower.entrant] - elo[upper.entrant], _DIGITS)
            if upper.place != lower.place and lead > 0:
                above = table.name(upper.entrant)
                below = table.name(lower.entrant)
                by_place = _reason_for_place(upper, lower, table)
                by_rating = _reason_for_rating(
                    upper.entrant,
                    lower.entrant,
                    below,
                    statistics,
                )
                sentences.append(
                    f"{above} stands above {below} by {by_place}, "
                    f"but {below} is rated higher: {by_rating}"
                )
    return sentences


def _reason_for_place(upper: Standing, lower: Standing, table: Standings) -> str:
    """Name the first thing that the standings compare in which two neighbours differ."""
    for column in table.columns:
        if not column.decides:
            continue
        upper_number = column.numbers[upper.entrant]
        lower_number = column.numbers[lower.entrant]
        if upper_number != lower_number:
            return f"{column.heading}, {upper_number} against {lower_number}"
    if upper.match_points != lower.match_points:
        upper_points = format_points(upper.match_points)
        lower_points = format_points(lower.match_points)
        return f"match points, {upper_points} against {lower_points}"
    for tie in table.tie_breaks:
        if upper.entrant in tie.above and lower.entrant in tie.below:
            return tie.step.value.replace("_", " ")
    raise AssertionError("neighbours on different places differ in something")


def _reason_for_rating(
    upper: str,
    lower: str,
    lower_name: str,
    statistics: RunStatistics,
) -> str:
    """Name what the ratings see and the standings do not."""
    upper_score = _score_per_game(upper, statistics.units)
    lower_score = _score_per_game(lower, statistics.units)
    if lower_score > upper_score:
        return (
            "ratings count games, a draw as a half: "
            f"it scored {100 * float(lower_score):.1f} % against {100 * float(upper_score):.1f} %"
        )
    return f"ratings weigh the opponents, and those of {lower_name} were stronger"


def _score_per_game(entrant: str, units: Sequence[Unit]) -> Fraction:
    """Return an entrant's score per game; a draw is a half."""
    played = [unit.seen_by(entrant) for unit in units if unit.has(entrant)]
    score = Fraction(sum(unit.score for unit in played))
    return score / sum(unit.games for unit in played)


def kinds_of(counts: Iterable[Mapping[EndingKind, int]]) -> list[EndingKind]:
    """Return the kinds of ending that occur, the most valuable first, those without a rank last."""
    kinds = set[EndingKind]().union(*counts)
    return sorted(kinds, key=lambda kind: (kind.rank is None, kind.rank or 0, kind.name, kind.monk))


def conduct_of(
    entrants: Sequence[str], settled: Sequence[FixtureSettled], files: Files
) -> dict[str, Conduct]:
    """Read each entrant's conduct in settled matches.

    Raises `RecordError` if a record is missing or cannot be read.
    """
    conducts = {name: Conduct() for name in entrants}
    for fact in settled:
        add_conduct(conducts, fact, _attempt(fact, files))
    return conducts


def add_conduct(conducts: Mapping[str, Conduct], settled: FixtureSettled, attempt: Attempt) -> None:
    """Add the conduct of both entrants in a settled match; `attempt` is the one that counts."""
    fixture = parse_fixture(settled.fixture)
    sides = (conducts[fixture.first], conducts[fixture.second])
    for game in settled.games:
        for seat, side in enumerate(sides, 1):
            _add_game(side, game, is_winner=game.winner == seat)
    for _, fact in attempt.facts:
        match fact:
            case TurnPlayed() | DrawAgreed() | FlagFell():
                sides[fact.seat - 1].spent_ms[fact.spent_ms] += 1
            case TurnRejected():
                sides[fact.seat - 1].rejections += 1
            case BotLeft() if fact.blameless is not True:
                sides[fact.seat - 1].lost_connections += 1


def _add_game(side: Conduct, game: Result, *, is_winner: bool) -> None:
    """Count a game in the conduct of one side."""
    side.games += 1
    kind = EndingKind(game.ending, game.monk, game.rank)
    if is_winner:
        side.won[kind] += 1
    elif game.winner is None:
        side.drawn[kind] += 1
    else:
        side.lost[kind] += 1
    if game.cause is not None and not is_winner:
        side.forfeits[game.cause] += 1


def _attempt(settled: FixtureSettled, files: Files) -> Attempt:
    """Return the attempt at a match that was settled. Raises `RecordError`."""
    name = match_record(settled.fixture)
    if name not in files:
        raise RecordError(name, Said("record.settled_missing"))
    for attempt in read_attempts(name, whole_lines(files[name])):
        if attempt.opened.attempt == settled.attempt:
            return attempt
    problem = Said("record.settled_attempt_missing", {"attempt": settled.attempt})
    raise RecordError(name, problem)

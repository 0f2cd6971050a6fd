"""The results of a run with the luck of the dice taken out, from its records and their analyses."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from arena.matches.facts import FixedEvaluator
from arena.records.analysed import Analysis
from arena.records.facts import (
    FixtureSettled,
    TournamentOpened,
    result_of,
)
from arena.records.rows import RollRow
from arena.records.statistics import games_in_unit, units_in
from arena.tournaments import TournamentError
from arena.tournaments.results import points_for
from arena.tournaments.statistics.intervals import PointsPerGame, points_per_game
from arena.tournaments.statistics.luck import (
    Luck,
    LuckyMatch,
    adjusted_units,
    coefficients,
)
from arena.tournaments.statistics.ratings import Ratings, rate_fields
from arena.tournaments.statistics.units import Unit
from arena.words import Said

LEAST_UNITS: Final = 8
"""With fewer units the error of a figure cannot be estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLuck:
    """A match in points of its first entrant less those of the second."""

    fixture: str
    first: str
    second: str
    raw: int
    """Points as played."""
    given: float
    """Luck of the first less luck of the second, in the games that are adjusted."""
    adjusted: float
    """Points less the luck times a coefficient, which is fitted on other matches."""
    unadjusted: int
    """Number of games that count as they ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantLuck:
    """An entrant: points a game as played and with the luck taken out, each with its interval."""

    given: float
    """Its luck less that of its opponents, in points, over all games that are adjusted."""
    raw: PointsPerGame
    adjusted: PointsPerGame

    @property
    def times(self) -> float | None:
        """Factor on the number of games that would make the raw figure as sure as the adjusted one.

        None with too few units.
        """
        if self.raw.margin is None or self.adjusted.margin is None:
            return None
        return (self.raw.margin / self.adjusted.margin) ** 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckStatistics:
    """The statistics of the matches that count with the luck taken out."""

    evaluator: FixedEvaluator
    is_fixed: bool
    """True if it was fixed before the first game; else it was chosen afterwards."""
    units: tuple[Unit, ...]
    entrants: Mapping[str, EntrantLuck]
    """Entrants that have played, by id."""
    fields: tuple[Ratings, ...]
    """Empty where adjusted scores give no ratings, because an entrant won more than all games."""
    matches: tuple[MatchLuck, ...]
    notes: tuple[Said, ...]
    """Notes on the games that count as they ended, and on figures that are missing."""

    def against(self, entrant: str, opponent: str) -> PointsPerGame | None:
        """Return an entrant's points a game against an opponent with the luck taken out.

        None if they have not met.
        """
        pairing = {entrant, opponent}
        units = [unit for unit in self.units if {unit.first, unit.second} == pairing]
        if not units:
            return None
        return _points(units, entrant)

    @property
    def source(self) -> Said:
        """The evaluator, and when it was chosen.

        `evaluator brade-vasa-3 sha256:cc05c742be5f, fixed before ...`
        """
        code = "luck.fixed" if self.is_fixed else "luck.chosen"
        return Said(
            code,
            {
                "name": self.evaluator.name,
                "hash": self.evaluator.sha256[:12],
            },
        )


def fixed_in(opened: TournamentOpened) -> FixedEvaluator | None:
    """Return the evaluator that was fixed before the first game."""
    return opened.luck or None


@dataclass(slots=True)
class LuckFound:
    """The luck in those settled fixtures that one evaluator has analysed."""

    evaluator: FixedEvaluator | None
    """None until the first analysis, if any evaluator may be used."""
    matches: dict[str, LuckyMatch] = field(default_factory=dict)
    """By fixture."""

    def add(self, fact: FixtureSettled, analysis: Analysis | None) -> None:
        """Add one more fixture; skip one that this evaluator has not analysed."""
        if analysis is None:
            return
        maker = FixedEvaluator(name=analysis.head.evaluator, sha256=analysis.head.evaluator_sha256)
        if self.evaluator in (None, maker):
            self.evaluator = maker
            self.matches[fact.fixture] = lucky_match(fact, analysis)


def luck_statistics(
    opened: TournamentOpened, settled: Sequence[FixtureSettled], analysed: LuckFound
) -> LuckStatistics | None:
    """Take the luck out of these fixtures; None if there are none, or if one is not analysed."""
    evaluator = analysed.evaluator
    if evaluator is None or not settled:
        return None
    lucky = []
    for fact in settled:
        if fact.fixture not in analysed.matches:
            return None
        lucky.append(analysed.matches[fact.fixture])
    matches = []
    for played, coefficient in zip(lucky, coefficients(lucky), strict=True):
        matches.append(_match_luck(played, coefficient.points))
    units = units_without_luck(lucky, games_in_unit(opened.terms))
    notes = _notes_on_games(settled, matches)
    fields: tuple[Ratings, ...] = ()
    try:
        fields = rate_fields(units)
    except (TournamentError, OverflowError):
        notes.append(Said("luck.no_elo"))
    entrants = _entrants_luck(matches, units_in(opened, settled), units)
    figures = []
    for entrant in entrants.values():
        figures += [entrant.raw, entrant.adjusted]
    notes += without_error(figures)
    return LuckStatistics(
        evaluator=evaluator,
        is_fixed=fixed_in(opened) == evaluator,
        units=units,
        entrants=entrants,
        fields=fields,
        matches=tuple(matches),
        notes=tuple(notes),
    )


def _notes_on_games(settled: Sequence[FixtureSettled], matches: Sequence[MatchLuck]) -> list[Said]:
    """Say how many games count as they ended, and why."""
    forfeited = 0
    for fact in settled:
        forfeited += sum(game.cause is not None for game in fact.games)
    unordered = sum(match.unadjusted for match in matches) - forfeited
    notes = []
    if forfeited:
        notes.append(Said("luck.forfeited", {"count": forfeited}))
    if unordered:
        notes.append(Said("luck.unordered", {"count": unordered}))
    return notes


def _entrants_luck(
    matches: Sequence[MatchLuck], raw: Sequence[Unit], adjusted: Sequence[Unit]
) -> dict[str, EntrantLuck]:
    """Return the luck and both figures of every entrant, by name."""
    luck: dict[str, float] = defaultdict(float)
    for match in matches:
        luck[match.first] += match.given
        luck[match.second] -= match.given
    entrants = {}
    for name in sorted(luck):
        entrants[name] = EntrantLuck(
            given=luck[name],
            raw=_points(raw, name),
            adjusted=_points(adjusted, name),
        )
    return entrants


def without_error(figures: Iterable[PointsPerGame]) -> list[Said]:
    """Explain why some of these figures have no interval; nothing if all have one."""
    if all(figure.margin is not None for figure in figures):
        return []
    return [Said("luck.no_error", {"least": LEAST_UNITS})]


def lucky_match(fact: FixtureSettled, analysis: Analysis) -> LuckyMatch:
    """Return the games of a settled fixture with their luck, as far as it can be taken out.

    A forfeited game counts as it ended: its result does not come from the board. So does a game
    whose record is damaged, since some of its rolls are unknown.
    """
    rolls: dict[int, list[RollRow]] = defaultdict(list)
    for roll in analysis.rolls:
        if roll.attempt == fact.attempt:
            rolls[roll.game].append(roll)
    luck: list[Luck | None] = []
    for number, game in enumerate(fact.games, 1):
        if game.cause is not None or analysis.head.broken:
            luck.append(None)
        else:
            luck.append(luck_of(rolls[number]))
    return LuckyMatch(result=result_of(fact.fixture, fact.games), luck=tuple(luck))


def luck_of(rolls: Iterable[RollRow]) -> Luck:
    """Return the luck of seat 1 less that of seat 2, from the rolls of a game."""
    points = wins = 0.0
    for roll in rolls:
        sign = 1 if roll.seat == 1 else -1
        points += sign * roll.luck
        wins += sign * roll.win_luck
    return Luck(points=points, wins=wins)


def units_without_luck(lucky: Sequence[LuckyMatch], size: int) -> tuple[Unit, ...]:
    """Cut these matches into units of `size` games, with the luck taken out."""
    units: list[Unit] = []
    for match, coefficient in zip(lucky, coefficients(lucky), strict=True):
        units += adjusted_units(match, size, coefficient)
    return tuple(units)


def _match_luck(match: LuckyMatch, coefficient: float) -> MatchLuck:
    """Return the points of a match as they were played, and without their luck."""
    raw = sum(points_for(1, game) for game in match.result.games)
    luck = sum(luck.points for luck in match.luck if luck)
    return MatchLuck(
        fixture=match.result.fixture,
        first=match.result.first,
        second=match.result.second,
        raw=raw,
        given=luck,
        adjusted=raw - coefficient * luck,
        unadjusted=match.luck.count(None),
    )


def _points(units: Sequence[Unit], name: str) -> PointsPerGame:
    """Return the points a game of an entrant that has played; without a margin for few units."""
    units_played = [unit for unit in units if unit.has(name)]
    points = points_per_game(units_played, name)
    assert points is not None, "it has played"
    if len(units_played) < LEAST_UNITS:
        return replace(points, margin=None)
    return points

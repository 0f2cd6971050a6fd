"""The results of a run with the luck of the dice taken out, from its records and what `arena analyse` made of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.matches.facts import FixedEvaluator
from arena.records.analysed import Analysis
from arena.records.facts import FixtureSettled, TournamentOpened, result_of
from arena.records.rows import RollRow
from arena.records.statistics import games_in_unit, units_in
from arena.tournaments import TournamentError
from arena.tournaments.results import points_for
from arena.tournaments.statistics.intervals import PointsPerGame, points_per_game
from arena.tournaments.statistics.luck import Luck, LuckyMatch, adjusted_units, coefficients
from arena.tournaments.statistics.ratings import Ratings, rate_fields
from arena.tournaments.statistics.units import Unit
from arena.words import Said

LEAST_UNITS: Final = 8
"""With fewer units nobody can say how much surer the adjusted figure is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLuck:
    """A match: points of its first entrant less those of the second, as played and with the luck taken out."""

    fixture: str
    first: str
    second: str
    raw: int
    given: float
    """What the dice gave the first, less what they gave the second, in the games that are adjusted."""
    adjusted: float
    """The points less the luck times a coefficient, which is fitted on other matches."""
    left: int
    """Games that count as they ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EntrantLuck:
    """An entrant: points a game as played and with the luck taken out, each with its interval."""

    given: float
    """Points that the dice gave it, less what they gave its opponents, over all games that are
    adjusted."""
    raw: PointsPerGame
    adjusted: PointsPerGame

    @property
    def times(self) -> float | None:
        """As many times the games would make the raw figure as sure as the adjusted one; None with too few units."""
        if self.raw.margin is None or self.adjusted.margin is None:
            return None
        return (self.raw.margin / self.adjusted.margin) ** 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LuckStatistics:
    """The statistics of the matches that count with the luck taken out."""

    evaluator: FixedEvaluator
    is_fixed: bool
    """Whether it was fixed before the first game; else it was chosen afterwards."""
    units: tuple[Unit, ...]
    entrants: Mapping[str, EntrantLuck]
    """Of those that have played."""
    fields: tuple[Ratings, ...]
    """Empty where adjusted scores give no ratings: somebody won more than all games."""
    matches: tuple[MatchLuck, ...]
    notes: tuple[Said, ...]
    """Which games count as they ended, and why."""

    def against(self, entrant: str, opponent: str) -> PointsPerGame | None:
        """An entrant's points a game against another with the luck taken out; None if they have not met."""
        own = [unit for unit in self.units if {unit.first, unit.second} == {entrant, opponent}]
        return _points(own, entrant) if own else None

    @property
    def source(self) -> Said:
        """Whose word it is, and since when: `evaluator brade-vasa-3 sha256:cc05c742be5f, fixed before ...`."""
        values = {"name": self.evaluator.name, "hash": self.evaluator.sha256[:12]}
        return Said("luck.fixed" if self.is_fixed else "luck.chosen", values)


def fixed_in(opened: TournamentOpened) -> FixedEvaluator | None:
    """The evaluator that was fixed before the first game."""
    return opened.luck or None


@dataclass(slots=True)
class LuckFound:
    """The luck in settled fixtures, by the word of one evaluator: by fixture, as far as they are analysed."""

    evaluator: FixedEvaluator | None
    """None until there is an analysis, if any evaluator will do."""
    matches: dict[str, LuckyMatch] = field(default_factory=dict)

    def take(self, fact: FixtureSettled, analysis: Analysis | None) -> None:
        """One more fixture; it is passed over if it is not analysed, or by another evaluator."""
        if analysis is None:
            return
        maker = FixedEvaluator(name=analysis.head.evaluator, sha256=analysis.head.evaluator_sha256)
        if self.evaluator in (None, maker):
            self.evaluator = maker
            self.matches[fact.fixture] = lucky_match(fact, analysis)


def luck_statistics(
    opened: TournamentOpened, settled: Sequence[FixtureSettled], found: LuckFound
) -> LuckStatistics | None:
    """Take the luck out of these fixtures; None if not each of them is analysed, or if there is none."""
    if (
        found.evaluator is None
        or not settled
        or any(fact.fixture not in found.matches for fact in settled)
    ):
        return None
    size = games_in_unit(opened.terms)
    lucky = [found.matches[fact.fixture] for fact in settled]
    raw = units_in(opened, settled)
    units = units_without_luck(lucky, size)
    matches = tuple(
        _match_luck(match, one.points)
        for match, one in zip(lucky, coefficients(lucky), strict=True)
    )
    given: dict[str, float] = defaultdict(float)
    for match in matches:
        given[match.first] += match.given
        given[match.second] -= match.given
    forfeited = sum(game.cause is not None for fact in settled for game in fact.games)
    left = sum(match.left for match in matches) - forfeited
    notes = [Said("luck.forfeited", {"count": forfeited})] if forfeited else []
    notes += [Said("luck.unordered", {"count": left})] if left else []
    try:
        fields = rate_fields(units)
    except (TournamentError, OverflowError):
        fields = ()
        notes += [Said("luck.no_elo")]
    entrants = {
        name: EntrantLuck(given=given[name], raw=_points(raw, name), adjusted=_points(units, name))
        for name in sorted(given)
    }
    notes += without_error(
        [points for one in entrants.values() for points in (one.raw, one.adjusted)]
    )
    return LuckStatistics(
        evaluator=found.evaluator,
        is_fixed=fixed_in(opened) == found.evaluator,
        units=units,
        entrants=entrants,
        fields=fields,
        matches=matches,
        notes=tuple(notes),
    )


def without_error(shown: Iterable[PointsPerGame]) -> list[Said]:
    """Explain why some of these figures have no interval; nothing if all have one."""
    return (
        [Said("luck.no_error", {"least": LEAST_UNITS})]
        if any(one.margin is None for one in shown)
        else []
    )


def lucky_match(fact: FixtureSettled, analysis: Analysis) -> LuckyMatch:
    """The games of a settled fixture with their luck, as far as it can be taken out.

    A forfeited game counts as it ended: its result does not come from the board. So does a game
    whose record is not in order, since some of its rolls are unknown.
    """
    rolls: dict[int, list[RollRow]] = defaultdict(list)
    for roll in analysis.rolls:
        if roll.attempt == fact.attempt:
            rolls[roll.game].append(roll)
    luck = tuple(
        None if game.cause is not None or analysis.head.broken else luck_of(rolls[number])
        for number, game in enumerate(fact.games, 1)
    )
    return LuckyMatch(result=result_of(fact.fixture, fact.games), luck=luck)


def luck_of(rolls: Iterable[RollRow]) -> Luck:
    """Return what the rolls of a game gave seat 1, less what they gave seat 2."""
    points = wins = 0.0
    for roll in rolls:
        sign = 1 if roll.seat == 1 else -1
        points += sign * roll.luck
        wins += sign * roll.win_luck
    return Luck(points=points, wins=wins)


def units_without_luck(lucky: Sequence[LuckyMatch], size: int) -> tuple[Unit, ...]:
    """The units of so many games of these matches, with the luck taken out."""
    fitted = zip(lucky, coefficients(lucky), strict=True)
    return tuple(unit for match, one in fitted for unit in adjusted_units(match, size, one))


def _match_luck(match: LuckyMatch, coefficient: float) -> MatchLuck:
    raw = sum(points_for(1, game) for game in match.result.games)
    given = sum(luck.points for luck in match.luck if luck)
    return MatchLuck(
        fixture=match.result.fixture,
        first=match.result.first,
        second=match.result.second,
        raw=raw,
        given=given,
        adjusted=raw - coefficient * given,
        left=sum(luck is None for luck in match.luck),
    )


def _points(units: Sequence[Unit], name: str) -> PointsPerGame:
    own = [unit for unit in units if name in (unit.first, unit.second)]
    found = points_per_game(own, name)
    assert found is not None, "it has played"
    return PointsPerGame(mean=found.mean, margin=found.margin if len(own) >= LEAST_UNITS else None)

"""The unit of every statistic: the smallest piece of play that is independent of all others."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from arena.tournaments import TournamentError
from arena.tournaments.results import FixtureResult, points_for


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Unit:
    """One match, or one duplicate pair, between two entrants.

    The games of a unit may depend on each other (through the starter's right, a bot that learns, or
    the dice of a pair); those of two units do not. `games` is their number, 1 or more; `score` how
    many of them `first` won, a draw counting half; `points` the game points of `first` minus those
    of `second`. Where the luck of the dice was taken out (`luck.py`) both are real numbers, and the
    score may be below 0 or above the number of games.
    """

    first: str
    second: str
    games: int
    score: float
    points: float

    def has(self, entrant: str) -> bool:
        """Return whether the entrant is one of the two."""
        return entrant in (self.first, self.second)

    def seen_by(self, entrant: str) -> "Unit":
        """Turn the unit so that this entrant is `first`; it must be one of the two."""
        if entrant == self.first:
            return self
        assert entrant == self.second, "only an entrant that played can see it"
        return replace(
            self,
            first=self.second,
            second=self.first,
            score=self.games - self.score,
            points=-self.points,
        )


def units_of(match: FixtureResult, games_in_unit: int) -> tuple[Unit, ...]:
    """Cut a fixture into units of equally many games, in the order played; none if it is void.

    A match is one unit with all its games, a duplicate pair one with two. Raises TournamentError if
    games remain.
    """
    if games_in_unit < 1 or len(match.games) % games_in_unit:
        fixture = f"fixture {match.fixture}: {len(match.games)} games"
        problem = f"{fixture} cannot be cut into units of {games_in_unit}"
        raise TournamentError([problem])
    units = []
    for start in range(0, len(match.games), games_in_unit):
        games = match.games[start : start + games_in_unit]
        won, drawn, points = 0, 0, 0
        for game in games:
            won += game.winner == 1
            drawn += game.winner is None
            points += points_for(1, game)
        unit = Unit(
            first=match.first,
            second=match.second,
            games=len(games),
            score=won + drawn / 2,
            points=points,
        )
        units.append(unit)
    return tuple(units)


def entrants_of(units: Iterable[Unit]) -> list[str]:
    """Return the names of all who played, in order."""
    names = set()
    for unit in units:
        names |= {unit.first, unit.second}
    return sorted(names)


def fields_of(units: Sequence[Unit]) -> list[list[Unit]]:
    """Split the units into groups whose entrants can be compared, the largest group first.

    Two entrants can be compared if a chain of meetings leads from one to the other.
    """
    parents = {name: name for name in entrants_of(units)}

    def root(name: str) -> str:
        while parents[name] != name:
            name = parents[name]
        return name

    for unit in units:
        parents[root(unit.first)] = root(unit.second)
    fields: dict[str, list[Unit]] = {}
    for unit in units:
        fields.setdefault(root(unit.first), []).append(unit)
    return sorted(fields.values(), key=lambda field: (-len(field), entrants_of(field)))


def halves_of(units: Iterable[Unit], entrant: str, games_in_unit: int) -> tuple[int, ...]:
    """Count an entrant's units by their score: `[i]` is how many it scored with i half games.

    With units of two games engine testers call this a pentanomial. Raises TournamentError if a unit
    has another number of games.
    """
    counts = Counter[int]()
    for unit in units:
        if unit.games != games_in_unit:
            raise TournamentError([f"a unit of {unit.games} games among those of {games_in_unit}"])
        counts[round(2 * unit.seen_by(entrant).score)] += 1
    return tuple(counts[half] for half in range(2 * games_in_unit + 1))

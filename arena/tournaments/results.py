"""Results of games, pairs and fixtures, and the decision of a match (M1, M2)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import zip_longest
from math import sqrt
from statistics import stdev
from typing import Final, Literal

from arena.games.result import Result, Seat
from arena.tournaments import TournamentError
from arena.tournaments.names import NO_NAMES, shown
from arena.words import Said

BestGame = Literal["value", "rank", "none"]
"""How M2 compares won games: by the points they were worth, or by the rank of their ending in B10.

`none` compares none, neither here nor in M4: equal points are a draw. Pairs use it, since they are
not a Swedish match.
"""

FORFEIT: Final = "forfeit"
"""The ending that pays points but never enters a list of best games (B10.2)."""

_QUARTERS = ("", "¼", "½", "¾")


def points_for(seat: Seat, game: Result) -> int:
    """Return the points of a game for one seat, negative if it lost; a drawn game has none."""
    return game.points if game.winner == seat else -game.points


@dataclass(frozen=True, slots=True, kw_only=True)
class FixtureResult:
    """A settled fixture: all its games in the order played, or none if every attempt was void.

    `first` sat at seat 1 and `second` at seat 2; `round` counts from 1. A voided fixture counts for
    neither side.
    """

    fixture: str
    round: int
    first: str
    second: str
    games: tuple[Result, ...]

    @property
    def voided(self) -> bool:
        """True if every attempt was void."""
        return not self.games

    def points_of(self, entrant: str) -> int:
        """All points of one entrant's won games, forfeited ones included (M1, B10.2)."""
        return sum(game.points for game in self.won_by(entrant))

    def won_by(self, entrant: str) -> tuple[Result, ...]:
        """The games one entrant won, in the order played."""
        seat = self.seat_of(entrant)
        return tuple(game for game in self.games if game.winner == seat)

    def seat_of(self, entrant: str) -> Seat:
        """Return the seat of one of the two."""
        assert entrant in (self.first, self.second), "only who played has a seat"
        return 1 if entrant == self.first else 2

    def opponent_of(self, entrant: str) -> str:
        """The entrant on the other side of the table."""
        return self.second if entrant == self.first else self.first


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchDecision:
    """Decision on who won a match (None: drawn or void), and the reason to be said."""

    winner: str | None
    reason: Said


def decide_match(
    result: FixtureResult, best_game: BestGame = "value", names: Mapping[str, str] = NO_NAMES
) -> MatchDecision:
    """More points win (M1); if equal, the better list of won games (M2); else nobody.

    The sentence calls entrants by their display `names`. Raises TournamentError if the result
    contradicts itself.
    """
    if found := result_problems(result, best_game):
        raise TournamentError(found)
    first, second = result.first, result.second
    one, other = shown(names, (first, second))
    if result.voided:
        return MatchDecision(
            winner=None, reason=Said("decision.void", {"one": one, "other": other})
        )
    mine, theirs = result.points_of(first), result.points_of(second)
    if mine != theirs:
        winner = first if mine > theirs else second
        points = {"points": max(mine, theirs), "theirs": min(mine, theirs)}
        return MatchDecision(
            winner=winner,
            reason=Said("decision.points", {"name": names.get(winner, winner), **points}),
        )
    drew = {"one": one, "other": other, "count": mine}
    if best_game == "none":
        return MatchDecision(winner=None, reason=Said("decision.drawn", drew))
    games = {name: best_games(result.won_by(name), best_game) for name in (first, second)}
    keys = {name: best_games_key(games[name], best_game) for name in (first, second)}
    if keys[first] == keys[second]:
        return MatchDecision(winner=None, reason=Said("decision.drawn_lists", drew))
    winner, loser = (first, second) if keys[first] > keys[second] else (second, first)
    difference = describe_difference([games[winner]], [games[loser]], best_game)
    values = {"name": names.get(winner, winner), "count": mine, "difference": difference}
    return MatchDecision(winner=winner, reason=Said("decision.best_game", values))


def best_games(won: Iterable[Result], best_game: BestGame = "value") -> tuple[Result, ...]:
    """The games an entrant won, the best first; games won by forfeit are left out (M2, B10.2).

    Empty if won games are not compared. Games of equal worth follow a fixed order of their own,
    never the order of play.
    """
    if best_game == "none":
        return ()
    listed = [game for game in won if game.ending != FORFEIT]
    listed.sort(key=lambda game: (game.rank is None, game.rank or 0, game.ending, game.monk))
    listed.sort(key=lambda game: _worth(game, best_game), reverse=True)
    return tuple(listed)


def best_games_key(games: Sequence[Result], best_game: BestGame = "value") -> tuple[int, ...]:
    """The sort key of a list of best games: the greater key is the better list, a prefix the lesser (M2)."""
    return tuple(_worth(game, best_game) for game in games)


def describe_game(game: Result, best_game: BestGame = "value") -> Said:
    """Name an ending and its points, "forced jan (6)"; by rank also its rank, "forced jan (6, rank 1)"."""
    ending = Said(f"ending.{game.ending}")
    values = {
        "ending": Said("with_monk", {"ending": ending}) if game.monk else ending,
        "points": game.points,
    }
    if best_game == "value":
        return Said("best_game.value", values)
    return Said("best_game.rank", {**values, "rank": game.rank})


def describe_difference(
    better: Sequence[Sequence[Result]],
    worse: Sequence[Sequence[Result]],
    best_game: BestGame = "value",
) -> Said:
    """Describe where two lists of best games differ: "second best won game, jan (4) against none".

    Each side is one or more lists that are equal in this comparison. Raises ValueError if the two
    sides are equal.
    """
    upper, lower = (best_games_key(side[0], best_game) for side in (better, worse))
    for index, (more, less) in enumerate(zip_longest(upper, lower)):
        if more != less:
            mine, theirs = (_describe_place(side, index, best_game) for side in (better, worse))
            place = {"count": index + 1}
            values = {
                **place,
                "ordinal": Said("best_game.ordinal", place),
                "mine": mine,
                "theirs": theirs,
            }
            return Said("best_game.difference", values)
    raise ValueError("the two lists of won games are level")


def result_problems(result: FixtureResult, best_game: BestGame = "value") -> tuple[Said, ...]:
    """Everything that is wrong with a settled fixture, one sentence each; empty if nothing is."""
    problems = []
    where = {"fixture": result.fixture}
    if result.first == result.second:
        problem = Said("result.meets_itself", {"name": repr(result.first)})
        problems.append(Said("result.of_fixture", {**where, "problem": problem}))
    for number, game in enumerate(result.games, 1):
        place = {**where, "game": number}
        problems += [
            Said("result.of_game", {**place, "problem": problem})
            for problem in _game_problems(game, best_game)
        ]
    return tuple(problems)


def format_points(points: Fraction | int) -> str:
    """Format match points or Sonneborn-Berger points, which are whole quarters: "0", "½", "2¾".

    Raises ValueError if the number is negative or not made of whole quarters.
    """
    quarters = Fraction(points) * 4
    if quarters.denominator != 1 or quarters < 0:
        raise ValueError(f"{points} is not a number of whole quarters")
    whole, rest = divmod(quarters.numerator, 4)
    return f"{whole or ''}{_QUARTERS[rest]}" or "0"


def _worth(game: Result, best_game: BestGame) -> int:
    if best_game == "value":
        return game.points
    assert game.rank is not None, "result_problems refuses a listed game without a rank"
    return -game.rank


def _describe_place(lists: Sequence[Sequence[Result]], index: int, best_game: BestGame) -> Said:
    """Describe the game at one place of equal lists; if endings differ, by what they have in common."""
    if index >= len(lists[0]):
        return Said("best_game.none")
    game = lists[0][index]
    described = describe_game(game, best_game)
    if all(describe_game(games[index], best_game) == described for games in lists):
        return described
    if best_game == "value":
        return Said("count.points", {"count": game.points})
    return Said("best_game.of_rank", {"rank": game.rank})


def _game_problems(game: Result, best_game: BestGame) -> list[Said]:
    found = []
    if game.winner is None and (game.points != 0 or game.rank is not None or game.monk):
        found.append(Said("result.no_winner"))
    if game.winner is not None and game.points < 1:
        found.append(Said("result.no_points", {"points": game.points}))
    if game.ending == FORFEIT and game.rank is not None:
        found.append(Said("result.forfeit_with_rank"))
    if game.rank is not None and game.rank < 1:
        found.append(Said("result.low_rank", {"rank": game.rank}))
    is_listed = game.winner is not None and game.ending != FORFEIT
    if is_listed and game.rank is None and best_game == "rank":
        found.append(Said("result.no_rank", {"ending": repr(game.ending)}))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCount:
    """The pairs of one entrant: how many it won, left level and lost, and its points per pair.

    `differences` holds for each pair its points from both halves minus those of its opponent.
    """

    differences: tuple[int, ...]

    @property
    def won(self) -> int:
        """Pairs with more points than the opponent."""
        return sum(difference > 0 for difference in self.differences)

    @property
    def level(self) -> int:
        """Pairs with as many points as the opponent."""
        return sum(difference == 0 for difference in self.differences)

    @property
    def lost(self) -> int:
        """Pairs with fewer points than the opponent."""
        return sum(difference < 0 for difference in self.differences)

    @property
    def mean(self) -> Fraction:
        """Points per pair, more or less than the opponent's; 0 without pairs."""
        return Fraction(sum(self.differences), len(self.differences) or 1)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean from the spread of the pairs; None below two pairs."""
        count = len(self.differences)
        return stdev(self.differences) / sqrt(count) if count > 1 else None


def pair_differences(result: FixtureResult, entrant: str) -> tuple[int, ...]:
    """The result of each pair of a fixture for an entrant: its points from both halves minus the opponent's.

    `result` is of pairs: games 1 and 2 are the halves of the first. Raises ValueError for an odd
    number of games.
    """
    if len(result.games) % 2:
        raise ValueError(
            f"pairs have two games each, fixture {result.fixture} has {len(result.games)}"
        )
    seat = result.seat_of(entrant)
    points = [points_for(seat, game) for game in result.games]
    return tuple(first + second for first, second in zip(points[::2], points[1::2], strict=True))


def count_pairs(entrants: Sequence[str], results: Iterable[FixtureResult]) -> dict[str, PairCount]:
    """The pairs of every entrant over these fixtures, in the order given."""
    found: dict[str, list[int]] = {name: [] for name in entrants}
    for result in results:
        for name in (result.first, result.second):
            found[name] += pair_differences(result, name)
    return {name: PairCount(differences=tuple(differences)) for name, differences in found.items()}

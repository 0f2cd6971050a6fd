"""Results of games, pairs and fixtures, and the decision of a match (M1, M2)."""

from collections.abc import (
    Iterable,
    Mapping,
    Sequence,
)
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
    if game.winner == seat:
        return game.points
    return -game.points


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
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
        """Add up the points of the games that an entrant won, also by forfeit (M1, B10.2)."""
        return sum(game.points for game in self.won_by(entrant))

    def won_by(self, entrant: str) -> tuple[Result, ...]:
        """Return the games one entrant won, in the order played."""
        seat = self.seat_of(entrant)
        return tuple(game for game in self.games if game.winner == seat)

    def seat_of(self, entrant: str) -> Seat:
        """Return the seat of one of the two."""
        assert entrant in (self.first, self.second), "only who played has a seat"
        return 1 if entrant == self.first else 2

    def opponent_of(self, entrant: str) -> str:
        """Return the entrant on the other side of the table."""
        return self.second if entrant == self.first else self.first


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class MatchDecision:
    """Decision on who won a match (None: drawn or void), and its reason in a sentence."""

    winner: str | None
    reason: Said


def by_round(results: Iterable[FixtureResult]) -> list[FixtureResult]:
    """Sort results by round, and those of one round by the names of their fixtures."""
    return sorted(results, key=lambda match: (match.round, match.fixture))


def decide_match(
    match: FixtureResult,
    best_game: BestGame = "value",
    names: Mapping[str, str] = NO_NAMES,
) -> MatchDecision:
    """Decide a match: more points win (M1), then the better list of won games (M2).

    Else it is drawn. The sentence calls entrants by their display `names`. Raises TournamentError
    if the result contradicts itself.
    """
    problems = result_problems(match, best_game)
    if problems:
        raise TournamentError(problems)
    first, second = match.first, match.second
    first_name, second_name = shown(names, (first, second))
    if match.voided:
        reason = Said("decision.void", {"one": first_name, "other": second_name})
        return MatchDecision(winner=None, reason=reason)
    first_points = match.points_of(first)
    second_points = match.points_of(second)
    if first_points != second_points:
        winner = first if first_points > second_points else second
        score = {
            "name": names.get(winner, winner),
            "points": max(first_points, second_points),
            "theirs": min(first_points, second_points),
        }
        return MatchDecision(winner=winner, reason=Said("decision.points", score))
    level = {
        "one": first_name,
        "other": second_name,
        "count": first_points,
    }
    if best_game == "none":
        return MatchDecision(winner=None, reason=Said("decision.drawn", level))
    first_games = best_games(match.won_by(first), best_game)
    second_games = best_games(match.won_by(second), best_game)
    first_key = best_games_key(first_games, best_game)
    second_key = best_games_key(second_games, best_game)
    if first_key == second_key:
        return MatchDecision(winner=None, reason=Said("decision.drawn_lists", level))
    if first_key > second_key:
        winner = first
        difference = describe_difference([first_games], [second_games], best_game)
    else:
        winner = second
        difference = describe_difference([second_games], [first_games], best_game)
    decisive = {
        "name": names.get(winner, winner),
        "count": first_points,
        "difference": difference,
    }
    return MatchDecision(winner=winner, reason=Said("decision.best_game", decisive))


def best_games(won: Iterable[Result], best_game: BestGame = "value") -> tuple[Result, ...]:
    """Return the games an entrant won, the best first, without those won by forfeit (M2, B10.2).

    Empty if won games are not compared. Games of equal worth follow a fixed order of their own,
    never the order of play.
    """
    if best_game == "none":
        return ()
    listed = [game for game in won if game.ending != FORFEIT]
    listed.sort(
        key=lambda game: (
            game.rank is None,
            game.rank or 0,
            game.ending,
            game.monk,
        ),
    )
    listed.sort(key=lambda game: _worth(game, best_game), reverse=True)
    return tuple(listed)


def best_games_key(games: Sequence[Result], best_game: BestGame = "value") -> tuple[int, ...]:
    """Return the sort key of a list of best games (M2).

    The greater key is the better list; a prefix is the lesser.
    """
    return tuple(_worth(game, best_game) for game in games)


def describe_game(game: Result, best_game: BestGame = "value") -> Said:
    """Name an ending and its points, "forced jan (6)"; by rank, "forced jan (6, rank 1)"."""
    ending = Said(f"ending.{game.ending}")
    if game.monk:
        ending = Said("with_monk", {"ending": ending})
    if best_game == "value":
        return Said("best_game.value", {"ending": ending, "points": game.points})
    ranked = {
        "ending": ending,
        "points": game.points,
        "rank": game.rank,
    }
    return Said("best_game.rank", ranked)


def describe_difference(
    better: Sequence[Sequence[Result]],
    worse: Sequence[Sequence[Result]],
    best_game: BestGame = "value",
) -> Said:
    """Describe where two lists of best games differ: "second best won game, jan (4) against none".

    Each side is one or more lists that are equal in this comparison. Raises ValueError if the two
    sides are equal.
    """
    better_key = best_games_key(better[0], best_game)
    worse_key = best_games_key(worse[0], best_game)
    for index, (more, less) in enumerate(zip_longest(better_key, worse_key)):
        if more != less:
            difference = {
                "count": index + 1,
                "ordinal": Said("best_game.ordinal", {"count": index + 1}),
                "mine": _describe_place(better, index, best_game),
                "theirs": _describe_place(worse, index, best_game),
            }
            return Said("best_game.difference", difference)
    raise ValueError("the two lists of won games are level")


def result_problems(
    match: FixtureResult,
    best_game: BestGame = "value",
) -> tuple[Said, ...]:
    """Return all that is wrong with a settled fixture, one sentence each; empty if nothing is."""
    problems = []
    if match.first == match.second:
        problem = Said("result.meets_itself", {"name": repr(match.first)})
        of_fixture = {"fixture": match.fixture, "problem": problem}
        problems.append(Said("result.of_fixture", of_fixture))
    for number, game in enumerate(match.games, 1):
        for problem in _game_problems(game, best_game):
            of_game = {
                "fixture": match.fixture,
                "game": number,
                "problem": problem,
            }
            problems.append(Said("result.of_game", of_game))
    return tuple(problems)


def format_points(points: Fraction | int) -> str:
    """Format match points or Sonneborn-Berger points, which are whole quarters: "0", "½", "2¾".

    Raises ValueError if the number is negative or not made of whole quarters.
    """
    quarters = Fraction(points) * 4
    if quarters.denominator != 1 or quarters < 0:
        raise ValueError(f"{points} is not a number of whole quarters")
    whole, fraction = divmod(quarters.numerator, 4)
    if whole == 0 and fraction == 0:
        return "0"
    if whole == 0:
        return _QUARTERS[fraction]
    return f"{whole}{_QUARTERS[fraction]}"


def _worth(game: Result, best_game: BestGame) -> int:
    if best_game == "value":
        return game.points
    assert game.rank is not None, "result_problems refuses a listed game without a rank"
    return -game.rank


def _describe_place(
    lists: Sequence[Sequence[Result]],
    index: int,
    best_game: BestGame,
) -> Said:
    """Describe the game at one place of equal lists; if endings differ, by what they share."""
    if index >= len(lists[0]):
        return Said("best_game.none")
    game = lists[0][index]
    description = describe_game(game, best_game)
    if all(describe_game(games[index], best_game) == description for games in lists):
        return description
    if best_game == "value":
        return Said("count.points", {"count": game.points})
    return Said("best_game.of_rank", {"rank": game.rank})


def _game_problems(game: Result, best_game: BestGame) -> list[Said]:
    # A flat table of cases: each asks for one field.
    problems = []
    if game.winner is None and (game.points != 0 or game.rank is not None or game.monk):
        problems.append(Said("result.no_winner"))
    if game.winner is not None and game.points < 1:
        problems.append(Said("result.no_points", {"points": game.points}))
    if game.ending == FORFEIT and game.rank is not None:
        problems.append(Said("result.forfeit_with_rank"))
    if game.rank is not None and game.rank < 1:
        problems.append(Said("result.low_rank", {"rank": game.rank}))
    is_listed = game.winner is not None and game.ending != FORFEIT
    if is_listed and game.rank is None and best_game == "rank":
        problems.append(Said("result.no_rank", {"ending": repr(game.ending)}))
    return problems


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class PairCount:
    """The pairs of one entrant: the numbers it won, drew level and lost, and its points per pair.

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
        return self.differences.count(0)

    @property
    def lost(self) -> int:
        """Pairs with fewer points than the opponent."""
        return len(self.differences) - self.won - self.level

    @property
    def mean(self) -> Fraction:
        """Points per pair, more or less than the opponent's; 0 without pairs."""
        return Fraction(sum(self.differences), len(self.differences) or 1)

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean from the spread of the pairs; None below two pairs."""
        count = len(self.differences)
        if count < 2:
            return None
        return stdev(self.differences) / sqrt(count)


def pair_differences(match: FixtureResult, entrant: str) -> tuple[int, ...]:
    """Return an entrant's points minus the opponent's in each pair of a fixture, over both halves.

    The fixture consists of pairs: games 1 and 2 are the halves of the first. Raises ValueError for
    an odd number of games.
    """
    if len(match.games) % 2:
        raise ValueError(
            f"pairs have two games each, fixture {match.fixture} has {len(match.games)}"
        )
    seat = match.seat_of(entrant)
    differences = []
    for first_half, second_half in zip(match.games[::2], match.games[1::2], strict=True):
        difference = points_for(seat, first_half) + points_for(seat, second_half)
        differences.append(difference)
    return tuple(differences)


def count_pairs(
    entrants: Sequence[str],
    results: Iterable[FixtureResult],
) -> dict[str, PairCount]:
    """Count the pairs of all entrants over these fixtures, in the order of `entrants`."""
    differences: dict[str, list[int]] = {name: [] for name in entrants}
    for match in results:
        for name in (match.first, match.second):
            differences[name] += pair_differences(match, name)
    return {name: PairCount(differences=tuple(differences[name])) for name in entrants}

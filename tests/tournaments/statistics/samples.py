"""Units with a known truth, and published data."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

from arena.tournaments.statistics.ratings import expected_score
from arena.tournaments.statistics.units import Unit

BASEBALL = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
BASEBALL_WINS = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
"""Eastern division of the American League in 1987: row beat column so often (Agresti 2002, section
10.6)."""

JOURNALS = ("Biometrika", "Comm Statist", "JASA", "JRSS-B")
CITATIONS = ((0, 730, 498, 221), (33, 0, 68, 17), (320, 813, 0, 142), (284, 276, 325, 0))
"""Statistics journals 1987-89: row was cited by column so often (Stigler 1994; Agresti 2002, p.
448)."""


def unit(first: str, second: str, score: float, games: int = 1, points: int = 0) -> Unit:
    return Unit(first=first, second=second, games=games, score=score, points=points)


def games_of(names: Sequence[str], wins: Sequence[Sequence[int]]) -> list[Unit]:
    """One unit of one game for each win."""
    return [
        unit(names[i], names[j], 1)
        for i in range(len(names))
        for j in range(len(names))
        for _ in range(wins[i][j])
    ]


def score_of_match(chance: float, games: int, random: Random) -> float:
    """Games that do not hang together."""
    return sum(random.random() < chance for _ in range(games))


def score_of_streak(chance: float, games: int, random: Random) -> float:
    """Games of which one is as the other: the most that they can hang together."""
    return games * (random.random() < chance)


def score_of_pair(chance: float, games: int, random: Random) -> float:
    """Two games in which the dice that favour one side in the first favour the other in the second, mostly."""
    assert games == 2
    luck = random.random()
    again = 1 - luck if random.random() < 0.7 else random.random()
    return (luck < chance) + (again < chance)


def round_robin(
    elo: Sequence[float], cycles: int, games: int, random: Random, played=score_of_match
):
    """Everybody against everybody, `cycles` units a pairing, with these true ratings; the entrants are e0, e1, ..."""
    return [
        unit(f"e{i}", f"e{j}", played(expected_score(elo[i] - elo[j]), games, random), games)
        for i, j in combinations(range(len(elo)), 2)
        for _ in range(cycles)
    ]

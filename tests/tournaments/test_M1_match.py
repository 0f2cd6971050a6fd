"""M1: a match is decided by all its points."""

import pytest

from arena.games.result import Result
from arena.tournaments import TournamentError
from arena.tournaments.results import FixtureResult, decide_match, result_problems
from arena.tournaments.schedule import Fixture
from arena.words import say
from tests.english import english
from tests.fixtures.tournament_builders import match, void


@pytest.mark.parametrize(
    ("text", "points", "winner"),
    [
        ("anna jan, bo off, anna off+, bo crown, bo off", (6, 4), "anna"),
        ("anna off, anna off, bo jan", (2, 4), "bo"),
        ("-, anna off, -", (1, 0), "anna"),
        ("anna jan, bo forfeit, anna off", (5, 6), "bo"),
    ],
    ids=[
        "all-are-added",
        "one-dear-game",
        "a-drawn-game-pays-nobody",
        "B10.2-a-forfeited-game-counts",
    ],
)
def test_M1_the_points_of_all_games_decide(text, points, winner):
    result = match(text)
    assert (result.points_of("anna"), result.points_of("bo")) == points
    decision = decide_match(result)
    assert decision.winner == winner
    assert say(decision.reason) == f"{winner} won on points, {max(points)} against {min(points)}"


def test_M1_a_void_match_is_won_by_nobody():
    decision = decide_match(void(Fixture(round=1, first="anna", second="bo")))
    assert decision.winner is None
    assert say(decision.reason) == "anna against bo was void and does not count"


def test_M1_a_contradictory_result_is_refused_with_all_its_problems():
    result = FixtureResult(
        fixture="r1-anna-v-bo",
        round=1,
        first="anna",
        second="bo",
        games=(
            Result(winner=None, points=1, ending="turn_limit", clause="B10.3"),
            Result(winner=2, points=0, ending="jan", clause="B9.1", rank=0),
            Result(winner=2, points=6, ending="forfeit", clause="B10.2", rank=1),
        ),
    )
    with pytest.raises(TournamentError) as caught:
        decide_match(result)
    assert english(caught.value.problems) == [
        "fixture r1-anna-v-bo, game 1: has no winner but points, a rank or a monk",
        "fixture r1-anna-v-bo, game 2: was won with 0 points; a won game pays at least 1",
        "fixture r1-anna-v-bo, game 2: has rank 0; the best rank is 1",
        "fixture r1-anna-v-bo, game 3: was forfeited but has a rank; B10 ranks no forfeit",
    ]


def test_M1_a_result_says_what_is_wrong_with_it():
    played = match("bo jan").games
    result = FixtureResult(fixture="r1-x-v-bo", round=1, first="bo", second="bo", games=played)
    assert english(result_problems(result)) == ["fixture r1-x-v-bo: 'bo' meets itself"]

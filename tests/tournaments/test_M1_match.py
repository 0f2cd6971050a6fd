"""M1: a match is decided by all its points."""

import pytest

from arena.games.result import Result
from arena.tournaments import TournamentError
from arena.tournaments.results import FixtureResult, decide_match, result_problems
from arena.tournaments.schedule import Fixture
from arena.words import say
from tests.tournaments.builders import match, void


def test_M1_all_points_of_a_match_are_added():
    result = match("anna jan, bo off, anna off+, bo crown, bo off")
    assert (result.points_of("anna"), result.points_of("bo")) == (6, 4)
    decision = decide_match(result)
    assert decision.winner == "anna"
    assert say(decision.reason) == "anna won on points, 6 against 4"


def test_M1_one_dear_game_outweighs_two_cheap_ones():
    assert decide_match(match("anna off, anna off, bo jan")).winner == "bo"


def test_M1_a_drawn_game_pays_nobody():
    result = match("-, anna off, -")
    assert (result.points_of("anna"), result.points_of("bo")) == (1, 0)
    assert decide_match(result).winner == "anna"


def test_M1_a_forfeited_game_counts_in_the_points_B10_2():
    decision = decide_match(match("anna jan, bo forfeit, anna off"))
    assert decision.winner == "bo"


def test_M1_a_void_match_is_won_by_nobody():
    decision = decide_match(void(Fixture(round=1, first="anna", second="bo")))
    assert decision.winner is None
    assert say(decision.reason) == "anna against bo was void and counts for neither"


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
    assert caught.value.problems == (
        "fixture r1-anna-v-bo, game 1: has no winner and yet points, a rank or a monk",
        "fixture r1-anna-v-bo, game 2: was won with 0 points; a won game pays at least 1",
        "fixture r1-anna-v-bo, game 2: has rank 0; the best rank is 1",
        "fixture r1-anna-v-bo, game 3: was forfeited and yet has a rank; B10 ranks no forfeit",
    )


@pytest.mark.parametrize(
    ("first", "voided", "text", "problem"),
    [
        ("bo", False, "bo jan", "'bo' meets itself"),
        ("anna", True, "anna jan", "is void and yet has 1 games; leave them out"),
        ("anna", False, "", "has no games and is not void"),
    ],
)
def test_M1_a_result_says_what_is_wrong_with_it(first, voided, text, problem):
    played = match(text).games if text else ()
    result = FixtureResult(fixture="r1-x-v-bo", round=1, first=first, second="bo", games=played, voided=voided)
    assert result_problems(result) == (f"fixture r1-x-v-bo: {problem}",)

"""M2: at equal points the better list of won games decides a match."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games.result import Result
from arena.tournaments import TournamentError
from arena.tournaments.results import (
    FixtureResult,
    best_games,
    best_games_key,
    decide_match,
    describe_difference,
)
from arena.words import say
from tests.fixtures.tournament_builders import ENDINGS, any_game, games, match

FORCED_JAN = "anna forced-jan, bo crown, bo tower, bo off, bo off"
HANDSOME_OR_MONK = "anna crown, anna off, anna off, bo off+, bo off+"
LEVEL_BY_VALUE = "anna crown, -, bo off+"


@pytest.mark.parametrize(
    ("text", "best_game", "winner", "reason"),
    [
        (FORCED_JAN, "value", "anna", "best won game, forced jan (6) against"),
        (FORCED_JAN, "rank", "anna", "best won game, forced jan (6, rank 1) against"),
        (
            "bo forced-jan, anna jan, anna crown",
            "value",
            "bo",
            "best won game, forced jan (6) against jan (4)",
        ),
        (
            HANDSOME_OR_MONK,
            "value",
            "bo",
            "second best won game, bearing off with monk (2) against bearing off (1)",
        ),
        (
            HANDSOME_OR_MONK,
            "rank",
            "anna",
            "best won game, single crown (2, rank 4) against bearing off with monk (2, rank 5)",
        ),
        (
            "anna jan, anna crown, bo forfeit",
            "value",
            "anna",
            "best won game, jan (4) against none",
        ),
        (
            LEVEL_BY_VALUE,
            "value",
            None,
            "anna and bo drew: 2 points each and equal lists of won games",
        ),
        (LEVEL_BY_VALUE, "rank", "anna", "best won game, single crown (2, rank 4) against"),
        (
            "anna jan, -, bo jan",
            "value",
            None,
            "anna and bo drew: 4 points each and equal lists of won games",
        ),
        ("-, -, -", "value", None, "anna and bo drew: 0 points each and equal lists of won games"),
    ],
)
def test_M2_the_better_list_of_won_games_decides(text, best_game, winner, reason):
    decision = decide_match(match(text), best_game)
    assert decision.winner == winner
    points = match(text).points_of("anna")
    assert say(decision.reason).startswith(
        f"{winner} won at {points} points each: {reason}" if winner else reason
    )


@pytest.mark.parametrize("best_game", ["value", "rank"])
def test_M2_a_longer_list_beats_its_own_prefix(best_game):
    longer, prefix = games("anna jan, anna off"), games("bo jan")
    assert best_games_key(longer, best_game) > best_games_key(prefix, best_game)
    difference = say(describe_difference([longer], [prefix], best_game))
    assert difference.startswith("second best won game, bearing off (1")
    assert difference.endswith(") against none")


def test_M2_a_game_won_by_forfeit_is_not_listed_B10_2():
    result = match("anna forfeit, anna off, bo forced-jan, bo off")
    assert [game.ending for game in best_games(result.won_by("anna"))] == ["bearing_off"]
    assert decide_match(result).winner == "bo"


def test_M2_by_rank_needs_a_rank_for_every_listed_game():
    won = Result(winner=1, points=1, ending="king_escaped", clause="T8")
    result = FixtureResult(fixture="r1-anna-v-bo", round=1, first="anna", second="bo", games=(won,))
    assert decide_match(result).winner == "anna"
    with pytest.raises(TournamentError, match="'king_escaped' without a rank"):
        decide_match(result, "rank")


def test_M2_level_lists_have_no_difference_to_describe():
    with pytest.raises(ValueError, match="level"):
        describe_difference([games("anna jan")], [games("bo jan")])


@given(st.data(), st.sampled_from([3, 5, 7]), st.sampled_from(["value", "rank"]))
def test_M2_lists_are_never_identical_when_an_odd_number_of_games_is_won_over_the_board(
    data, count, best_game
):
    over_the_board = [short for short in ENDINGS if short != "forfeit"]
    won = [
        f"{data.draw(st.sampled_from(['anna', 'bo']))} {data.draw(st.sampled_from(over_the_board))}"
        for _ in range(count)
    ]
    assert decide_match(match(", ".join(won)), best_game).winner is not None


@given(
    st.lists(any_game("anna", "bo"), min_size=1, max_size=7),
    st.randoms(),
    st.sampled_from(["value", "rank"]),
)
def test_M2_neither_the_order_of_games_nor_the_seats_decide(played, random, best_game):
    swapped = {1: 2, 2: 1, None: None}
    shuffled = [
        replace(game, winner=swapped[game.winner]) for game in random.sample(played, len(played))
    ]
    one = FixtureResult(
        fixture="r1-anna-v-bo", round=1, first="anna", second="bo", games=tuple(played)
    )
    other = FixtureResult(
        fixture="r1-bo-v-anna", round=1, first="bo", second="anna", games=tuple(shuffled)
    )
    first, second = decide_match(one, best_game), decide_match(other, best_game)
    assert (first.winner, first.reason.code) == (second.winner, second.reason.code)
    if first.winner is not None:
        assert first.reason == second.reason

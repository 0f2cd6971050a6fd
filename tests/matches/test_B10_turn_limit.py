"""B10.3: a game without a result after so many turns is drawn."""

import pytest

from arena.games.result import Result
from arena.matches.facts import GameEnded, Terms, TurnPlayed
from arena.matches.time_control import TimeControl
from tests.fixtures.sitting import Sitting


def play_out(turn_limit: int, games: int = 3) -> Sitting:
    terms = Terms(
        games=games,
        clock=TimeControl(delay_ms=0, bank_ms=1000),
        rejections=9,
        turn_limit=turn_limit,
        startup_ms=100,
    )
    sitting = Sitting(terms=terms)
    sitting.ready()
    while not sitting.is_over:
        sitting.plays()
    return sitting


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_B10_3_the_last_turn_of_the_limit_is_played_and_then_the_game_is_drawn(limit: int) -> None:
    sitting = play_out(limit)
    assert len(sitting.of(TurnPlayed)) == 3 * limit
    assert sitting.ended == [
        GameEnded(
            at_ms=sitting.now_ms,
            game=number,
            turns=limit,
            result=Result(winner=None, ending="turn_limit", clause="B10.3", points=0),
            score=(0, 0),
        )
        for number in (1, 2, 3)
    ]
    assert sitting.match.standing.violations == (0, 0)


def test_B10_3_a_rejected_turn_is_not_counted() -> None:
    terms = Terms(
        games=1,
        clock=TimeControl(delay_ms=0, bank_ms=1000),
        rejections=9,
        turn_limit=2,
        startup_ms=100,
    )
    sitting = Sitting(terms=terms)
    sitting.ready()
    for _ in range(5):
        sitting.plays_illegally()
    sitting.plays()
    assert not sitting.is_over
    sitting.plays()
    assert sitting.ended[0].result.ending == "turn_limit"


def test_B10_3_a_game_that_is_won_with_the_very_last_turn_is_won() -> None:
    free = play_out(1000, games=1)
    [won] = free.ended
    assert won.result.winner is not None
    exact = play_out(won.turns, games=1)
    assert [ended.result.ending for ended in exact.ended] == [won.result.ending]
    assert [ended.result.ending for ended in play_out(won.turns - 1, games=1).ended] == [
        "turn_limit"
    ]

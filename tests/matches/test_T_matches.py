"""T: Brandubh at the table, where nothing is rolled, the colours change and games may be drawn."""

import pytest

from arena.games import load_game
from arena.games.brandubh.notation import parse_moves
from arena.matches.facts import FlagFell, GameStarted, Terms, TurnPlayed
from arena.matches.time_control import TimeControl
from tests.fixtures.sitting import Sitting, tags

TERMS = Terms(
    games=5,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=1,
    turn_limit=1000,
    startup_ms=5000,
)
BLACK_GOES_TO_AND_FRO = ("d1-c1", "c1-d1")
WHITE_GOES_TO_AND_FRO = ("d3-c3", "c3-d3")
KING_ESCAPES = (
    "d1-b1",
    "d3-a3",
    "b1-d1",
    "d4-d3",
    "d1-b1",
    "d3-b3",
    "b4-b7",
    "b3-b2",
    "b7-c7",
    "b2-a2",
    "c7-b7",
    "a2-a1",
)
"""A game that White wins in twelve turns."""


def seated(ruleset: str = "brandubh-1", terms: Terms = TERMS) -> Sitting:
    sitting = Sitting(rules=load_game(ruleset), terms=terms)
    sitting.ready()
    return sitting


def play(sitting: Sitting, *moves: str) -> None:
    for move in moves:
        assert isinstance(sitting.plays(parse_moves(move))[0], TurnPlayed), move


@pytest.mark.parametrize("ruleset", ["brandubh-1", "brandubh-2"])
def test_T1_seat_1_has_black_first_and_then_the_seats_take_turns_whichever_wins(
    ruleset: str,
) -> None:
    """Seat 2 escapes as White in the first game and begins the second all the same, as it does after losing one."""
    sitting = seated(ruleset)
    play(sitting, *KING_ESCAPES)
    play(sitting, *KING_ESCAPES)
    for _ in range(2):
        sitting.plays_illegally()
    for _ in range(2):
        play(sitting, *BLACK_GOES_TO_AND_FRO[:1], *WHITE_GOES_TO_AND_FRO[:1])
        play(sitting, *BLACK_GOES_TO_AND_FRO[1:], *WHITE_GOES_TO_AND_FRO[1:])
    assert [ended.result.winner for ended in sitting.ended] == [2, 1, 2, None]
    assert [start.starter for start in sitting.of(GameStarted)] == [1, 2, 1, 2, 1]
    assert all(list(start.opening) == [] for start in sitting.of(GameStarted))
    assert all(played.dice == () for played in sitting.of(TurnPlayed))


def test_T8_an_escape_pays_one_point() -> None:
    sitting = seated()
    play(sitting, *KING_ESCAPES)
    [ended] = sitting.ended
    result = ended.result
    assert (result.winner, result.ending, result.clause, result.points) == (
        2,
        "king_escaped",
        "T8",
        1,
    )
    assert (ended.result.rank, ended.result.monk, ended.turns, ended.score) == (
        None,
        False,
        12,
        (0, 1),
    )


def test_B10_2_a_forfeit_pays_the_one_point_there_is() -> None:
    sitting = seated()
    first = sitting.plays_illegally()[0]
    assert (first.code, first.clause, first.dice, first.legal_turns) == (
        "unreadable_moves",
        "T1",
        (),
        40,
    )
    assert tags(sitting.plays([["d1", "d2"]]))[:2] == ["turn_rejected", "game_ended"]
    assert isinstance(sitting.waits(1101)[0], FlagFell)
    assert [(ended.result.winner, ended.result.points) for ended in sitting.ended] == [
        (2, 1),
        (1, 1),
    ]

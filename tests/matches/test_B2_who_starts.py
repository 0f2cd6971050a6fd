"""B2, G2: who begins each game of a match."""

import pytest

from arena.games import load_game
from arena.matches.facts import GameStarted, TurnPlayed
from arena.matches.match import open_match
from arena.matches.state import other
from arena.matches.time_control import TimeControl
from tests.fixtures.sitting import TERMS, Script, Sitting, tags

HIGHER_STARTS = load_game({"base": "vasa", "name": "house", "opening": "higher_starts"})


def started(sitting: Sitting) -> list[GameStarted]:
    return sitting.of(GameStarted)


@pytest.mark.parametrize(("throw", "starter"), [("12", 1), ("61", 2), ("56", 1), ("21", 2)])
def test_B2_1_the_lower_die_begins_and_throws_both_dice_anew(throw: str, starter: int) -> None:
    """Seat 1's die comes first; the roll of the first turn is another one."""
    sitting = Sitting(dice=throw + "36")
    sitting.ready()
    [start] = started(sitting)
    assert (start.game, start.starter) == (1, starter)
    assert [list(pair) for pair in start.opening] == [[int(throw[0]), int(throw[1])]]
    assert (sitting.game.mover, sitting.game.dice) == (starter, (3, 6))
    assert sitting.script.left == []


def test_B2_1_equal_dice_are_thrown_again_as_long_as_they_are_equal() -> None:
    sitting = Sitting(dice="22 55 11 64 31")
    sitting.ready()
    [start] = started(sitting)
    assert [list(pair) for pair in start.opening] == [[2, 2], [5, 5], [1, 1], [6, 4]]
    assert (start.starter, sitting.game.dice) == (2, (3, 1))


def test_B2_1_while_a_throw_is_not_known_no_game_begins() -> None:
    """As in the record of a match whose seed is secret, ; and nothing is thrown before both have come."""

    class Unknown(Script):
        def throw(self, game: int, number: int) -> tuple[int, int] | None:
            return super().throw(game, number) if self.left else None

    sitting = Sitting(dice="33")
    sitting.match = open_match(sitting.rules, sitting.opened, Unknown("33").deal)
    assert tags(sitting.ready(1)) == ["bot_ready"]
    assert sitting.match.standing.dealer is None
    assert tags(sitting.ready(2)) == ["bot_ready"]
    assert sitting.match.games == ()


def play_forfeits(sitting: Sitting, losers: list[int]) -> None:
    """Have games forfeited by these seats, in order, each by illegal turns."""
    for loser in losers:
        while sitting.game.mover != loser:
            sitting.plays()
        number = sitting.game.number
        while sitting.match.games and sitting.game.number == number:
            sitting.plays_illegally()


def test_B2_2_who_forfeited_a_game_begins_the_next() -> None:
    sitting = Sitting(dice="12" + "36" * 20)
    sitting.ready()
    play_forfeits(sitting, [2, 1, 1])
    assert [(start.starter, list(start.opening)) for start in started(sitting)][1:] == [
        (2, []),
        (1, []),
    ]


def test_B2_2_who_lost_over_the_board_begins_the_next() -> None:
    sitting = Sitting()
    sitting.ready()
    while not sitting.is_over:
        sitting.plays()
    winners = [ended.result.winner for ended in sitting.ended]
    assert [ended.result.cause for ended in sitting.ended] == [None] * 3
    assert [start.starter for start in started(sitting)][1:] == [
        other(winner) for winner in winners[:-1] if winner
    ]


def test_B2_2_after_a_drawn_game_the_side_begins_that_did_not_begin_it() -> None:
    terms = type(TERMS)(
        games=5,
        clock=TimeControl(delay_ms=0, bank_ms=1000),
        rejections=0,
        turn_limit=2,
        startup_ms=100,
    )
    sitting = Sitting(terms=terms)
    sitting.ready()
    while not sitting.is_over:
        sitting.plays()
    first = started(sitting)[0].starter
    assert [start.starter for start in started(sitting)] == [
        first,
        other(first),
        first,
        other(first),
        first,
    ]
    assert [ended.result.winner for ended in sitting.ended] == [None] * 5


def test_B2_2_after_a_game_lost_on_time_the_loser_begins() -> None:
    sitting = Sitting(dice="12" + "36" * 20)
    sitting.ready()
    sitting.plays()
    sitting.waits(1101)
    assert [start.starter for start in started(sitting)] == [1, 2]


@pytest.mark.parametrize(("throw", "starter"), [("12", 2), ("61", 1)])
def test_G2_the_higher_die_begins_and_plays_the_two_dice_thrown(throw: str, starter: int) -> None:
    """The first roll is the throw itself; nothing more is rolled for it."""
    sitting = Sitting(rules=HIGHER_STARTS, dice="44" + throw)
    sitting.ready()
    [start] = started(sitting)
    assert (start.starter, len(start.opening)) == (starter, 2)
    assert sitting.game.mover == starter
    assert sitting.game.dice == (int(throw[0]), int(throw[1]))
    assert sitting.script.left == []


def test_G2_the_throw_opens_every_game() -> None:
    sitting = Sitting(rules=HIGHER_STARTS)
    sitting.ready()
    while not sitting.is_over:
        sitting.plays()
    for start in started(sitting):
        last = start.opening[-1]
        assert start.starter == (1 if last[0] > last[1] else 2)
        assert all(one == two for one, two in start.opening[:-1])
        first = next(fact for fact in sitting.of(TurnPlayed) if fact.game == start.game)
        assert list(first.dice) == list(last)

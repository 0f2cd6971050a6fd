"""B2: who begins."""

import pytest

from tests.games.boards import CLASSIC, VASA, in_both
from tests.games.table import Table

LAST_CHECKER = "24:1 off:14 | opp 13:15"


def play_to_a_win_of(table: Table, *, starter_wins: bool) -> None:
    """End the open game with a win borne off by the side that began it, or by the other."""
    if not starter_wins:
        table.turn((6, 6), "1/7")
    table.set_up(LAST_CHECKER)
    table.turn((2, 1), "24/off")


@in_both
@pytest.mark.parametrize(("throw", "starter"), [((1, 6), 1), ((2, 3), 1), ((6, 5), 2), ((4, 1), 2)])
def test_B2_1_the_lower_die_begins(game, throw, starter):
    table = Table(game, throw)
    assert (table.started.starter, table.open_game.mover) == (starter, starter)
    assert table.started.opening == (throw,)


def test_B2_1_an_equal_throw_is_thrown_again_as_often_as_needed():
    assert Table(VASA, (1, 1), (6, 6)).match.games == ()
    table = Table(VASA, (1, 1), (6, 6), (6, 6), (3, 2), (4, 5))
    assert table.started.starter == 2
    assert table.started.opening == ((1, 1), (6, 6), (6, 6), (3, 2))


@in_both
def test_B2_1_the_first_turn_is_rolled_anew(game):
    table = Table(game, (1, 2))
    assert table.open_game.dice is None
    assert table.asked == []
    table.turn((3, 3), "1/4 4/7 7/10 1/4")
    assert table.open_game.mover == 2


@in_both
@pytest.mark.parametrize("throw", [(1, 2), (2, 1)])
@pytest.mark.parametrize("starter_wins", [True, False])
def test_B2_2_the_loser_begins_the_next_game(game, throw, starter_wins):
    table = Table(game, throw, (3, 1))
    for _ in range(2):
        play_to_a_win_of(table, starter_wins=starter_wins)
        assert table.started.game == table.ended.game + 1
        assert table.started.starter != table.ended.result.winner
        assert table.open_game.mover == table.started.starter
        assert table.started.opening == ()
        assert table.open_game.dice is None


@pytest.mark.parametrize(("throw", "other"), [((1, 2), 2), ((2, 1), 1)])
def test_B2_2_after_a_draw_the_side_begins_that_did_not_begin(throw, other):
    table = Table(CLASSIC, throw, turn_limit=2)
    table.turn((6, 6), "1/7")
    table.turn((6, 6), "1/7")
    assert (table.ended.result.winner, table.ended.result.ending) == (None, "turn_limit")
    assert table.started.starter == other


@pytest.mark.parametrize(("throw", "loser"), [((1, 2), 1), ((2, 1), 2)])
def test_B2_2_the_loser_of_a_forfeited_game_begins_the_next(throw, loser):
    table = Table(VASA, throw)
    table.turn((2, 1), "1/2 1/2")
    assert (table.ended.result.ending, table.ended.result.winner) == ("forfeit", 3 - loser)
    assert table.started.starter == loser

"""B1: the points, the two ways of counting them, and the start."""

import pytest

from tests.fixtures.drawn_boards import VASA, board, flipped, goes_on, in_both, respelled


@in_both
@pytest.mark.parametrize("point", range(1, 25))
def test_B1_1_my_point_bears_the_number_of_the_formula_for_the_opponent(game, point):
    theirs, neighbour = (point + 11) % 24 + 1, point % 24 + 1
    mine = f"{point}:1 off:14 | opp {neighbour}:1 off:14"
    seen = f"{(neighbour + 11) % 24 + 1}:1 off:14 | opp {theirs}:1 off:14"
    assert flipped(game, mine) == respelled(game, seen)
    assert flipped(game, seen) == respelled(game, mine)


@pytest.mark.parametrize(
    ("mine", "theirs"), [(1, 13), (6, 18), (12, 24), (13, 1), (18, 6), (24, 12)]
)
def test_B1_1_the_pairs_of_the_rule_book(mine, theirs):
    assert flipped(VASA, f"{mine}:1 off:14 | opp off:15") == f"off:15 | opp {theirs}:1 off:14"


@in_both
def test_B1_1_the_bar_is_written_0_and_off_25(game):
    entered = game.legal_turns(board(game, "bar:1 12:14 | opp 13:15"), (6, 6))
    assert all(entered.moves(index)[0] == [0, 6] for index in range(len(entered)))
    last = game.legal_turns(board(game, "24:1 off:14 | opp 13:15"), (6, 6))
    assert [last.moves(index) for index in range(len(last))] == [[[24, 25]]]


@in_both
def test_B1_1_both_sides_travel_the_same_way(game):
    goes_on(game, "1:15 | opp 13:15", "2-1", "1/3 1/2", after="1:13 2:1 3:1 | opp 13:15")
    seen = flipped(game, "1:13 2:1 3:1 | opp 13:15")
    both = "1:13 2:1 3:1 | opp 13:13 14:1 15:1"
    goes_on(game, seen, "2-1", "1/3 1/2", after=both)
    assert flipped(game, both) == both


@in_both
def test_B1_2_all_fifteen_checkers_start_at_home(game):
    assert game.format_position(game.start()) == "1:15 | opp 13:15"
    assert game.flip(game.start()) == game.start()
    plain = game.to_plain(game.start())
    assert plain == {"points": [15, *[0] * 11, -15, *[0] * 11], "bar": [0, 0], "off": [0, 0]}
